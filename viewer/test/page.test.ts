// The page in a real browser: what is on screen is what is in the result, and the controls do what
// they say.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { closeBrowser, folder, type Opened, openPage } from "./browser";
import { probe, runScene, saltus, viewPage } from "./program";

after(closeBrowser);

describe("a result in the page", () => {
  let result: string;
  let opened: Opened;
  before(async () => {
    result = runScene("newtons_cradle");
    opened = await openPage(viewPage([result]));
  });
  const state = () => opened.page.evaluate(() => window.saltus.state());

  it("loads without a complaint and without any request", () => {
    assert.equal(opened.state, "ready");
    assert.deepEqual(opened.complaints, []);
  });

  it("draws every body where the result has it, at every tested frame", async () => {
    const bodies = JSON.parse(saltus("info", result, "--json")).bodies as string[];
    const frames = await opened.page.evaluate(() => window.saltus.frames(0));
    for (const [index, name] of bodies.entries()) {
      const parts = [
        "position.x",
        "position.y",
        "position.z",
        "orientation.w",
        "orientation.x",
        "orientation.y",
        "orientation.z",
      ];
      const rows = probe(result, ...parts.map((part) => `${name}.${part}`));
      assert.equal(rows.length, frames);
      for (const frame of [0, 1, Math.floor(frames / 3), frames - 2, frames - 1]) {
        await opened.page.evaluate((k) => window.saltus.goToFrame(k), frame);
        const drawn = await opened.page.evaluate((b) => window.saltus.pose(0, b), index);
        assert.ok(drawn);
        const [, x, y, z, w, ...v] = rows[frame]!;
        drawn.position.forEach((value, c) =>
          assert.ok(Math.abs(value - [x, y, z][c]!) < 1e-6, `${name}, frame ${frame}: ${value}`),
        );
        const recorded = [w!, ...v];
        const sign = Math.sign(recorded.reduce((sum, q, c) => sum + q * drawn.orientation[c]!, 0));
        drawn.orientation.forEach((value, c) =>
          assert.ok(Math.abs(sign * value - recorded[c]!) < 1e-6, `${name}, frame ${frame}`),
        );
      }
    }
  });

  it("goes to the middle between two frames in between", async () => {
    const times = probe(result, "time").map((row) => row[0]!);
    const middle = (times[10]! + times[11]!) / 2;
    const pose = async (time: number) => {
      await opened.page.evaluate((t) => window.saltus.goTo(t), time);
      return (await opened.page.evaluate(() => window.saltus.pose(0, 0)))!.position[0];
    };
    const [before, between, behind] = [
      await pose(times[10]!),
      await pose(middle),
      await pose(times[11]!),
    ];
    assert.ok(Math.abs(between - (before + behind) / 2) < 1e-6);
    assert.notEqual(before, behind);
  });

  it("steps, jumps and plays by the keyboard", async () => {
    await opened.page.keyboard.press("Home");
    await opened.page.keyboard.press("ArrowRight");
    await opened.page.keyboard.press("ArrowRight");
    await opened.page.waitForFunction(() => window.saltus.state().frame === 2);
    await opened.page.keyboard.press("ArrowLeft");
    await opened.page.waitForFunction(() => window.saltus.state().frame === 1);
    await opened.page.keyboard.press("End");
    await opened.page.waitForFunction(
      () => window.saltus.state().frame === window.saltus.frames(0) - 1,
    );
    await opened.page.keyboard.press("Home");
    await opened.page.keyboard.press(" ");
    await opened.page.waitForFunction(() => window.saltus.state().time > 0);
    await opened.page.keyboard.press(" ");
    assert.equal((await state()).playing, false);
  });

  it("marks the impacts that the result has, and goes to them", async () => {
    const rows = probe(
      result,
      ...JSON.parse(saltus("info", result, "--json")).contacts.map(
        (name: string) => `contact.${name}.impulse.n`,
      ),
    );
    const first = rows.find((row) => row.slice(1).some((value) => value > 0));
    assert.ok(first, "the cradle has impacts");
    await opened.page.keyboard.press("Home");
    await opened.page.keyboard.press("e");
    const now = await state();
    assert.ok(now.events > 0);
    assert.ok(Math.abs(now.time - first[0]!) < 1e-9, `${now.time} and ${first[0]}`);
    await opened.page.waitForFunction(() => window.saltus.state().arrows[2] > 0);
  });

  it("selects a body by a click in the picture and by its name", async () => {
    const box = await (await opened.page.$("canvas.picture"))!.boundingBox();
    await opened.page.keyboard.press("Home");
    await opened.page.keyboard.press("Escape");
    let found = "";
    for (let x = 0.2; x < 0.8 && !found; x += 0.02) {
      for (let y = 0.3; y < 0.9 && !found; y += 0.1) {
        await opened.page.mouse.click(box!.x + x * box!.width, box!.y + y * box!.height);
        found = (await state()).selection;
      }
    }
    assert.notEqual(found, "");
    const chosen = await opened.page.$eval(".row.selected span", (e) => e.textContent);
    assert.equal(chosen, found);
    await opened.page.evaluate(() =>
      ([...document.querySelectorAll(".row.item")][1] as HTMLElement).click(),
    );
    const second = await opened.page.evaluate(
      () => [...document.querySelectorAll(".row.item span")][1]!.textContent,
    );
    assert.equal((await state()).selection, second);
    assert.equal(await opened.page.$eval(".values .chosen", (e) => e.textContent), second);
  });

  it("draws the path of the selection, hides it and follows it", async () => {
    await opened.page.keyboard.press("n");
    await opened.page.waitForFunction(() => window.saltus.state().traces === 1);
    await opened.page.keyboard.press("h");
    await opened.page.waitForSelector(".row.hidden-item");
    await opened.page.keyboard.press("h");
    await opened.page.waitForFunction(() => document.querySelector(".row.hidden-item") === null);
    await opened.page.keyboard.press("o");
    await opened.page.keyboard.press("o");
  });

  it("plots channels with a cursor at the time, and goes to a time by a click", async () => {
    assert.deepEqual((await state()).plots, ["energy.total", "energy.kinetic"]);
    const end = (await state()).end;
    await opened.page.evaluate((t) => window.saltus.goTo(t), end / 4);
    const quarter = await opened.page.evaluate(() => window.saltus.cursor("energy.total"));
    await opened.page.evaluate((t) => window.saltus.goTo(t), end / 2);
    const half = await opened.page.evaluate(() => window.saltus.cursor("energy.total"));
    assert.ok(half! > quarter! && quarter! > 0);
    const area = (await opened.page.$(".u-over"))!;
    await area.scrollIntoView();
    const over = await area.boundingBox();
    await opened.page.mouse.click(over!.x + over!.width * 0.75, over!.y + over!.height / 2);
    const time = (await state()).time;
    assert.ok(Math.abs(time - 0.75 * end) < 0.05 * end, `${time} of ${end}`);
  });

  it("goes to a time by the timeline", async () => {
    const bar = await (await opened.page.$(".timeline canvas"))!.boundingBox();
    await opened.page.mouse.move(bar!.x + bar!.width * 0.31, bar!.y + bar!.height - 5);
    await opened.page.mouse.down();
    await opened.page.mouse.move(bar!.x + bar!.width * 0.4, bar!.y + bar!.height - 5);
    await opened.page.mouse.up();
    const { time, end } = await state();
    assert.ok(Math.abs(time - 0.4 * end) < 0.01 * end, `${time} of ${end}`);
  });

  it("shows the audit of the result", async () => {
    const info = JSON.parse(saltus("info", result, "--json"));
    const rows = await opened.page.$$eval(".audit tr", (trs) =>
      trs.map((tr) => [...tr.children].map((td) => td.textContent ?? "")),
    );
    const closure = rows.find((row) => row[1] === "max_penetration");
    assert.ok(closure);
    assert.ok(
      Math.abs(Number(closure[2]) - info.max_penetration) <=
        1e-3 * Math.abs(info.max_penetration) + 1e-300,
    );
    assert.equal(await opened.page.$$eval(".verdict", (list) => list.length), 1);
  });

  it("has two themes, a section, and every camera", async () => {
    const first = (await state()).theme;
    await opened.page.keyboard.press("d");
    assert.notEqual((await state()).theme, first);
    await opened.page.select(".toolbar select[aria-label='section plane']", "right");
    for (const key of ["2", "3", "4", "5", "6", "7", "1", "x", "k", "v", "f"] as const)
      await opened.page.keyboard.press(key);
    await opened.page.select(".toolbar select[aria-label='section plane']", "no section");
    assert.deepEqual(opened.complaints, []);
  });

  it("makes a film", async () => {
    await opened.page.evaluate(() => window.saltus.play(true));
    const bytes = await opened.page.evaluate(() => window.saltus.record(1500));
    await opened.page.evaluate(() => window.saltus.play(false));
    assert.ok(bytes > 1000, `${bytes} bytes`);
  });
});

describe("several results", () => {
  it("stand side by side with one clock", async () => {
    const coarse = runScene("pendulum", "--until", "1");
    const scene = readFileSync(coarse); // Another file of the same run.
    const other = join(folder, "other.h5");
    writeFileSync(other, scene);
    const { page, complaints } = await openPage(viewPage([coarse, other]));
    await page.evaluate(() => window.saltus.goTo(0.5));
    const poses = await page.evaluate(() => [window.saltus.pose(0, 0), window.saltus.pose(1, 0)]);
    assert.deepEqual(poses[0], poses[1]);
    assert.equal(await page.$$eval(".label", (list) => list.length), 2);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  it("are shown one at a time in tabs", async () => {
    const files = [
      runScene("pendulum", "--until", "0.2"),
      runScene("bouncing_ball", "--until", "0.3"),
    ];
    const { page, complaints } = await openPage(viewPage(files, "--tabs"));
    const tabs = await page.$$("button.tab");
    assert.equal(tabs.length, 2);
    await tabs[1]!.click();
    await page.waitForFunction(() => Math.abs(window.saltus.state().end - 0.3) < 1e-6);
    assert.deepEqual(complaints, []);
    await page.close();
  });
});
