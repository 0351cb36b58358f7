// Blocks of numbers, the inverse of saltus/output/packed_block.h (the equations are there).

export interface Table {
  rows: number;
  columns: number;
  /** Row after row. */
  values: Int32Array | Float32Array | Float64Array;
  /** What the values are to be multiplied with; 1 unless quantised. */
  step: number;
}

const headerBytes = 24;
const notFinite = -2147483648;

export function valueAt(table: Table, row: number, column: number): number {
  const n = table.values[row * table.columns + column] ?? NaN;
  return n === notFinite && table.values instanceof Int32Array ? NaN : n * table.step;
}

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** n(k, c) from zigzag second differences, column after column, into rows. */
function integrate(planes: Uint8Array, rows: number, columns: number): Int32Array {
  const count = rows * columns;
  const out = new Int32Array(count);
  for (let c = 0, i = 0; c < columns; ++c) {
    let last = 0;
    let lastDifference = 0;
    for (let k = 0; k < rows; ++k, ++i) {
      const u =
        planes[i]! |
        (planes[count + i]! << 8) |
        (planes[2 * count + i]! << 16) |
        (planes[3 * count + i]! << 24);
      const d = (u >>> 1) ^ -(u & 1);
      if (k === 0) {
        last = d;
      } else {
        lastDifference = k === 1 ? d : (lastDifference + d) | 0;
        last = (last + lastDifference) | 0;
      }
      out[k * columns + c] = last;
    }
  }
  return out;
}

/** Bytes of equal weight stand together; words come column after column. */
function unshuffle(planes: Uint8Array, rows: number, columns: number, width: number): ArrayBuffer {
  const count = rows * columns;
  const bytes = new Uint8Array(count * width);
  for (let plane = 0; plane < width; ++plane) {
    for (let c = 0, i = plane * count; c < columns; ++c) {
      for (let k = 0; k < rows; ++k, ++i) bytes[(k * columns + c) * width + plane] = planes[i]!;
    }
  }
  return bytes.buffer;
}

export async function unpack(block: Uint8Array<ArrayBuffer>): Promise<Table> {
  if (block.length < headerBytes) throw new Error("a block is shorter than its header");
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  const [kind, rows, columns] = [0, 4, 8].map((at) => view.getUint32(at, true)) as [
    number,
    number,
    number,
  ];
  const width = kind === 2 ? 8 : 4;
  let planes: Uint8Array;
  try {
    planes = await inflate(block.subarray(headerBytes));
  } catch {
    throw new Error("a block cannot be decompressed");
  }
  if (kind > 2 || planes.length !== rows * columns * width) throw new Error("a block is damaged");
  if (kind === 0) {
    return {
      rows,
      columns,
      values: integrate(planes, rows, columns),
      step: view.getFloat64(16, true),
    };
  }
  const buffer = unshuffle(planes, rows, columns, width);
  const values = kind === 1 ? new Float32Array(buffer) : new Float64Array(buffer);
  return { rows, columns, values, step: 1 };
}

export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
