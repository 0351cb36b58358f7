// What comes from outside: names that try to be markup, damaged pages, foreign files, large results.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { PNG } from "pngjs";
import { closeBrowser, folder, openBrowser, openPage, processorTime } from "./browser";
import { program, runScene, saltus, sourceDir, viewPage } from "./program";

after(closeBrowser);

const hostile = [
  "<img src=x onerror=alert(1)>",
  "</script><script>alert(2)</script>",
  "'\"><svg onload=alert(3)>",
  "<!--<script>",
  "\u2028alert(4)\u2029",
  "${alert(5)}",
  "&lt;b&gt;",
];

describe("hostile names", () => {
  it("stay text: titles of scenes, and bodies, joints and contacts of files that were tampered with", async () => {
    const quote = JSON.stringify;
    const bodies = hostile.map(
      (_, i) => `  body-${i}: {position: [${i}, 0, 0.2], shapes: [{sphere: {radius: 0.1}}]}`,
    );
    const joints = hostile
      .slice(1)
      .map(
        (_, i) =>
          `  rope-${i}: {type: distance, between: [body-${i}, body-${i + 1}], points: [[0, 0, 0], [0, 0, 0]]}`,
      );
    const scene = [
      "saltus: 1",
      `name: ${quote(hostile[1])}`,
      "bodies:",
      ...bodies,
      "joints:",
      ...joints,
      "ground: {shapes: [{half_space: {normal: [0, 0, 1]}}]}",
      "simulation: {integrator: moreau-jean, step: 0.01, until: 0.6}",
    ].join("\n");
    const file = viewPage([runScene(scene)]);
    // The scene reader admits letters and digits only; a file made by others may hold anything.
    const escape = (name: string) => quote(name).slice(1, -1).replaceAll("<", "\\u003c");
    let text = readFileSync(file, "utf8");
    hostile.forEach(
      (name, i) =>
        (text = text
          .replaceAll(`body-${i}`, () => escape(name))
          .replaceAll(`rope-${i}`, () => escape(name))),
    );
    writeFileSync(file, text);
    const { page, complaints, state } = await openPage(file);
    assert.equal(state, "ready");
    const names = await page.$$eval(".row.item span", (list) => list.map((e) => e.textContent));
    for (const name of hostile) assert.ok(names.includes(name), name);
    assert.equal(await page.$$eval("img, svg, iframe, .app script", (list) => list.length), 0);
    assert.ok((await page.title()).includes(hostile[1]!));
    for (let i = 0; i < names.length; ++i)
      await page.evaluate(
        (k) => (document.querySelectorAll(".row.item")[k] as HTMLElement | undefined)?.click(),
        i,
      );
    for (const key of ["e", "e", "End"] as const) await page.keyboard.press(key);
    await page.evaluate(() => window.saltus.goTo(0.5));
    assert.deepEqual(complaints, []);
    await page.close();
  });
});

describe("damage", () => {
  const good = () => readFileSync(viewPage([runScene("bouncing_ball", "--until", "0.2")]), "utf8");
  const cases: [string, (page: string) => string][] = [
    [
      "no data",
      (page) =>
        page.replace(/<script type="application\/json" id="saltus-page">[^]*(?=<script>)/, ""),
    ],
    [
      "a header that is not JSON",
      (page) => page.replace('{"format":"saltus view"', '{"format":"saltus vi'),
    ],
    [
      "data of another program",
      (page) => page.replace('{"format":"saltus view"', '{"format":"another"'),
    ],
    ["a later version", (page) => page.replace('"version":1', '"version":99')],
    [
      "a missing block",
      (page) => page.replace('id="saltus-block-0-bodies.position-0"', 'id="gone"'),
    ],
    [
      "a block with wrong letters",
      (page) => page.replace(/(id="saltus-block-0-bodies.position-0">)[A-Za-z0-9+/]{40}/, "$1****"),
    ],
    [
      "a block that is cut off",
      (page) =>
        page.replace(
          /(id="saltus-block-0-bodies.position-0">[A-Za-z0-9+/]{60})[A-Za-z0-9+/=]*/,
          "$1",
        ),
    ],
    ["times that end too early", (page) => page.replace(/"frames":\d+/, '"frames":77')],
  ];
  for (const [name, spoil] of cases) {
    it(`gives a sentence: ${name}`, async () => {
      const file = join(folder, `damaged_${name.replaceAll(" ", "_")}.html`);
      const text = good();
      const spoilt = spoil(text);
      assert.notEqual(spoilt, text, "the damage is done");
      writeFileSync(file, spoilt);
      const { page, state } = await openPage(file);
      assert.equal(state, "failed");
      const sentence = await page.$eval(".complaint p", (e) => e.textContent ?? "");
      assert.match(sentence, /^(The|This) .+[.]|a block .+/);
      await page.close();
    });
  }

  it("is refused by the program in a sentence", () => {
    const file = join(folder, "foreign.h5");
    writeFileSync(file, Buffer.from("\x89HDF\r\n\x1a\nnothing of ours", "latin1"));
    assert.throws(() => saltus("view", file), /not a saltus result|cannot open/);
  });
});

