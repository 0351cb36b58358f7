// One result as a scene: light, ground, bodies, signs, arrows and traces, set to an instant.

import * as THREE from "three";
import type { Vec3 } from "../data/header";
import type { Instant, Result } from "../data/result";
import { Arrows, Cones } from "./arrows";
import { Bodies, toQuaternion } from "./bodies";
import { Mechanism } from "./mechanism";
import { makeGrid, markColours, type Theme } from "./palette";
import { Traces } from "./traces";

export interface Visibility {
  contacts: boolean;
  cones: boolean;
  joints: boolean;
  springs: boolean;
  velocities: boolean;
  traces: boolean;
  ground: boolean;
  xray: boolean;
}

const arrowLength = 0.09; // of the size, for the typical force
const longest = 3; // times that

export class Stage {
  readonly scene = new THREE.Scene();
  readonly bodies: Bodies;
  readonly mechanism: Mechanism;
  readonly traces: Traces;
  readonly center = new THREE.Vector3();
  readonly size: number;
  readonly up = new THREE.Vector3(0, 0, 1);
  readonly right = new THREE.Vector3(1, 0, 0);
  readonly front = new THREE.Vector3(0, -1, 0); // towards the eye of the front view
  instant: Instant = { time: 0, frame: -1, fraction: 0 };
  arrowScale = 1;

  private normal: Arrows;
  private friction: Arrows;
  private impulse: Arrows;
  private velocity: Arrows;
  private cones = new Cones(markColours.cone);
  private ground = new THREE.Group();
  private floors: THREE.MeshStandardMaterial[] = [];
  private sky = new THREE.HemisphereLight(0xffffff, 0x8d949c, 1.5);
  private sun = new THREE.DirectionalLight(0xffffff, 2);
  private p0: Float64Array;
  private p1: Float64Array;
  private q0: Float64Array;
  private q1: Float64Array;

  constructor(
    readonly result: Result,
    software = false,
  ) {
    const header = result.header;
    const low = new THREE.Vector3(...(header.low ?? [-1, -1, -1]));
    const high = new THREE.Vector3(...(header.high ?? [1, 1, 1]));
    this.size = Math.max(low.distanceTo(high), 1e-6);
    this.center.addVectors(low, high).multiplyScalar(0.5);
    this.chooseAxes();
    this.bodies = new Bodies(header, this.size, software);
    this.mechanism = new Mechanism(header, this.size);
    this.traces = new Traces(result);
    const thin = 0.0022 * this.size;
    this.normal = new Arrows(markColours.normal, thin);
    this.friction = new Arrows(markColours.friction, thin);
    this.impulse = new Arrows(markColours.impulse, thin);
    this.velocity = new Arrows(markColours.velocity, 0.8 * thin);
    const count = header.bodies.length;
    this.p0 = new Float64Array(3 * count);
    this.p1 = new Float64Array(3 * count);
    this.q0 = new Float64Array(4 * count);
    this.q1 = new Float64Array(4 * count);
    this.scene.fog = new THREE.Fog(0xffffff, 1, 2);
    this.scene.add(
      this.bodies.group,
      this.mechanism.joints,
      this.mechanism.elements,
      this.mechanism.surfaces,
      this.ground,
      this.traces.group,
      this.normal.group,
      this.friction.group,
      this.impulse.group,
      this.velocity.group,
      this.cones.mesh,
      this.sky,
      this.sun,
      this.sun.target,
    );
    this.addLight();
  }

  /** Up is against gravity; a planar model is seen along the normal of its plane. */
  private chooseAxes(): void {
    const gravity = new THREE.Vector3(...(this.result.header.gravity ?? [0, 0, -1]));
    if (gravity.length() > 0) this.up.copy(gravity).normalize().negate();
    const plane = this.result.header.plane_normal;
    if (plane) {
      this.front.set(...plane).normalize();
      if (Math.abs(this.front.dot(this.up)) > 0.9)
        this.up.set(0, Math.abs(this.front.z) > 0.9 ? 1 : 0, Math.abs(this.front.z) > 0.9 ? 0 : 1);
      this.right.crossVectors(this.up, this.front).normalize();
      return;
    }
    if (Math.abs(this.up.x) > 0.9) this.right.set(0, 1, 0);
    this.right.addScaledVector(this.up, -this.right.dot(this.up)).normalize();
    this.front.crossVectors(this.right, this.up).normalize();
  }

  get planar(): boolean {
    return Boolean(this.result.header.plane_normal);
  }

