// Bundles the viewer into one HTML file: script and style inside, admitted by their hashes, and a
// mark where 'saltus view' puts the data.   usage: node build.mjs OUTPUT.html

import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const output = process.argv[2];
if (!output) {
  console.error("usage: node build.mjs OUTPUT.html");
  process.exit(2);
}

const here = dirname(fileURLToPath(import.meta.url));
const result = await build({
  entryPoints: [`${here}/src/main.ts`],
  bundle: true,
  minify: true,
  write: false,
  outdir: "out",
  format: "iife",
  target: "es2022",
  legalComments: "none",
  charset: "utf8",
});
const text = (suffix) => result.outputFiles.find((file) => file.path.endsWith(suffix)).text;
// Inside a page these two would end the element.
const script = text(".js").replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const style = text(".css").replaceAll("</style", "<\\/style");
const hash = (source) => `'sha256-${createHash("sha256").update(source).digest("base64")}'`;

const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "style-src-attr 'unsafe-inline'",
  "img-src data: blob:",
  "media-src blob:",
  "connect-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const licence = `This page contains three.js (MIT, Copyright 2010 three.js authors) and uPlot (MIT, Copyright 2022 Leon Sorokin).`;
const page = `<!DOCTYPE html>
<!-- Saltus viewer, Apache-2.0. ${licence} -->
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>Saltus</title>
<style>${style}</style>
</head>
<body>
<noscript>This page needs JavaScript to draw the motion.</noscript>
<!--saltus-data-->
<script>${script}</script>
</body>
</html>
`;
mkdirSync(dirname(output), { recursive: true });
writeFileSync(output, page);
console.log(`${output}  ${Math.round(page.length / 1000)} kB`);
