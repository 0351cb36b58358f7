// A result: times, frames in chunks that are read when they are needed, channels by name.

import { type Table, unpack, valueAt } from "./block";
import { type Header, parseHeader, type StreamData } from "./header";
import type { Source } from "./source";

export interface ContactPoint {
  name: number;
  kind: number; // 0 contact of bodies, 1 limit of a joint, 2 dry friction of a joint
  point: [number, number, number];
  normal: [number, number, number];
  force: [number, number, number]; // world axes, N
  impulse: [number, number, number]; // world axes, N s
  gap: number;
  friction: number;
  adhesion: number;
}

/** Place of an instant: between frame k and k + 1, at the fraction s of the way. */
export interface Instant {
  time: number;
  frame: number;
  fraction: number;
}

export interface Channel {
  name: string;
  unit: string;
  stream: string;
  column: number;
  contact?: number; // index of the name, for channels of contacts
}

const cacheBytes = 600e6;
const displayStreams = ["bodies.position", "bodies.orientation", "contact_count", "contacts"];

export class Result {
  times = new Float64Array(0);
  private cache = new Map<string, Promise<Table>>(); // the least recently used first
  private loaded = new Map<string, Table>();
  private bytes = 0;
  private channelList: Channel[] | undefined;

  private constructor(
    readonly source: Source,
    public header: Header,
  ) {}

  static async open(source: Source): Promise<Result> {
    const result = new Result(source, parseHeader(await source.header()));
    await result.readTimes(0);
    await result.load(0);
    return result;
  }

  get numChunks(): number {
    return Math.ceil(this.header.frames / this.header.chunk_frames);
  }
  get begin(): number {
    return this.times[0] ?? 0;
  }
  get end(): number {
    return this.times[this.times.length - 1] ?? 0;
  }
  hasStream(name: string): boolean {
    return this.header.streams.some((stream) => stream.name === name);
  }

  /** Reads the header again; true if there are more frames than before. */
  async refresh(): Promise<boolean> {
    const before = this.header.frames;
    const header = parseHeader(await this.source.header());
    if (header.frames === before && header.growing === this.header.growing) return false;
    const last = Math.floor(before / header.chunk_frames);
    for (const key of [...this.cache.keys()]) {
      if (Number(key.split("|")[1]) >= last) this.forget(key);
    }
    this.header = header;
    await this.readTimes(last);
    return true;
  }

  private async readTimes(firstChunk: number): Promise<void> {
    const times = new Float64Array(this.header.frames);
    times.set(
      this.times.subarray(0, Math.min(times.length, firstChunk * this.header.chunk_frames)),
    );
    for (let chunk = firstChunk; chunk < this.numChunks; ++chunk) {
      const table = await this.table("time", chunk);
      if (
        table.rows !==
        Math.min(this.header.chunk_frames, times.length - chunk * this.header.chunk_frames)
      ) {
        throw new Error("The data is damaged: the times and the number of frames do not agree.");
      }
      times.set(table.values as Float64Array, chunk * this.header.chunk_frames);
    }
    this.times = times;
  }

  private forget(key: string): void {
    const table = this.loaded.get(key);
    if (table) this.bytes -= table.values.byteLength;
    this.loaded.delete(key);
    this.cache.delete(key);
  }

  table(stream: string, chunk: number): Promise<Table> {
    const key = `${stream}|${chunk}`;
    const known = this.cache.get(key);
    if (known) {
      this.cache.delete(key); // To the end: it was used last.
      this.cache.set(key, known);
      return known;
    }
    const promise = this.source
      .block(stream, chunk)
      .then(unpack)
      .then((table) => {
        this.loaded.set(key, table);
        this.bytes += table.values.byteLength;
        for (const oldest of [...this.cache.keys()]) {
          if (this.bytes <= cacheBytes) break;
          if (oldest !== key && this.loaded.has(oldest)) this.forget(oldest);
        }
        return table;
      });
    promise.catch(() => this.cache.delete(key));
    this.cache.set(key, promise);
    return promise;
  }

  /** Everything that drawing a chunk needs. */
  async load(chunk: number): Promise<void> {
    if (chunk < 0 || chunk >= this.numChunks) return;
    await Promise.all(
      displayStreams.filter((s) => this.hasStream(s)).map((s) => this.table(s, chunk)),
    );
  }

  /** The loaded table of a frame and its row in it. */
  private find(stream: string, frame: number): { table: Table; row: number } | undefined {
    const chunk = Math.floor(frame / this.header.chunk_frames);
    const table = this.loaded.get(`${stream}|${chunk}`);
    return table && { table, row: frame - chunk * this.header.chunk_frames };
  }

  isLoaded(frame: number): boolean {
    const chunk = Math.floor(frame / this.header.chunk_frames);
    return displayStreams.every((s) => !this.hasStream(s) || this.loaded.has(`${s}|${chunk}`));
  }