  private addLight(): void {
    this.sky.position.copy(this.up);
    const from = this.up
      .clone()
      .multiplyScalar(1.3)
      .addScaledVector(this.right, -0.8)
      .addScaledVector(this.front, 0.5);
    this.sun.position.copy(this.center).addScaledVector(from.normalize(), 3 * this.size);
    this.sun.target.position.copy(this.center);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    const half = 0.62 * this.size;
    Object.assign(this.sun.shadow.camera, {
      left: -half,
      right: half,
      top: half,
      bottom: -half,
      near: 0.5 * this.size,
      far: 6 * this.size,
    });
    this.sun.shadow.normalBias = 0.0015 * this.size;
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.radius = 3;
  }

  setTheme(theme: Theme): void {
    this.scene.background = new THREE.Color(theme.background);
    (this.scene.fog as THREE.Fog).color.set(theme.background);
    this.sky.color.set(theme.sky);
    this.sky.intensity = theme.skyIntensity;
    this.sun.intensity = theme.sunIntensity;
    this.buildGround(theme);
  }

  // --- Ground ------------------------------------------------------------------------------------

  private listPlanes(): { normal: THREE.Vector3; offset: number }[] {
    const planes: { normal: THREE.Vector3; offset: number }[] = [];
    const header = this.result.header;
    for (const shape of header.shapes ?? []) {
      if (shape.type !== "half_space" || shape.body >= 0) continue;
      const normal = new THREE.Vector3(...(shape.normal as Vec3))
        .applyQuaternion(toQuaternion(shape.q))
        .normalize();
      planes.push({
        normal,
        offset: (shape.offset ?? 0) + normal.dot(new THREE.Vector3(...shape.p)),
      });
    }
    for (const surface of header.surfaces ?? []) {
      if (surface.normal && surface.body < 0)
        planes.push({ normal: new THREE.Vector3(...surface.normal), offset: surface.offset ?? 0 });
    }
    return planes;
  }