describe("size", () => {
  it("10 000 spheres in 400 frames load in less than 5 s and play without dropped state", async () => {
    const scene = [
      "saltus: 1",
      "name: Ten thousand",
      "bodies:",
      "  s_${i}_${j}_${k}:",
      "    repeat: {i: 25, j: 20, k: 20}",
      '    position: ["${i*0.3}", "${j*0.3}", "${1 + k*0.3}"]',
      '    velocity: ["${0.1*i}", "${0.1*j}", "${0.2*k}"]',
      '    angular_velocity: [0, 0, "${i + j}"]',
      "    shapes: [{sphere: {radius: 0.1}}]",
      "simulation: {integrator: moreau-jean, step: 0.0025, until: 0.9975}",
    ].join("\n");
    const result = runScene(scene);
    assert.equal(JSON.parse(saltus("info", result, "--json")).frames, 400);
    const file = viewPage([result]);
    const empty = await (await openBrowser()).newPage(); // Its process keeps the sum monotone.
    const before = await processorTime();
    const begin = Date.now();
    const { page, complaints } = await openPage(file, { width: 480, height: 300 });
    const wall = (Date.now() - begin) / 1000;
    const seconds = (await processorTime()) - before;
    await empty.close();
    const size = (readFileSync(file).length / 1e6).toFixed(1);
    console.log(
      `10 000 spheres × 400 frames: ${size} MB, ready after ${seconds.toFixed(2)} s of the processor (page and graphics), ${wall.toFixed(1)} s of the clock`,
    );
    assert.ok(seconds > 0.01 && seconds < 5, `${seconds} s`);
    for (const frame of [0, 137, 399, 12]) {
      await page.evaluate((k) => window.saltus.goToFrame(k), frame);
      const pose = await page.evaluate(() => window.saltus.pose(0, 9999));
      const time = 0.0025 * frame;
      // Body 9999 is i = 24, j = 19, k = 19: x moves with constant speed.
      assert.ok(
        Math.abs(pose!.position[0] - (7.2 + 2.4 * time)) < 1e-5,
        `frame ${frame}: ${pose!.position[0]}`,
      );
    }
    // They are seen: coloured pixels (744 when this was written) on grey ground.
    const canvas = await page.$("canvas.picture");
    const { data } = PNG.sync.read(Buffer.from(await canvas!.screenshot()));
    let coloured = 0;
    for (let i = 0; i < data.length; i += 4) {
      const channels = [data[i]!, data[i + 1]!, data[i + 2]!];
      if (Math.max(...channels) - Math.min(...channels) > 60) ++coloured;
    }
    assert.ok(coloured > 300, `${coloured} coloured pixels`);
    await page.evaluate(() => window.saltus.play(true));
    await page.waitForFunction(() => window.saltus.state().frame > 2, { timeout: 120000 });
    await page.evaluate(() => window.saltus.play(false));
    assert.deepEqual(complaints, []);
    await page.close();
  });
});

describe("--serve", () => {
  it("hands out the page and its data on the loopback, to its own address only", async () => {
    const result = runScene("bouncing_ball", "--until", "0.5");
    const server = spawn(program, ["view", result, "--serve"]);
    try {
      const address = await new Promise<string>((resolve, reject) => {
        server.stdout.on("data", (text) => resolve(String(text).split(" ")[0]!));
        server.on("exit", () => reject(new Error("the server ended")));
      });
      assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/$/);
      const { page, complaints, state } = await openPage(address);
      assert.equal(state, "ready");
      await page.evaluate(() => window.saltus.goTo(0.25));
      const { time } = await page.evaluate(() => window.saltus.state());
      assert.equal(time, 0.25);
      assert.deepEqual(complaints, []);
      await page.close();
      const { request } = await import("node:http");
      const port = new URL(address).port;
      const status = await new Promise<number>((resolve) =>
        request(
          { port, host: "127.0.0.1", path: "/header/0", headers: { Host: "evil.example" } },
          (r) => resolve(r.statusCode ?? 0),
        ).end(),
      );
      assert.equal(status, 403);
      const missing = await fetch(`${address}block/0/nothing/0`);
      assert.equal(missing.status, 404);
    } finally {
      server.kill();
    }
  });
});

describe("a scene", () => {
  it("is shown before any run", async () => {
    const { page, complaints } = await openPage(
      viewPage([join(sourceDir, "scenes", "brick_wall.yaml")]),
    );
    assert.equal(await page.evaluate(() => window.saltus.frames(0)), 1);
    assert.ok(await page.evaluate(() => window.saltus.pose(0, 0)));
    assert.deepEqual(complaints, []);
    await page.close();
  });
});
