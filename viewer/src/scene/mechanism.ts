// Joints, springs and the surfaces of named contacts: drawn signs that move with the bodies.

import * as THREE from "three";
import type { ElementData, Header, JointData, SurfaceData } from "../data/header";
import { type Bodies, toQuaternion } from "./bodies";
import { markColours } from "./palette";

interface Sign {
  object: THREE.Object3D;
  update: (bodies: Bodies) => void;
}

const axis = new THREE.Vector3(0, 0, 1);

/** Stretches an object of unit length along z from a to b. */
function stretch(object: THREE.Object3D, a: THREE.Vector3, b: THREE.Vector3, width: number): void {
  const along = b.clone().sub(a);
  const length = Math.max(along.length(), 1e-9);
  object.position.copy(a);
  object.quaternion.setFromUnitVectors(axis, along.divideScalar(length));
  object.scale.set(width, width, length);
}

class Helix extends THREE.Curve<THREE.Vector3> {
  constructor(private readonly turns: number) {
    super();
  }
  override getPoint(t: number, out = new THREE.Vector3()): THREE.Vector3 {
    const straight = 0.08; // of the length, at each end
    const s = Math.min(1, Math.max(0, (t - straight) / (1 - 2 * straight)));
    const radius = t < straight || t > 1 - straight ? 0 : 1;
    const angle = 2 * Math.PI * this.turns * s;
    return out.set(radius * Math.cos(angle), radius * Math.sin(angle), t);
  }
  override getPointAt(t: number, out?: THREE.Vector3): THREE.Vector3 {
    return this.getPoint(t, out); // Evenly along z, not along the wire.
  }
}

const manySprings = 40; // from here on with fewer triangles each
const wire = 0.13; // its radius, of that of the spring

/** A helix from 0 to 1 along z whose wire is round once z is stretched by `length` and x, y by 1. */
function makeHelix(length: number, coarse: boolean): THREE.BufferGeometry {
  const [turns, rings, radial] = coarse ? [5, 40, 3] : [9, 140, 6];
  const geometry = new THREE.TubeGeometry(new Helix(turns), rings, wire, radial);
  const position = geometry.getAttribute("position");
  for (let i = 0; i < position.count; ++i) {
    const center = Math.floor(i / (radial + 1)) / rings;
    position.setZ(i, center + (position.getZ(i) - center) / length);
  }
  return geometry;
}

/** `length` in units of the width of the element. */
function makeElement(
  kind: string,
  length: number,
  coarse: boolean,
  material: THREE.Material,
): THREE.Object3D {
  const group = new THREE.Group();
  const cylinder = (radius: number, from: number, to: number) => {
    const geometry = new THREE.CylinderGeometry(radius, radius, to - from, 16);
    group.add(
      new THREE.Mesh(geometry.rotateX(Math.PI / 2).translate(0, 0, (from + to) / 2), material),
    );
  };
  if (kind === "damper") {
    cylinder(0.25, 0, 1);
    cylinder(0.9, 0.3, 0.65);
  } else {
    group.add(new THREE.Mesh(makeHelix(length, coarse), material));
  }
  return group;
}

/** The sign of a joint, its axis along z. */
function makeJoint(type: string, material: THREE.Material): THREE.Object3D {
  const group = new THREE.Group();
  const add = (geometry: THREE.BufferGeometry) => group.add(new THREE.Mesh(geometry, material));
  const rod = (radius: number, length: number) =>
    new THREE.CylinderGeometry(radius, radius, length, 20).rotateX(Math.PI / 2);
  switch (type) {
    case "revolute":
      add(rod(0.45, 1.6));
      add(rod(0.1, 5));
      break;
    case "cylindrical":
      add(rod(0.4, 2.4));
      add(rod(0.14, 7));
      break;
    case "prismatic":
      add(new THREE.BoxGeometry(0.7, 0.7, 2));
      add(rod(0.1, 7));
      break;
    case "point-on-line":
      add(new THREE.SphereGeometry(0.45, 20, 14));
      add(rod(0.08, 7));
      break;
    case "universal":
      add(rod(0.25, 2));
      add(rod(0.25, 2).rotateY(Math.PI / 2));
      break;
    case "spherical":
      add(new THREE.SphereGeometry(0.7, 24, 16));
      break;
    case "planar":
      add(new THREE.BoxGeometry(3, 3, 0.1));
      add(rod(0.1, 3));
      break;
    default:
      add(new THREE.BoxGeometry(1, 1, 1));
  }
  return group;
}

export class Mechanism {
  readonly joints = new THREE.Group();
  readonly elements = new THREE.Group();
  readonly surfaces = new THREE.Group();
  private signs: Sign[] = [];
  private hidden = new Set<string>();
  private prototypes = new Map<string, THREE.Object3D>(); // Signs of one kind share their geometry.

  private readonly coarse: boolean;

