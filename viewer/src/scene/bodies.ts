// The bodies: every shape is an instance of a shared geometry, so that ten thousand of them cost as
// many draw calls as there are kinds of shapes.

import * as THREE from "three";
import type { Header, JointData, Quat, ShapeData, Vec3 } from "../data/header";
import {
  areBricks,
  bodyColour,
  groundColour,
  makeFrame,
  makeSectors,
  selectionColour,
} from "./palette";
import { Sprites } from "./sprites";

interface Instance {
  body: number;
  local: THREE.Matrix4; // shape in the body frame, with its scale
}

interface Group {
  mesh: THREE.InstancedMesh;
  instances: Instance[];
  sprites?: Sprites; // drawn in place of the mesh
}

const many = 150; // shapes: from here on with fewer triangles each
export const crowd = 3000; // and from here on with as few as still look round

export function toQuaternion(q: Quat): THREE.Quaternion {
  return new THREE.Quaternion(q[1], q[2], q[3], q[0]);
}

function sphereGeometry(count: number): THREE.BufferGeometry {
  const [around, down] = count > crowd ? [8, 6] : count > many ? [14, 9] : [32, 18];
  const geometry = new THREE.SphereGeometry(1, around, down);
  return geometry.rotateX(Math.PI / 2);
}

function meshGeometry(vertices: number[], triangles: number[]): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(vertices, 3));
  geometry.setIndex(triangles);
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

/** Name of the geometry that a shape uses, the geometry, and the scale of the shape. */
function describe(
  shape: ShapeData,
  header: Header,
  count: number,
): { key: string; make: () => THREE.BufferGeometry; scale: Vec3 } | undefined {
  const r = shape.radius ?? 0;
  const l = shape.half_length ?? 0;
  const coarse = count > many;
  switch (shape.type) {
    case "sphere":
      return { key: "sphere", make: () => sphereGeometry(count), scale: [r, r, r] };
    case "box": {
      const h = shape.half ?? [1, 1, 1];
      return { key: "box", make: () => new THREE.BoxGeometry(2, 2, 2), scale: h };
    }
    case "cylinder":
      return {
        key: "cylinder",
        make: () => new THREE.CylinderGeometry(1, 1, 2, coarse ? 16 : 40).rotateX(Math.PI / 2),
        scale: [r, r, l],
      };
    case "capsule":
      return {
        key: `capsule ${l / r}`,
        make: () =>
          new THREE.CapsuleGeometry(1, (2 * l) / r, coarse ? 4 : 10, coarse ? 12 : 28).rotateX(
            Math.PI / 2,
          ),
        scale: [r, r, r],
      };
    case "convex":
    case "mesh":
    case "height_field": {
      const mesh = header.meshes?.[shape.mesh ?? -1];
      return (
        mesh && {
          key: `mesh ${shape.mesh}`,
          make: () => meshGeometry(mesh.vertices, mesh.triangles),
          scale: [1, 1, 1],
        }
      );
    }
    default:
      return undefined; // Half-spaces are drawn as ground.
  }
}

/** Radius about the body's origin of a ball that holds the shape; meshes count with their corners. */
function reachOf(shape: ShapeData, header: Header): number {
  const r = shape.radius ?? 0;
  const h = new THREE.Vector3(...(shape.half ?? [0, 0, 0])).length();
  const corners = header.meshes?.[shape.mesh ?? -1]?.vertices ?? [];
  let mesh = 0;
  for (let i = 0; i + 2 < corners.length; i += 3)
    mesh = Math.max(mesh, Math.hypot(corners[i]!, corners[i + 1]!, corners[i + 2]!));
  return Math.hypot(...shape.p) + Math.max(h, mesh, Math.hypot(r, shape.half_length ?? 0));
}

