// The header of a result, as saltus/output/view_source.cc writes it. SI units, radians.

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number]; // w, x, y, z

export interface ShapeData {
  body: number; // −1: the ground
  type: string;
  p: Vec3;
  q: Quat;
  radius?: number;
  half_length?: number;
  half?: Vec3;
  normal?: Vec3;
  offset?: number;
  mesh?: number;
}

export interface JointData {
  name: string;
  type: string;
  a: number;
  b: number;
  pa: Vec3;
  pb: Vec3;
  qa: Quat;
  qb: Quat;
  coordinate: string;
}

export interface ElementData {
  kind: string; // spring, damper, bushing, torsion
  name: string;
  a: number;
  b: number;
  pa: Vec3;
  pb: Vec3;
}

export interface SurfaceData {
  name: string;
  point_body: number;
  at: Vec3;
  body: number;
  normal?: Vec3; // a plane …
  offset?: number;
  up?: Vec3; // … or a line extruded along `up`
  line?: number[];
}

export interface EventData {
  frame: number;
  time: number;
  kind: string; // impact, slip, stick, user, failure
  subject: string;
  value: number;
  count: number;
}

export interface AuditData {
  key: string;
  value: number | null;
  unit: string;
  meaning: string;
}

export interface StreamData {
  name: string;
  owner?: string;
  quantity?: string;
  components?: string[];
  unit?: string;
}

export interface Header {
  format: string;
  version: number;
  title: string;
  file: string;
  frames: number;
  chunk_frames: number;
  growing: boolean;
  precision: { position: number; orientation: number };
  low?: Vec3;
  high?: Vec3;
  typical_force: number;
  typical_impulse: number;
  run: { name: string; unit: string; meaning: string }[];
  streams: StreamData[];
  bodies: { name: string; mass?: number }[];
  outcome?: string;
  saltus_version?: string;
  scene?: string;
  verdict?: string; // "good" or "look at: …"; empty while the run goes on
  audit?: AuditData[];
  contacts?: string[];
  coordinates?: string[];
  constraints?: string[];
  events?: EventData[];
  events_total?: number;
  gravity?: Vec3;
  plane_normal?: Vec3 | null;
  shapes?: ShapeData[];
  meshes?: { vertices: number[]; triangles: number[] }[];
  joints?: JointData[];
  elements?: ElementData[];
  surfaces?: SurfaceData[];
}

const supported = 1;

/** The header in a text, or an Error that says in one sentence why it is none. */
export function parseHeader(text: string): Header {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error("The description of the result is damaged: it is not JSON.");
  }
  const header = value as Partial<Header> | null;
  if (typeof header !== "object" || header === null || header.format !== "saltus view") {
    throw new Error("This page holds data of another program, not a Saltus result.");
  }
  if (header.version !== supported) {
    throw new Error(
      `The data has version ${String(header.version)}; this viewer reads ${supported}.`,
    );
  }
  const lists: (keyof Header)[] = ["bodies", "streams", "run"];
  for (const key of lists) {
    if (!Array.isArray(header[key])) {
      throw new Error(`The description of the result is damaged: '${key}' is missing.`);
    }
  }
  const { frames, chunk_frames } = header;
  if (!Number.isInteger(frames) || !Number.isInteger(chunk_frames) || (chunk_frames ?? 0) < 1) {
    throw new Error("The description of the result is damaged: it has no number of frames.");
  }
  return header as Header;
}
