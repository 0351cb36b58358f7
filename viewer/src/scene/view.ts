// The canvas: one renderer, one camera, one pane for each result that is shown.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { crowd } from "./bodies";
import type { Stage } from "./stage";

export type Preset = "iso" | "front" | "back" | "left" | "right" | "top" | "bottom";
export const presets: Preset[] = ["iso", "front", "back", "left", "right", "top", "bottom"];

export interface Pane {
  left: number; // pixels of the page, relative to the canvas
  top: number;
  width: number;
  height: number;
}

export class View {
  readonly renderer: THREE.WebGLRenderer;
  readonly camera = new THREE.PerspectiveCamera(32, 1, 0.01, 100);
  controls: OrbitControls;
  private stages: Stage[] = [];
  private section: THREE.Plane | undefined;
  private followed: { stage: Stage; body: number; last: THREE.Vector3 } | undefined;

  constructor(readonly canvas: HTMLCanvasElement) {
    try {
      this.renderer = new THREE.WebGLRenderer({
        canvas,
        antialias: true,
        preserveDrawingBuffer: true,
      });
    } catch {
      throw new Error("This browser shows no 3D graphics (WebGL is missing or switched off).");
    }
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.setScissorTest(true);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
  }

  /** Without a graphics card crowds are drawn as sprites, without shadows: these would take seconds. */
  drawnInSoftware(): boolean {
    const gl = this.renderer.getContext();
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
    return /swiftshader|llvmpipe|software/i.test(name);
  }

  /** The results on screen. The camera looks at the first one. */
  show(stages: Stage[], preset?: Preset): void {
    this.stages = stages;
    const shapes = stages.reduce(
      (sum, stage) => sum + (stage.result.header.shapes?.length ?? 0),
      0,
    );
    this.renderer.shadowMap.enabled = shapes <= crowd || !this.drawnInSoftware();
    this.follow(undefined, -1);
    const first = stages[0];
    if (!first) return;
    this.camera.up.copy(first.up);
    this.controls.dispose(); // It keeps the direction of up that it was made with.
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.setPreset(preset ?? (first.planar ? "front" : "iso"));
  }

  resize(width: number, height: number, ratio: number): void {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
  }

  panes(): Pane[] {
    const size = this.renderer.getSize(new THREE.Vector2());
    const count = Math.max(1, this.stages.length);
    const columns =
      count <= 3 ? (size.x >= size.y || count === 1 ? count : 1) : Math.ceil(Math.sqrt(count));
    const rows = Math.ceil(count / columns);
    return this.stages.map((_, i) => ({
      left: ((i % columns) * size.x) / columns,
      top: (Math.floor(i / columns) * size.y) / rows,
      width: size.x / columns,
      height: size.y / rows,
    }));
  }

  setPreset(preset: Preset): void {
    const stage = this.stages[0];
    if (!stage) return;
    const directions: Record<Preset, [number, number, number]> = {
      // along right, front, up
      iso: [0.55, 1, 0.5],
      front: [0, 1, 0.0],
      back: [0, -1, 0],
      left: [-1, 0, 0],
      right: [1, 0, 0],
      top: [0, 0.001, 1],
      bottom: [0, 0.001, -1],
    };
    this.look(directions[preset], 1);
  }

  /** From the side (right, front, up), so near that the scene fits, then nearer by the zoom. */
  private look([r, f, u]: [number, number, number], zoom: number): void {
    const stage = this.stages[0];
    if (!stage) return;
    const direction = new THREE.Vector3()
      .addScaledVector(stage.right, r)
      .addScaledVector(stage.front, f)
      .addScaledVector(stage.up, u)
      .normalize();
    const pane = this.panes()[0];
    const aspect = pane ? pane.width / Math.max(pane.height, 1) : 1;
    // The box of the scene, seen from this direction, fits into the opening of the camera.
    const { low, high } = stage.result.header;
    const right = new THREE.Vector3().crossVectors(stage.up, direction).normalize();
    if (right.lengthSq() < 0.5) right.copy(stage.right);
    const upward = new THREE.Vector3().crossVectors(direction, right);
    const tangent = Math.tan((this.camera.fov * Math.PI) / 360);
    let distance = 0.1 * stage.size;
    for (let corner = 0; corner < 8; ++corner) {
      const x = new THREE.Vector3(
        ...([0, 1, 2].map(
          (c) => ((corner >> c) & 1 ? high : low)?.[c] ?? ((corner >> c) & 1 ? 1 : -1),
        ) as [number, number, number]),
      ).sub(stage.center);
      const depth = x.dot(direction);
      distance = Math.max(
        distance,
        depth + Math.abs(x.dot(upward)) / tangent,
        depth + Math.abs(x.dot(right)) / (tangent * aspect),
      );
    }
    this.controls.target.copy(stage.center);
    this.camera.position.copy(stage.center).addScaledVector(direction, (1.12 * distance) / zoom);
    this.camera.near = 0.002 * stage.size;
    this.camera.far = 200 * stage.size;
    this.controls.update();
  }

