// What the keys do; help.ts lists them for the user.

import type { App } from "../app";
import type { Visibility } from "../scene/stage";
import { presets } from "../scene/view";

const marks: Record<string, keyof Visibility> = {
  c: "contacts",
  k: "cones",
  j: "joints",
  g: "springs",
  v: "velocities",
  t: "traces",
  b: "ground",
  x: "xray",
};

const actions: Record<string, (app: App, shift: boolean) => void> = {
  " ": (app) => app.togglePlay(),
  ArrowLeft: (app, shift) => app.step(shift ? -10 : -1),
  ArrowRight: (app, shift) => app.step(shift ? 10 : 1),
  Home: (app) => app.seek(app.begin),
  End: (app) => app.seek(app.end),
  e: (app) => app.stepEvent(1),
  E: (app) => app.stepEvent(-1),
  "+": (app) => app.changeSpeed(1),
  "-": (app) => app.changeSpeed(-1),
  f: (app) => app.setCamera(undefined),
  o: (app) => app.followSelection(),
  h: (app) => app.hideSelection(),
  n: (app) => void app.traceSelection(),
  d: (app) => app.setTheme(!app.dark),
  p: (app) => app.takePicture(),
  r: (app) => void app.toggleRecord(),
  s: (app) => app.toolbar.sectionAxis.focus(),
  m: (app) => app.togglePanels(),
  "?": (app) => app.help.showModal(),
  Escape: (app) => app.select(undefined),
};

/** Acts on a key unless it belongs to a field or to the browser. */
export function pressKey(app: App, e: KeyboardEvent): void {
  const typing = e.target instanceof HTMLInputElement || e.target instanceof HTMLSelectElement;
  if (typing || e.ctrlKey || e.metaKey || e.altKey) return;
  const mark = marks[e.key];
  const camera = presets[Number(e.key) - 1];
  if (mark) app.toggle(mark);
  else if (camera) app.setCamera(camera);
  else if (actions[e.key]) actions[e.key]!(app, e.shiftKey);
  else return;
  e.preventDefault();
}