  constructor(
    header: Header,
    private readonly size: number,
  ) {
    this.coarse = (header.elements?.length ?? 0) > manySprings;
    const jointMaterial = new THREE.MeshStandardMaterial({
      color: markColours.joint,
      roughness: 0.4,
      metalness: 0.3,
    });
    const springMaterial = new THREE.MeshStandardMaterial({
      color: markColours.spring,
      roughness: 0.4,
      metalness: 0.5,
    });
    // Many joints get smaller signs, so that they do not hide the mechanism.
    const scale =
      this.size * Math.min(0.018, 0.06 / Math.sqrt(Math.max(1, header.joints?.length ?? 1)));
    header.joints?.forEach((joint, i) => this.addJoint(joint, i, scale, jointMaterial));
    header.elements?.forEach((element, i) => this.addElement(element, i, scale, springMaterial));
    header.surfaces?.forEach((surface) => this.addSurface(surface));
  }

  private makeSign(key: string, make: () => THREE.Object3D): THREE.Object3D {
    const known = this.prototypes.get(key) ?? make();
    this.prototypes.set(key, known);
    return known.clone();
  }

  private addJoint(joint: JointData, index: number, scale: number, material: THREE.Material): void {
    const rope = joint.type === "distance";
    const makeRope = () =>
      new THREE.Mesh(
        new THREE.CylinderGeometry(1, 1, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5),
        material,
      );
    const object = this.makeSign(`joint ${joint.type}`, () =>
      rope ? makeRope() : makeJoint(joint.type, material),
    );
    object.name = `joint ${index}`;
    this.joints.add(object);
    const frame = new THREE.Matrix4().compose(
      new THREE.Vector3(...joint.pa),
      toQuaternion(joint.qa),
      new THREE.Vector3(scale, scale, scale),
    );
    const pose = new THREE.Matrix4();
    if (!rope) object.matrixAutoUpdate = false;
    this.signs.push({
      object,
      update: (bodies) => {
        if (rope)
          stretch(
            object,
            bodies.toWorld(joint.a, joint.pa),
            bodies.toWorld(joint.b, joint.pb),
            0.25 * scale,
          );
        else object.matrix.multiplyMatrices(bodies.readPose(joint.a, pose), frame);
        object.visible = !this.hidden.has(object.name);
      },
    });
  }

  private addElement(
    element: ElementData,
    index: number,
    scale: number,
    material: THREE.Material,
  ): void {
    const compact = element.kind === "bushing" || element.kind === "torsion";
    const length = (0.25 * this.size) / scale; // Typical: the wire is round at this length.
    const object = this.makeSign(`element ${element.kind}`, () =>
      compact
        ? new THREE.Mesh(new THREE.TorusGeometry(1, 0.3, 10, 28), material)
        : makeElement(element.kind, length, this.coarse, material),
    );
    object.name = `element ${index}`;
    this.elements.add(object);
    this.signs.push({
      object,
      update: (bodies) => {
        const a = bodies.toWorld(element.a, element.pa);
        if (compact) {
          object.position.copy(a);
          object.scale.setScalar(scale);
        } else {
          stretch(object, a, bodies.toWorld(element.b, element.pb), scale);
        }
        object.visible = !this.hidden.has(object.name);
      },
    });
  }

  private addSurface(surface: SurfaceData): void {
    if (!surface.line || !surface.up) return; // Planes are drawn as ground.
    const up = new THREE.Vector3(...surface.up).multiplyScalar(0.06 * this.size);
    const positions: number[] = [];
    const index: number[] = [];
    for (let k = 0; 3 * k < surface.line.length; ++k) {
      const point = new THREE.Vector3().fromArray(surface.line, 3 * k);
      positions.push(...point.clone().sub(up).toArray(), ...point.clone().add(up).toArray());
      if (k > 0) index.push(2 * k - 2, 2 * k - 1, 2 * k, 2 * k - 1, 2 * k + 1, 2 * k);
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(positions, 3));
    geometry.setIndex(index);
    geometry.computeVertexNormals();
    const material = new THREE.MeshStandardMaterial({
      color: 0x6c7a89,
      side: THREE.DoubleSide,
      roughness: 0.8,
    });
    const ribbon = new THREE.Mesh(geometry, material);
    ribbon.castShadow = ribbon.receiveShadow = true;
    ribbon.matrixAutoUpdate = false;
    this.surfaces.add(ribbon);
    this.signs.push({
      object: ribbon,
      update: (bodies) => void bodies.readPose(surface.body, ribbon.matrix),
    });
    const dot = new THREE.Mesh(
      new THREE.SphereGeometry(0.008 * this.size, 16, 12),
      new THREE.MeshStandardMaterial({ color: 0x212529 }),
    );
    this.surfaces.add(dot);
    this.signs.push({
      object: dot,
      update: (bodies) => void bodies.toWorld(surface.point_body, surface.at, dot.position),
    });
  }

  setHidden(kind: "joint" | "element", index: number, hidden: boolean): void {
    if (hidden) this.hidden.add(`${kind} ${index}`);
    else this.hidden.delete(`${kind} ${index}`);
  }
  isHidden(kind: "joint" | "element", index: number): boolean {
    return this.hidden.has(`${kind} ${index}`);
  }

  update(bodies: Bodies): void {
    for (const sign of this.signs) sign.update(bodies);
  }
}
