// Paths of points of bodies over the whole run.

import * as THREE from "three";
import { valueAt } from "../data/block";
import type { Vec3 } from "../data/header";
import type { Instant, Result } from "../data/result";
import type { Bodies } from "./bodies";
import { bodyColour } from "./palette";

interface Trace {
  body: number;
  point: Vec3; // in the body frame
  line: THREE.Line;
  dot: THREE.Mesh;
}

const largest = 20000; // points of one path: longer runs are thinned out

export class Traces {
  readonly group = new THREE.Group();
  private list: Trace[] = [];

  constructor(private readonly result: Result) {}

  has(body: number): boolean {
    return this.list.some((trace) => trace.body === body);
  }

  remove(body: number): void {
    for (const trace of this.list.filter((entry) => entry.body === body)) {
      this.group.remove(trace.line, trace.dot);
      trace.line.geometry.dispose();
    }
    this.list = this.list.filter((entry) => entry.body !== body);
  }

  /** Adds the path of a point; resolves when it is complete. */
  async add(body: number, point: Vec3, size: number): Promise<void> {
    const every = Math.max(1, Math.ceil(this.result.header.frames / largest));
    const points: number[] = [];
    const local = new THREE.Vector3(...point);
    const { chunk_frames: length, frames } = this.result.header;
    for (let chunk = 0; chunk < this.result.numChunks; ++chunk) {
      const p = await this.result.table("bodies.position", chunk);
      const q = await this.result.table("bodies.orientation", chunk);
      for (let k = 0; k < p.rows; ++k) {
        const frame = chunk * length + k;
        if (frame % every !== 0 && frame !== frames - 1) continue;
        const at = (i: number) => valueAt(q, k, 4 * body + i);
        const place = local
          .clone()
          .applyQuaternion(new THREE.Quaternion(at(1), at(2), at(3), at(0)));
        for (let c = 0; c < 3; ++c)
          points.push(place.getComponent(c) + valueAt(p, k, 3 * body + c));
      }
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
    const colour = bodyColour(body);
    const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: colour }));
    line.frustumCulled = false;
    const dot = new THREE.Mesh(
      new THREE.SphereGeometry(0.007 * size, 16, 12),
      new THREE.MeshBasicMaterial({ color: colour }),
    );
    this.list.push({ body, point, line, dot });
    this.group.add(line, dot);
  }

  setTime(_instant: Instant, bodies: Bodies): void {
    for (const trace of this.list) bodies.toWorld(trace.body, trace.point, trace.dot.position);
  }

  get count(): number {
    return this.list.length;
  }
}
