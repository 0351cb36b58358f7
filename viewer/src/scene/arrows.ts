// Arrows and cones, instanced: shafts and heads keep their proportions at every length.

import * as THREE from "three";

const axis = new THREE.Vector3(0, 0, 1);

export class Arrows {
  readonly group = new THREE.Group();
  private shaft: THREE.InstancedMesh;
  private head: THREE.InstancedMesh;
  private capacity = 64;
  private count = 0;

  constructor(
    colour: number,
    private readonly radius: number,
  ) {
    const material = new THREE.MeshStandardMaterial({
      color: colour,
      roughness: 0.6,
      emissive: colour,
      emissiveIntensity: 0.35,
    });
    this.shaft = this.make(
      new THREE.CylinderGeometry(1, 1, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5),
      material,
    );
    this.head = this.make(
      new THREE.ConeGeometry(2.6, 1, 14).rotateX(Math.PI / 2).translate(0, 0, 0.5),
      material,
    );
  }

  private make(geometry: THREE.BufferGeometry, material: THREE.Material): THREE.InstancedMesh {
    const mesh = new THREE.InstancedMesh(geometry, material, this.capacity);
    mesh.frustumCulled = false;
    mesh.count = 0;
    this.group.add(mesh);
    return mesh;
  }

  private grow(): void {
    this.capacity *= 2;
    for (const key of ["shaft", "head"] as const) {
      const old = this[key];
      const mesh = new THREE.InstancedMesh(old.geometry, old.material, this.capacity);
      (mesh.instanceMatrix.array as Float32Array).set(old.instanceMatrix.array);
      mesh.frustumCulled = false;
      this.group.remove(old);
      this.group.add(mesh);
      old.dispose();
      this[key] = mesh;
    }
  }

  clear(): void {
    this.count = 0;
  }

  /** An arrow of this length along the direction (unit), from the point or, if `into`, to it. */
  add(point: THREE.Vector3, direction: THREE.Vector3, length: number): void {
    if (!(length > 0)) return;
    if (this.count === this.capacity) this.grow();
    const rotation = new THREE.Quaternion().setFromUnitVectors(axis, direction);
    const head = Math.min(6 * this.radius, 0.6 * length);
    const width = Math.min(this.radius, head / 4);
    const matrix = new THREE.Matrix4();
    matrix.compose(point, rotation, new THREE.Vector3(width, width, length - head));
    this.shaft.setMatrixAt(this.count, matrix);
    const tip = point.clone().addScaledVector(direction, length - head);
    matrix.compose(tip, rotation, new THREE.Vector3(width, width, head));
    this.head.setMatrixAt(this.count, matrix);
    ++this.count;
  }

  finish(): void {
    for (const mesh of [this.shaft, this.head]) {
      mesh.count = this.count;
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  get size(): number {
    return this.count;
  }
}

/** Friction cones: half-angle atan μ about the normal. */
export class Cones {
  readonly mesh: THREE.InstancedMesh;
  private count = 0;
  private static readonly capacity = 512;

  constructor(colour: number) {
    const material = new THREE.MeshBasicMaterial({
      color: colour,
      transparent: true,
      opacity: 0.22,
      side: THREE.DoubleSide,
      depthWrite: false,
    });
    // Apex in the origin, opening along +z.
    const geometry = new THREE.ConeGeometry(1, 1, 32, 1, true)
      .rotateX(-Math.PI / 2)
      .translate(0, 0, 0.5);
    this.mesh = new THREE.InstancedMesh(geometry, material, Cones.capacity);
    this.mesh.frustumCulled = false;
    this.mesh.count = 0;
  }
  clear(): void {
    this.count = 0;
  }
  add(point: THREE.Vector3, normal: THREE.Vector3, friction: number, height: number): void {
    if (this.count === Cones.capacity || friction <= 0) return;
    const rotation = new THREE.Quaternion().setFromUnitVectors(axis, normal);
    const radius = Math.max(friction * height, 1e-9);
    this.mesh.setMatrixAt(
      this.count++,
      new THREE.Matrix4().compose(point, rotation, new THREE.Vector3(radius, radius, height)),
    );
  }
  finish(): void {
    this.mesh.count = this.count;
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}