  /** Floors reach to the horizon; walls are as large as the scene and let the eye through. */
  private buildGround(theme: Theme): void {
    this.ground.clear();
    this.floors = [];
    const cell = 10 ** Math.round(Math.log10(this.size / 6));
    for (const { normal, offset } of this.listPlanes()) {
      const floor = normal.dot(this.up) > 0.5;
      const width = (floor ? 60 : 1.1) * this.size;
      const texture = makeGrid(theme);
      texture.repeat.setScalar(width / cell);
      const material = new THREE.MeshStandardMaterial({
        map: texture,
        roughness: 0.95,
        metalness: 0,
        transparent: !floor,
        opacity: floor ? 1 : 0.35,
        side: floor ? THREE.FrontSide : THREE.DoubleSide,
      });
      const mesh = new THREE.Mesh(new THREE.PlaneGeometry(width, width), material);
      mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
      mesh.position.copy(this.center).addScaledVector(normal, offset - normal.dot(this.center));
      mesh.receiveShadow = true;
      this.floors.push(material);
      this.ground.add(mesh);
    }
    if (!this.ground.children.length && this.result.header.bodies.length) {
      // Nothing to stand on: a faint grid for orientation, no surface that would not be there.
      const grid = new THREE.GridHelper(
        6 * this.size,
        Math.round((6 * this.size) / cell),
        theme.grid,
        theme.grid,
      );
      grid.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), this.up);
      grid.position.copy(this.center).addScaledVector(this.up, -0.55 * this.size);
      (grid.material as THREE.Material).transparent = true;
      (grid.material as THREE.Material).opacity = 0.6;
      this.ground.add(grid);
    }
  }

  // --- An instant --------------------------------------------------------------------------------

  /** Sets everything to a time. False (and nothing changes) if its frames are not loaded yet. */
  setTime(time: number, show: Visibility): boolean {
    const instant = this.result.locate(time);
    const { frame, fraction } = instant;
    if (this.result.header.bodies.length) {
      if (!this.readPoses(frame, fraction)) return false;
      this.bodies.setPoses(this.p0, this.q0);
    }
    this.instant = instant;
    this.mechanism.update(this.bodies);
    // Forces belong to the step that ends at the next frame.
    this.updateContacts(fraction > 0 ? frame + 1 : frame, show);
    this.updateVelocities(frame, show);
    this.traces.setTime(instant, this.bodies);
    this.traces.group.visible = show.traces;
    this.mechanism.joints.visible = show.joints;
    this.mechanism.elements.visible = show.springs;
    this.ground.visible = show.ground;
    for (const material of this.bodies.material) {
      if (material.transparent !== show.xray) material.needsUpdate = true;
      material.transparent = show.xray;
      material.opacity = show.xray ? 0.35 : 1;
      material.depthWrite = !show.xray;
    }
    return true;
  }

  /** Positions linearly and rotations by the normalised mean between frames; at a frame as recorded. */
  private readPoses(frame: number, s: number): boolean {
    const result = this.result;
    if (
      !result.readRow("bodies.position", frame, this.p0) ||
      !result.readRow("bodies.orientation", frame, this.q0)
    )
      return false;
    if (s === 0) return true;
    if (
      !result.readRow("bodies.position", frame + 1, this.p1) ||
      !result.readRow("bodies.orientation", frame + 1, this.q1)
    )
      return false;
    for (let i = 0; i < this.p0.length; ++i) this.p0[i] = (1 - s) * this.p0[i]! + s * this.p1[i]!;
    for (let i = 0; i < this.q0.length; i += 4) {
      let dot = 0;
      for (let c = 0; c < 4; ++c) dot += this.q0[i + c]! * this.q1[i + c]!;
      const sign = dot < 0 ? -1 : 1;
      let norm = 0;
      for (let c = 0; c < 4; ++c) {
        const value = (1 - s) * this.q0[i + c]! + s * sign * this.q1[i + c]!;
        this.q0[i + c] = value;
        norm += value * value;
      }
      for (let c = 0; c < 4; ++c) this.q0[i + c]! /= Math.sqrt(norm);
    }
    return true;
  }

  private updateContacts(frame: number, show: Visibility): void {
    const { typical_force: force, typical_impulse: impulse } = this.result.header;
    for (const arrows of [this.normal, this.friction, this.impulse]) arrows.clear();
    this.cones.clear();
    const base = arrowLength * this.size * this.arrowScale;
    const lengthOf = (value: number, typical: number) =>
      base * Math.min(longest, typical > 0 ? value / typical : 0);
    if (show.contacts) {
      for (const contact of this.result.contactsAt(frame)) {
        if (contact.kind !== 0) continue;
        const point = new THREE.Vector3(...contact.point);
        const n = new THREE.Vector3(...contact.normal);
        const f = new THREE.Vector3(...contact.force);
        const p = new THREE.Vector3(...contact.impulse);
        const fn = f.dot(n);
        const t = f.clone().addScaledVector(n, -fn);
        this.normal.add(point, fn < 0 ? n.clone().negate() : n, lengthOf(Math.abs(fn), force));
        this.friction.add(point, t.clone().normalize(), lengthOf(t.length(), force));
        this.impulse.add(point, p.clone().normalize(), lengthOf(p.length(), impulse));
        if (show.cones && fn > 0) this.cones.add(point, n, contact.friction, lengthOf(fn, force));
      }
    }
    for (const marks of [this.normal, this.friction, this.impulse, this.cones]) marks.finish();
  }

  /** Contact arrows on screen: normal, friction, impulse. */
  get arrowCounts(): Vec3 {
    return [this.normal.size, this.friction.size, this.impulse.size];
  }

  private updateVelocities(frame: number, show: Visibility): void {
    this.velocity.clear();
    if (show.velocities && this.result.hasStream("bodies.velocity")) {
      const v = new Float64Array(this.p0.length);
      if (this.result.readRow("bodies.velocity", frame, v)) {
        let largest = 0;
        for (let i = 0; i < v.length; i += 3)
          largest = Math.max(largest, Math.hypot(v[i]!, v[i + 1]!, v[i + 2]!));
        for (let b = 0; 3 * b < v.length; ++b) {
          const velocity = new THREE.Vector3().fromArray(v, 3 * b);
          const speed = velocity.length();
          if (speed < 1e-3 * largest || this.bodies.isHidden(b)) continue;
          this.velocity.add(
            this.bodies.position(b),
            velocity.divideScalar(speed),
            (2 * arrowLength * this.size * this.arrowScale * speed) / largest,
          );
        }
      } else {
        void this.result.table(
          "bodies.velocity",
          Math.floor(frame / this.result.header.chunk_frames),
        );
      }
    }
    this.velocity.finish();
  }

  /** The floor fades into the background at a distance that grows with that of the eye. */
  setEye(eye: THREE.Vector3): void {
    const distance = eye.distanceTo(this.center);
    const fog = this.scene.fog as THREE.Fog;
    fog.near = distance + 2 * this.size;
    fog.far = 3 * distance + 12 * this.size;
  }
}
