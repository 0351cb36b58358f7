// Balls as discs that face the eye, shaded and placed in depth pixel by pixel as the balls they stand
// for: one point each instead of some eighty triangles. A processor that draws in place of a graphics
// card takes 0.1 s for ten thousand of these, and 20 s for as many instances of a round mesh.

import * as THREE from "three";

const vertexShader = /* glsl */ `
  attribute vec3 axisX;
  attribute vec3 axisY;
  attribute vec3 axisZ;
  uniform float height;  // of the pane, pixels
  varying vec3 tint;
  varying vec3 middle;   // of the ball, in view space
  varying float radius;
  varying mat3 turn;     // columns: axes of the ball in world space
  varying float vFogDepth;
  #include <clipping_planes_pars_vertex>
  void main() {
    tint = color;
    radius = length(axisX);
    float scale = 1.0 / max(radius, 1e-30);
    turn = mat3(axisX * scale, axisY * scale, axisZ * scale);
    vec4 mvPosition = modelViewMatrix * vec4(position, 1.0);
    middle = mvPosition.xyz;
    vFogDepth = -mvPosition.z;
    gl_Position = projectionMatrix * mvPosition;
    gl_PointSize = radius * projectionMatrix[1][1] * height / max(-mvPosition.z, 1e-30);
    #include <clipping_planes_vertex>
  }
`;

const fragmentShader = /* glsl */ `
  #include <common>
  #include <lights_pars_begin>
  #include <fog_pars_fragment>
  #include <clipping_planes_pars_fragment>
  uniform mat4 projectionMatrix;
  uniform float opacity;
  varying vec3 tint;
  varying vec3 middle;
  varying float radius;
  varying mat3 turn;
  void main() {
    #include <clipping_planes_fragment>
    vec2 place = vec2(2.0 * gl_PointCoord.x - 1.0, 1.0 - 2.0 * gl_PointCoord.y);
    float square = dot(place, place);
    if (square > 1.0) discard;
    vec3 normal = vec3(place, sqrt(1.0 - square));
    vec4 clip = projectionMatrix * vec4(middle + radius * normal, 1.0);
    gl_FragDepth = 0.5 + 0.5 * clip.z / clip.w;
    // Two tones in eight sectors, as the texture of the meshes has them: turning balls are seen to turn.
    vec3 own = (vec4(normal, 0.0) * viewMatrix).xyz * turn;
    bool dark = (own.x * own.y < 0.0) == (own.z > 0.0);
    vec3 light = vec3(0.0);
    #if NUM_DIR_LIGHTS > 0
      light += directionalLights[0].color * max(dot(normal, directionalLights[0].direction), 0.0);
    #endif
    #if NUM_HEMI_LIGHTS > 0
      light += getHemisphereLightIrradiance(hemisphereLights[0], normal);
    #endif
    gl_FragColor = vec4(tint * (dark ? 0.55 : 1.0) * light * RECIPROCAL_PI, opacity);
    #include <tonemapping_fragment>
    #include <colorspace_fragment>
    #include <fog_fragment>
  }
`;

/** Draws what the matrices and colours of the instances of a unit ball say; the mesh itself is kept
 * for picking. */
export class Sprites {
  readonly points: THREE.Points;
  readonly material: THREE.ShaderMaterial;
  private matrices: THREE.InterleavedBuffer;

  constructor(private readonly mesh: THREE.InstancedMesh) {
    this.matrices = new THREE.InterleavedBuffer(mesh.instanceMatrix.array as Float32Array, 16);
    const column = (first: number) => new THREE.InterleavedBufferAttribute(this.matrices, 3, first);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("axisX", column(0));
    geometry.setAttribute("axisY", column(4));
    geometry.setAttribute("axisZ", column(8));
    geometry.setAttribute("position", column(12));
    this.material = new THREE.ShaderMaterial({
      vertexShader,
      fragmentShader,
      uniforms: THREE.UniformsUtils.merge([
        THREE.UniformsLib.lights,
        THREE.UniformsLib.fog,
        { height: { value: 1 }, opacity: { value: 1 } },
      ]),
      vertexColors: true,
      lights: true,
      fog: true,
      clipping: true,
    });
    this.points = new THREE.Points(geometry, this.material);
    this.points.frustumCulled = false;
    const viewport = new THREE.Vector4();
    this.points.onBeforeRender = (renderer) => {
      this.material.uniforms["height"]!.value = renderer.getCurrentViewport(viewport).w;
      this.material.uniforms["opacity"]!.value = this.material.opacity;
      this.material.uniformsNeedUpdate = true;
    };
    mesh.visible = false;
  }

  /** To be called when matrices or colours have changed. */
  update(): void {
    const colours = this.mesh.instanceColor;
    if (colours && !this.points.geometry.hasAttribute("color"))
      this.points.geometry.setAttribute("color", new THREE.BufferAttribute(colours.array, 3));
    this.matrices.needsUpdate = true;
    const colour = this.points.geometry.getAttribute("color");
    if (colour) (colour as THREE.BufferAttribute).needsUpdate = true;
  }

  dispose(): void {
    this.points.geometry.dispose();
    this.material.dispose();
  }
}
