// Colours of both themes, and the patterns that make rotations visible.

import * as THREE from "three";

export interface Theme {
  background: number;
  floor: number;
  grid: string;
  sky: number;
  skyIntensity: number;
  sunIntensity: number;
  outline: number;
}

export const themes: Record<"light" | "dark", Theme> = {
  light: {
    background: 0xeef1f4,
    floor: 0xe3e7eb,
    grid: "#c3cad2",
    sky: 0xffffff,
    skyIntensity: 1.6,
    sunIntensity: 2.2,
    outline: 0x30363d,
  },
  dark: {
    background: 0x1b2128,
    floor: 0x46525f,
    grid: "#66727e",
    sky: 0xd5e1ee,
    skyIntensity: 1.3,
    sunIntensity: 2.2,
    outline: 0xc9d4df,
  },
};

const bodyColours = [
  0x2a7fba, 0xe08a2e, 0x3aa17e, 0xc8553d, 0x8a6bbf, 0xd9b23b, 0x5b8e3e, 0x4cb3c9, 0xb5577e,
  0x7a8794,
];

const clay = [0xc47a58, 0xb5694a, 0xcf8d6b, 0xa9613f, 0xbd7f63, 0xd29a78, 0xb07055];
const many = 40; // boxes: from here on they are bricks

/** Walls and stacks of boxes get one family of colours, everything else all. */
export function bodyColour(index: number, bricks = false): THREE.Color {
  const colours = bricks ? clay : bodyColours;
  return new THREE.Color(colours[(bricks ? index * 5 : index) % colours.length]);
}

export function areBricks(boxes: number): boolean {
  return boxes >= many;
}

export const groundColour = new THREE.Color(0x9aa4ae);
export const selectionColour = new THREE.Color(0xffe14d);
export const markColours = {
  normal: 0xe8590c,
  friction: 0x7048e8,
  impulse: 0xe03131,
  velocity: 0x1c7ed6,
  joint: 0x495057,
  spring: 0x868e96,
  cone: 0xf08c00,
  trace: 0xd6336c,
};

export const eventColours: Record<string, string> = {
  impact: "#e03131",
  slip: "#7048e8",
  stick: "#2f9e44",
  user: "#1c7ed6",
  failure: "#c2255c",
  flagged: "#f08c00",
};

function draw(
  width: number,
  height: number,
  paint: (g: CanvasRenderingContext2D) => void,
): THREE.CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (context) paint(context);
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  texture.anisotropy = 8;
  return texture;
}

/** Two tones in sectors, multiplied with the colour of the body: a rolling ball is seen to roll. */
export function makeSectors(): THREE.Texture {
  return draw(256, 128, (g) => {
    g.fillStyle = "#ffffff";
    g.fillRect(0, 0, 256, 128);
    g.fillStyle = "#c4c4c4";
    for (let i = 0; i < 4; ++i) g.fillRect(64 * i + (i % 2) * 0, i % 2 === 0 ? 0 : 64, 64, 64);
  });
}

/** A darker frame around each face of a box. */
export function makeFrame(): THREE.Texture {
  return draw(128, 128, (g) => {
    g.fillStyle = "#b4b4b4";
    g.fillRect(0, 0, 128, 128);
    g.fillStyle = "#ffffff";
    g.fillRect(3, 3, 122, 122);
  });
}

/** One cell of the grid of the floor. */
export function makeGrid(theme: Theme): THREE.Texture {
  const texture = draw(256, 256, (g) => {
    g.fillStyle = new THREE.Color(theme.floor).getStyle();
    g.fillRect(0, 0, 256, 256);
    g.strokeStyle = theme.grid;
    g.lineWidth = 3;
    g.strokeRect(0, 0, 256, 256);
  });
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  return texture;
}