  /** A preset by its name, or "azimuth,elevation[,zoom]": degrees from the front view. */
  setCamera(text: string): void {
    if (presets.includes(text as Preset)) return this.setPreset(text as Preset);
    const [azimuth, elevation, zoom = 1] = text.split(",").map(Number);
    if (
      azimuth === undefined ||
      elevation === undefined ||
      !(zoom > 0) ||
      !Number.isFinite(azimuth + elevation)
    ) {
      throw new Error(
        `The camera '${text}' is neither a name (${presets.join(", ")}) nor azimuth,elevation[,zoom].`,
      );
    }
    const [a, e] = [azimuth, elevation].map(THREE.MathUtils.degToRad) as [number, number];
    this.look([Math.sin(a) * Math.cos(e), Math.cos(a) * Math.cos(e), Math.sin(e)], zoom);
  }

  /** The camera goes along with a body. */
  follow(stage: Stage | undefined, body: number): void {
    this.followed =
      stage && body >= 0 ? { stage, body, last: stage.bodies.position(body).clone() } : undefined;
  }
  get followedBody(): number {
    return this.followed?.body ?? -1;
  }

  /** Cuts the bodies open: what lies on the positive side of the plane is left out. */
  setSection(plane: THREE.Plane | undefined): void {
    this.section = plane;
    this.renderer.localClippingEnabled = plane !== undefined;
    for (const stage of this.stages) {
      for (const material of stage.bodies.material) {
        material.clippingPlanes = plane ? [plane] : null;
        material.clipShadows = true;
        material.side = plane ? THREE.DoubleSide : THREE.FrontSide;
        material.needsUpdate = true;
      }
    }
  }
  get sectionPlane(): THREE.Plane | undefined {
    return this.section;
  }

  render(): void {
    if (this.followed) {
      const now = this.followed.stage.bodies.position(this.followed.body);
      const move = now.clone().sub(this.followed.last);
      this.camera.position.add(move);
      this.controls.target.add(move);
      this.followed.last.copy(now);
      this.controls.update();
    }
    const size = this.renderer.getSize(new THREE.Vector2());
    this.panes().forEach((pane, i) => {
      const stage = this.stages[i];
      if (!stage) return;
      this.camera.aspect = pane.width / Math.max(pane.height, 1);
      this.camera.updateProjectionMatrix();
      const bottom = size.y - pane.top - pane.height;
      this.renderer.setViewport(pane.left, bottom, pane.width, pane.height);
      this.renderer.setScissor(pane.left, bottom, pane.width, pane.height);
      stage.setEye(this.camera.position);
      this.renderer.render(stage.scene, this.camera);
    });
  }

  /** The stage and body at a place of the canvas. */
  pick(x: number, y: number): { stage: Stage; body: number; point: THREE.Vector3 } | undefined {
    const panes = this.panes();
    const index = panes.findIndex(
      (p) => x >= p.left && x < p.left + p.width && y >= p.top && y < p.top + p.height,
    );
    const pane = panes[index];
    const stage = this.stages[index];
    if (!pane || !stage) return undefined;
    this.camera.aspect = pane.width / Math.max(pane.height, 1);
    this.camera.updateProjectionMatrix();
    const raycaster = new THREE.Raycaster();
    raycaster.setFromCamera(
      new THREE.Vector2(
        ((x - pane.left) / pane.width) * 2 - 1,
        1 - ((y - pane.top) / pane.height) * 2,
      ),
      this.camera,
    );
    const hit = stage.bodies.pick(raycaster);
    return hit && { stage, body: hit.body, point: hit.point };
  }
}