  /** Of several frames at one instant the last one counts. */
  locate(time: number): Instant {
    const last = this.times.length - 1;
    if (last <= 0 || time >= this.end)
      return { time: Math.min(time, this.end), frame: Math.max(last, 0), fraction: 0 };
    if (time <= this.begin) time = this.begin;
    let low = 0;
    let high = last;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.times[middle]! <= time) low = middle;
      else high = middle;
    }
    const span = this.times[high]! - this.times[low]!;
    return { time, frame: low, fraction: span > 0 ? (time - this.times[low]!) / span : 0 };
  }

  /** Row of a stream of bodies at a frame, body after body; undefined while it is not loaded. */
  readRow(stream: string, frame: number, out: Float64Array): boolean {
    const place = this.find(stream, frame);
    if (!place) return false;
    const { table, row } = place;
    const first = row * table.columns;
    for (let c = 0; c < table.columns; ++c) out[c] = table.values[first + c]! * table.step;
    return true;
  }

  /** Contact points of the step that ended at a frame. */
  contactsAt(frame: number): ContactPoint[] {
    const counts = this.find("contact_count", frame);
    const place = this.find("contacts", frame);
    if (!counts || !place) return [];
    let first = 0;
    for (let k = 0; k < counts.row; ++k) first += counts.table.values[k]!;
    const count = counts.table.values[counts.row]!;
    const at = (i: number, c: number) => valueAt(place.table, i, c);
    const vector = (i: number, c: number): [number, number, number] => [
      at(i, c),
      at(i, c + 1),
      at(i, c + 2),
    ];
    return Array.from({ length: count }, (_, k) => {
      const i = first + k;
      return {
        name: at(i, 0),
        kind: at(i, 1),
        point: vector(i, 2),
        normal: vector(i, 5),
        force: vector(i, 8),
        impulse: vector(i, 11),
        gap: at(i, 14),
        friction: at(i, 15),
        adhesion: at(i, 16),
      };
    });
  }

  // --- Channels ----------------------------------------------------------------------------------

  private itemNames(stream: StreamData): string[] {
    const header = this.header;
    switch (stream.owner) {
      case "body":
        return header.bodies.map((body) => body.name);
      case "joint":
        return (header.joints ?? []).map((joint) => joint.name);
      case "coordinate":
        return header.coordinates ?? [];
      case "constraint":
        return header.constraints ?? [];
      default:
        return [];
    }
  }

  channels(): Channel[] {
    if (this.channelList) return this.channelList;
    const list: Channel[] = this.header.run.map((entry, column) => ({
      name: entry.name,
      unit: entry.unit,
      stream: "run",
      column,
    }));
    for (const stream of this.header.streams) {
      if (!stream.owner) continue;
      const parts = stream.components?.length ? stream.components : [""];
      this.itemNames(stream).forEach((item, index) => {
        const joint = stream.owner === "joint" ? this.header.joints?.[index] : undefined;
        const quantity = stream.quantity || joint?.coordinate;
        if (!quantity) return;
        parts.forEach((part, component) =>
          list.push({
            name: [item, quantity, part].filter((word) => word !== "").join("."),
            unit: stream.unit || (joint?.coordinate === "angle" ? "rad" : "m"),
            stream: stream.name,
            column: index * parts.length + component,
          }),
        );
      });
    }
    if (this.hasStream("contacts")) {
      (this.header.contacts ?? []).forEach((name, contact) => {
        list.push({
          name: `contact.${name}.gap`,
          unit: "m",
          stream: "contacts",
          column: 14,
          contact,
        });
        list.push({
          name: `contact.${name}.force.n`,
          unit: "N",
          stream: "contacts",
          column: 8,
          contact,
        });
        list.push({
          name: `contact.${name}.force.t`,
          unit: "N",
          stream: "contacts",
          column: 9,
          contact,
        });
        list.push({
          name: `contact.${name}.impulse.n`,
          unit: "N s",
          stream: "contacts",
          column: 11,
          contact,
        });
      });
    }
    this.channelList = list;
    return list;
  }

  /** The channel at every frame. */
  async readChannel(channel: Channel): Promise<Float64Array> {
    const out = new Float64Array(this.header.frames);
    for (let chunk = 0; chunk < this.numChunks; ++chunk) {
      const first = chunk * this.header.chunk_frames;
      if (channel.contact !== undefined) {
        await this.load(chunk);
        const end = Math.min(first + this.header.chunk_frames, this.header.frames);
        for (let k = first; k < end; ++k) out[k] = this.sumContact(k, channel);
        continue;
      }
      const table = await this.table(channel.stream, chunk);
      for (let k = 0; k < table.rows; ++k) out[first + k] = valueAt(table, k, channel.column);
    }
    return out;
  }

  /** Points of one contact are put together: the smallest gap (NaN if open), the sum of forces. */
  private sumContact(frame: number, channel: Channel): number {
    const dot = (a: number[], b: number[]) => a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]!;
    let gap = NaN;
    let sum = 0;
    for (const contact of this.contactsAt(frame)) {
      if (contact.name !== channel.contact) continue;
      const normal = dot(contact.force, contact.normal);
      if (channel.column === 14) gap = Number.isNaN(gap) ? contact.gap : Math.min(gap, contact.gap);
      if (channel.column === 8) sum += normal;
      if (channel.column === 9)
        sum += Math.sqrt(Math.max(0, dot(contact.force, contact.force) - normal * normal));
      if (channel.column === 11) sum += dot(contact.impulse, contact.normal);
    }
    return channel.column === 14 ? gap : sum;
  }
}