/** Sticks from the centre of mass to the joints that lie outside of a body's shapes. */
function sketchSticks(
  body: number,
  joints: JointData[],
  radius: number,
  reach: number,
): ShapeData[] {
  const shapes: ShapeData[] = [];
  for (const joint of joints) {
    for (const [owner, point] of [
      [joint.a, joint.pa],
      [joint.b, joint.pb],
    ] as const) {
      const end = new THREE.Vector3(...point);
      if (owner !== body || end.length() <= reach) continue;
      const q = new THREE.Quaternion().setFromUnitVectors(
        new THREE.Vector3(0, 0, 1),
        end.clone().normalize(),
      );
      shapes.push({
        body,
        type: "cylinder",
        radius,
        half_length: end.length() / 2,
        p: [end.x / 2, end.y / 2, end.z / 2],
        q: [q.w, q.x, q.y, q.z],
      });
    }
  }
  return shapes;
}

const stickRadius = 0.007; // of the size of the scene

export class Bodies {
  readonly group = new THREE.Group();
  readonly material: THREE.Material[] = [];
  private groups: Group[] = [];
  private firstInstance = new Map<number, { group: Group; index: number }>();
  private hidden = new Set<number>();
  private selected = -2; // no body; −1 is the ground
  private positions: Float64Array;
  private orientations: Float64Array;

  constructor(
    private readonly header: Header,
    size: number,
    private readonly software: boolean, // no graphics card: crowds of balls are drawn as sprites
  ) {
    const count = header.bodies.length;
    this.positions = new Float64Array(3 * count);
    this.orientations = new Float64Array(4 * count);
    for (let b = 0; b < count; ++b) this.orientations[4 * b] = 1;
    this.build(size);
  }

  private build(size: number): void {
    const shapes = (this.header.shapes ?? []).slice();
    const reach = new Map<number, number>();
    for (const shape of shapes) {
      const known = reach.get(shape.body) ?? 0;
      reach.set(shape.body, Math.max(known, reachOf(shape, this.header)));
    }
    const radius = stickRadius * size;
    const joints = this.header.joints ?? [];
    this.header.bodies.forEach((_, body) => {
      const own = reach.get(body);
      if (own === undefined) {
        const ball = 3.8 * radius;
        shapes.push({ body, type: "sphere", radius: ball, p: [0, 0, 0], q: [1, 0, 0, 0] });
      }
      const thin = own === undefined ? radius : Math.min(radius, 0.12 * own);
      shapes.push(...sketchSticks(body, joints, thin, 1.05 * (own ?? 1e-6 * size)));
    });
    const kinds = new Map<string, { make: () => THREE.BufferGeometry; instances: Instance[] }>();
    for (const shape of shapes) {
      const kind = describe(shape, this.header, shapes.length);
      if (!kind) continue;
      const entry = kinds.get(kind.key) ?? { make: kind.make, instances: [] };
      kinds.set(kind.key, entry);
      const local = new THREE.Matrix4().compose(
        new THREE.Vector3(...shape.p),
        toQuaternion(shape.q),
        new THREE.Vector3(...kind.scale),
      );
      entry.instances.push({ body: shape.body, local });
    }
    const patterns: Record<string, THREE.Texture> = { box: makeFrame(), round: makeSectors() };
    for (const [key, { make, instances }] of kinds) {
      const map =
        key === "box" ? patterns["box"] : key.startsWith("mesh") ? null : patterns["round"];
      const material = new THREE.MeshStandardMaterial({
        roughness: 0.55,
        metalness: 0.05,
        map: map ?? null,
      });
      const mesh = new THREE.InstancedMesh(make(), material, instances.length);
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.frustumCulled = false;
      mesh.name = key;
      const group: Group = { mesh, instances };
      instances.forEach((instance, index) => {
        if (!this.firstInstance.has(instance.body))
          this.firstInstance.set(instance.body, { group, index });
      });
      this.groups.push(group);
      this.material.push(material);
      this.group.add(mesh);
      if (this.software && key === "sphere" && instances.length > crowd) {
        group.sprites = new Sprites(mesh);
        this.material.push(group.sprites.material);
        this.group.add(group.sprites.points);
      }
    }
    this.paint();
  }

  private paint(): void {
    for (const { mesh, instances, sprites } of this.groups) {
      const bricks = mesh.name === "box" && areBricks(instances.length);
      instances.forEach(({ body }, index) => {
        const colour =
          body < 0
            ? groundColour
            : body === this.selected
              ? selectionColour
              : bodyColour(body, bricks);
        mesh.setColorAt(index, colour);
      });
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
      sprites?.update();
    }
  }

