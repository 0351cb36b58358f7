// Bundles a test file and runs it in Node.   usage: node test/run.mjs [--OPTION…] NAME…   (block, page, …)

import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = mkdtempSync(join(here, "..", "node_modules", ".tests-")); // So that packages are found.
const words = process.argv.slice(2);
const names = words.filter((word) => !word.startsWith("--")); // The others are for Node.
const options = words.filter((word) => word.startsWith("--"));
await build({
  entryPoints: names.map((name) => join(here, `${name}.test.ts`)),
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
  outdir: out,
  outExtension: { ".js": ".mjs" },
  sourcemap: "inline",
});
const run = spawnSync(
  process.execPath,
  [
    "--enable-source-maps",
    "--test",
    ...options,
    ...names.map((name) => join(out, `${name}.test.mjs`)),
  ],
  { stdio: "inherit" },
);
const { rmSync } = await import("node:fs");
rmSync(out, { recursive: true, force: true });
process.exit(run.status ?? 1);
