// Packed blocks: made here from the equations of saltus/output/packed_block.h, read by the viewer.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deflateSync } from "node:zlib";
import { unpack, valueAt } from "../src/data/block";
import { parseHeader } from "../src/data/header";

function pack(
  kind: number,
  rows: number,
  columns: number,
  step: number,
  words: number[],
  width: 4 | 8 = 4,
): Uint8Array<ArrayBuffer> {
  const plain = Buffer.alloc(words.length * width);
  words.forEach((word, i) =>
    width === 8
      ? plain.writeDoubleLE(word, 8 * i)
      : kind === 1
        ? plain.writeFloatLE(word, 4 * i)
        : plain.writeUInt32LE(word >>> 0, 4 * i),
  );
  const planes = Buffer.alloc(plain.length);
  for (let p = 0; p < width; ++p)
    for (let i = 0; i < words.length; ++i) planes[p * words.length + i] = plain[i * width + p]!;
  const head = Buffer.alloc(24);
  [kind, rows, columns, 0].forEach((word, i) => head.writeUInt32LE(word, 4 * i));
  head.writeDoubleLE(step, 16);
  return new Uint8Array(Buffer.concat([head, deflateSync(planes)]));
}

function quantise(values: number[][], step: number): number[] {
  const words: number[] = [];
  for (let c = 0; c < values[0]!.length; ++c) {
    const n = values.map((row) => (Number.isNaN(row[c]) ? -(2 ** 31) : Math.round(row[c]! / step)));
    n.forEach((value, k) => {
      const d = (k === 0 ? value : k === 1 ? value - n[0]! : value - 2 * n[k - 1]! + n[k - 2]!) | 0;
      words.push((d << 1) ^ (d >> 31));
    });
  }
  return words;
}

describe("blocks", () => {
  it("give quantised numbers back to half a step, and NaN as NaN", async () => {
    const values = Array.from({ length: 50 }, (_, k) => [
      Math.sin(0.1 * k),
      -3 + 0.5 * k * k,
      k === 7 ? NaN : 1e3 * Math.cos(k),
    ]);
    const table = await unpack(pack(0, 50, 3, 1e-4, quantise(values, 1e-4)));
    values.forEach((row, k) =>
      row.forEach((value, c) => {
        if (Number.isNaN(value)) assert.ok(Number.isNaN(valueAt(table, k, c)));
        else assert.ok(Math.abs(valueAt(table, k, c) - value) <= 0.5001e-4, `${k} ${c}`);
      }),
    );
  });
  it("give single and exact numbers back", async () => {
    const single = await unpack(pack(1, 2, 2, 0, [1.5, 2.5, -3, 4])); // column after column
    assert.deepEqual(
      [valueAt(single, 0, 0), valueAt(single, 1, 0), valueAt(single, 0, 1), valueAt(single, 1, 1)],
      [1.5, 2.5, -3, 4],
    );
    const exact = await unpack(pack(2, 3, 1, 0, [0.1, 0.2, Math.PI], 8));
    assert.equal(valueAt(exact, 2, 0), Math.PI);
  });
  it("are refused if they are damaged", async () => {
    const block = pack(1, 2, 2, 0, [1, 2, 3, 4]);
    await assert.rejects(unpack(block.slice(0, 10)), /shorter/);
    await assert.rejects(unpack(block.slice(0, 30)), /decompressed|damaged/);
    block[4] = 9; // rows
    await assert.rejects(unpack(block), /damaged/);
  });
});

describe("headers", () => {
  const good = {
    format: "saltus view",
    version: 1,
    bodies: [],
    streams: [],
    run: [],
    frames: 1,
    chunk_frames: 1,
  };
  it("are read", () => assert.equal(parseHeader(JSON.stringify(good)).frames, 1));
  it("are refused with a sentence", () => {
    for (const bad of [
      "",
      "[",
      "null",
      "{}",
      JSON.stringify({ ...good, version: 2 }),
      JSON.stringify({ ...good, bodies: 3 }),
      JSON.stringify({ ...good, frames: "x" }),
    ]) {
      assert.throws(() => parseHeader(bad), /[.]$/);
    }
  });
});