  select(body: number): void {
    this.selected = body;
    this.paint();
  }
  setHidden(body: number, hidden: boolean): void {
    if (hidden) this.hidden.add(body);
    else this.hidden.delete(body);
  }
  isHidden(body: number): boolean {
    return this.hidden.has(body);
  }

  /** Poses of all bodies: p (3 each), q (w, x, y, z each). */
  setPoses(p: Float64Array, q: Float64Array): void {
    this.positions.set(p.subarray(0, this.positions.length));
    this.orientations.set(q.subarray(0, this.orientations.length));
    const pose = new THREE.Matrix4();
    const world = new THREE.Matrix4();
    const nothing = new THREE.Matrix4().makeScale(0, 0, 0);
    for (const { mesh, instances, sprites } of this.groups) {
      instances.forEach(({ body, local }, index) => {
        if (this.hidden.has(body)) return mesh.setMatrixAt(index, nothing);
        this.readPose(body, pose);
        mesh.setMatrixAt(index, world.multiplyMatrices(pose, local));
      });
      mesh.instanceMatrix.needsUpdate = true;
      sprites?.update();
      mesh.boundingSphere = null; // Of the old places; picking computes it again.
    }
  }

  position(body: number, out = new THREE.Vector3()): THREE.Vector3 {
    if (body < 0) return out.set(0, 0, 0);
    return out.fromArray(this.positions, 3 * body);
  }

  /** The pose as it was set last; identity for the ground. */
  readPose(body: number, out: THREE.Matrix4): THREE.Matrix4 {
    if (body < 0) return out.identity();
    const q = this.orientations;
    return out.compose(
      this.position(body, scratchPosition),
      scratchRotation.set(q[4 * body + 1]!, q[4 * body + 2]!, q[4 * body + 3]!, q[4 * body]!),
      unit,
    );
  }

  /** A point of a body in world axes. */
  toWorld(body: number, point: Vec3, out = new THREE.Vector3()): THREE.Vector3 {
    return out.set(...point).applyMatrix4(this.readPose(body, scratchMatrix));
  }

  /** The pose that the graphics really has, computed back from the matrix of an instance. */
  readDrawnPose(body: number): { position: Vec3; orientation: Quat } | undefined {
    const place = this.firstInstance.get(body);
    if (!place) return undefined;
    const drawn = new THREE.Matrix4();
    place.group.mesh.getMatrixAt(place.index, drawn);
    const local = place.group.instances[place.index]!.local;
    drawn.multiply(local.clone().invert());
    const p = new THREE.Vector3();
    const q = new THREE.Quaternion();
    drawn.decompose(p, q, new THREE.Vector3());
    return { position: [p.x, p.y, p.z], orientation: [q.w, q.x, q.y, q.z] };
  }

  /** The body under a ray, and the point hit in its own frame. */
  pick(
    raycaster: THREE.Raycaster,
  ): { body: number; point: THREE.Vector3; distance: number } | undefined {
    const hits = raycaster.intersectObjects(
      this.groups.map(({ mesh }) => mesh),
      false,
    );
    for (const hit of hits) {
      const group = this.groups.find(({ mesh }) => mesh === hit.object);
      const instance = group?.instances[hit.instanceId ?? -1];
      if (!instance || this.hidden.has(instance.body)) continue;
      const inverse = this.readPose(instance.body, new THREE.Matrix4()).invert();
      return {
        body: instance.body,
        point: hit.point.clone().applyMatrix4(inverse),
        distance: hit.distance,
      };
    }
    return undefined;
  }

  dispose(): void {
    for (const { mesh, sprites } of this.groups) {
      sprites?.dispose();
      mesh.geometry.dispose();
      mesh.dispose();
    }
  }
}

const scratchPosition = new THREE.Vector3();
const scratchRotation = new THREE.Quaternion();
const scratchMatrix = new THREE.Matrix4();
const unit = new THREE.Vector3(1, 1, 1);
