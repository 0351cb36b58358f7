// The bar above the picture: what is shown, cameras, section, theme, export.

import { presets, type Preset } from "../scene/view";
import type { Visibility } from "../scene/stage";
import { button, make } from "./dom";

export interface ToolbarActions {
  toggle: (key: keyof Visibility) => void;
  camera: (preset: Preset) => void;
  fit: () => void;
  section: (axis: string, place: number) => void;
  arrows: (scale: number) => void;
  theme: () => void;
  picture: () => void;
  record: () => void;
  help: () => void;
  tab: (index: number) => void;
}

const labels: [keyof Visibility, string, string][] = [
  ["contacts", "forces", "contact forces and impulses (c)"],
  ["cones", "cones", "friction cones (k)"],
  ["joints", "joints", "joints and their axes (j)"],
  ["springs", "springs", "springs and dampers (g)"],
  ["velocities", "velocities", "velocities (v)"],
  ["traces", "traces", "paths (t)"],
  ["ground", "ground", "ground (b)"],
  ["xray", "x-ray", "see through the bodies (x)"],
];

export class Toolbar {
  readonly element = make("header", { class: "toolbar" });
  private toggles = new Map<keyof Visibility, HTMLButtonElement>();
  private tabs = make("div", { class: "tabs" });
  private recordButton: HTMLButtonElement;
  readonly sectionAxis = make("select", {
    title: "section plane (s)",
    "aria-label": "section plane",
  });
  readonly sectionPlace = make("input", { type: "range", title: "place of the section" });

  constructor(private readonly actions: ToolbarActions) {
    const marks = make("div", { class: "group" });
    for (const [key, text, title] of labels) {
      const toggle = button(text, title, () => actions.toggle(key));
      this.toggles.set(key, toggle);
      marks.append(toggle);
    }
    const camera = make("select", { title: "camera (1 to 7)", "aria-label": "camera" });
    camera.append(...presets.map((preset) => make("option", { value: preset, text: preset })));
    camera.addEventListener("change", () => actions.camera(camera.value as Preset));
    const scale = make("input", {
      type: "range",
      title: "length of the arrows",
      "aria-label": "length of the arrows",
      class: "short",
    });
    Object.assign(scale, { min: "-2", max: "2", step: "0.1", value: "0" });
    scale.addEventListener("input", () => actions.arrows(2 ** Number(scale.value)));
    for (const axis of ["no section", "right", "front", "up"])
      this.sectionAxis.append(make("option", { value: axis, text: axis }));
    Object.assign(this.sectionPlace, {
      min: "-0.6",
      max: "0.6",
      step: "0.005",
      value: "0",
      hidden: true,
    });
    const cut = () => {
      this.sectionPlace.hidden = this.sectionAxis.value === "no section";
      actions.section(this.sectionAxis.value, Number(this.sectionPlace.value));
    };
    this.sectionAxis.addEventListener("change", cut);
    this.sectionPlace.addEventListener("input", cut);
    this.recordButton = button("film", "record WebM while it plays (r)", actions.record);
    this.element.append(
      this.tabs,
      marks,
      scale,
      make("div", { class: "group" }, camera, button("fit", "everything in view (f)", actions.fit)),
      make("div", { class: "group" }, this.sectionAxis, this.sectionPlace),
      make(
        "div",
        { class: "group end" },
        button("picture", "save a PNG (p)", actions.picture),
        this.recordButton,
        button("◐", "dark or light (d)", actions.theme),
        button("?", "help (?)", actions.help),
      ),
    );
  }

  setTabs(names: string[], chosen: number, single: boolean): void {
    this.tabs.replaceChildren(
      ...names.map((name, i) => {
        if (!single) return make("span", { class: "tab", text: name });
        const tab = button(name, name, () => this.actions.tab(i));
        tab.className = i === chosen ? "tab chosen" : "tab";
        return tab;
      }),
    );
  }
  update(show: Visibility, recording: boolean): void {
    for (const [key, toggle] of this.toggles)
      toggle.setAttribute("aria-pressed", String(show[key]));
    this.recordButton.textContent = recording ? "stop" : "film";
    this.recordButton.classList.toggle("recording", recording);
  }
}
