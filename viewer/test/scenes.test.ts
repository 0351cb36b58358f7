// Every ready scene's result loads and plays without a complaint, and looks as it did when somebody
// last looked at it.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { PNG } from "pngjs";
import { closeBrowser, openPage } from "./browser";
import { runScene, sourceDir, viewPage } from "./program";

after(closeBrowser);

const results = process.env["SALTUS_RESULTS"] ?? "";

describe("ready scenes", () => {
  const names = readdirSync(join(sourceDir, "scenes"))
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => file.slice(0, -5));
  for (const name of names) {
    it(name, async () => {
      const { page, complaints, state } = await openPage(
        viewPage([join(results, `${name}.h5`)], "--precision", "1e-5"),
        { width: 640, height: 400 },
      );
      assert.equal(state, "ready");
      const end = await page.evaluate(() => window.saltus.state().end);
      for (const time of [end / 2, end]) await page.evaluate((t) => window.saltus.goTo(t), time);
      const pose = await page.evaluate(() => window.saltus.pose(0, 0));
      assert.ok(pose?.position.every(Number.isFinite));
      assert.deepEqual(complaints, []);
      await page.close();
    });
  }
});

// Pictures stored beside this test. A difference of a pixel is one of more than 24 of 255 in a
// channel; graphics of different versions differ at edges, which are below one pixel in fifty.
const pictures: { name: string; time: number; camera: string }[] = [
  { name: "bouncing_ball", time: 0.3, camera: "iso" },
  { name: "four_bar_3d", time: 0.2, camera: "iso" },
  { name: "brick_wall", time: 0, camera: "iso" },
];
const largestShare = 0.02;

function differentShare(a: PNG, b: PNG): number {
  if (a.width !== b.width || a.height !== b.height) return 1;
  let count = 0;
  for (let i = 0; i < a.data.length; i += 4) {
    if ([0, 1, 2].some((c) => Math.abs(a.data[i + c]! - b.data[i + c]!) > 24)) ++count;
  }
  return (4 * count) / a.data.length;
}

describe("pictures", () => {
  for (const { name, time, camera } of pictures) {
    it(`${name} looks as stored`, async () => {
      const file =
        time > 0
          ? runScene(name, "--until", String(time + 0.1))
          : join(sourceDir, "scenes", `${name}.yaml`);
      const { page } = await openPage(viewPage([file]), { width: 1000, height: 560 });
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
      await page.evaluate((c) => window.saltus.camera(c as "iso"), camera);
      await page.evaluate((t) => window.saltus.goTo(t), time);
      const canvas = await page.$("canvas.picture");
      const taken = Buffer.from(await canvas!.screenshot());
      await page.close();
      const folder = join(sourceDir, "viewer", "test", "pictures");
      const stored = join(folder, `${name}.png`);
      if (process.env["UPDATE_PICTURES"]) {
        mkdirSync(folder, { recursive: true });
        writeFileSync(stored, taken);
      }
      assert.ok(existsSync(stored), `${stored} is missing; UPDATE_PICTURES=1 makes it`);
      const share = differentShare(PNG.sync.read(taken), PNG.sync.read(readFileSync(stored)));
      assert.ok(share < largestShare, `${(100 * share).toFixed(2)} % of the pixels differ`);
    });
  }

  it("of two scenes differ from each other by more than the tolerance", () => {
    const read = (name: string) =>
      PNG.sync.read(readFileSync(join(sourceDir, "viewer", "test", "pictures", `${name}.png`)));
    assert.ok(differentShare(read("bouncing_ball"), read("brick_wall")) > 2 * largestShare);
  });
});
