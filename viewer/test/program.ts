// The program under test, and result files made with it.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder } from "./browser";

export const program = process.env["SALTUS"] ?? "saltus";
export const sourceDir = process.env["SALTUS_SOURCE"] ?? "..";

export function saltus(...args: string[]): string {
  return execFileSync(program, args, {
    encoding: "utf8",
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Runs a scene of the repository (by name) or a text, and returns the result file. */
export function runScene(scene: string, ...args: string[]): string {
  const text = scene.includes("\n");
  const name = text ? `scene_${Math.random().toString(36).slice(2)}` : scene;
  const file = text ? join(folder, `${name}.yaml`) : join(sourceDir, "scenes", `${scene}.yaml`);
  if (text) writeFileSync(file, scene);
  const result = join(folder, `${name}.h5`);
  saltus("run", file, "--quiet", "-o", result, ...args);
  return result;
}

/** The page of results or scenes. */
export function viewPage(files: string[], ...args: string[]): string {
  const output = join(folder, `page_${Math.random().toString(36).slice(2)}.html`);
  saltus("view", ...files, "-o", output, ...args);
  return output;
}

/** Columns of numbers by 'saltus probe': time first, then the channels. */
export function probe(result: string, ...channels: string[]): number[][] {
  const lines = saltus("probe", result, ...channels, "--csv")
    .trim()
    .split("\n")
    .slice(1);
  return lines.map((line) => line.split(",").map(Number));
}
