// The keys, and a dialog that lists them.

import { make } from "./dom";

export const keys: [string, string][] = [
  ["space", "play or pause"],
  ["← →", "one frame back or forth (with shift: ten)"],
  ["home, end", "first, last frame"],
  ["e, E", "next, previous event"],
  ["+ −", "faster, slower"],
  ["1 … 7", "camera: iso, front, back, left, right, top, bottom"],
  ["f", "everything in view"],
  ["o", "follow the selected body"],
  ["h", "hide or show the selection"],
  ["n", "trace of the selection"],
  ["c k j g v t b x", "forces, cones, joints, springs, velocities, traces, ground, x-ray"],
  ["s", "section plane"],
  ["d", "dark or light"],
  ["p", "picture"],
  ["r", "record a film"],
  ["m", "panels on or off"],
  ["esc", "select nothing"],
];

export function makeHelp(): HTMLDialogElement {
  const table = make("table");
  for (const [key, meaning] of keys)
    table.append(
      make("tr", {}, make("td", {}, make("kbd", { text: key })), make("td", { text: meaning })),
    );
  const dialog = make(
    "dialog",
    { class: "help" },
    make("h2", { text: "Keys" }),
    table,
    make("p", {
      text: "Drag to turn, right drag (two fingers) to move, wheel (pinch) to zoom. Click a body to select it, double click to follow it. Click an event on the timeline to go there.",
    }),
  );
  dialog.addEventListener("click", () => dialog.close());
  return dialog;
}
