// The application: results, clock, selection, and what ties the panels to the picture.

import * as THREE from "three";
import type { EventData, Vec3 } from "./data/header";
import { Result } from "./data/result";
import { EmbeddedSource, type Page, ServedSource } from "./data/source";
import { themes } from "./scene/palette";
import { Stage, type Visibility } from "./scene/stage";
import { type Preset, View } from "./scene/view";
import { makeAudit } from "./ui/audit";
import { button, download, formatNumber, make, panel } from "./ui/dom";
import { Recorder, savePicture } from "./ui/export";
import { makeHelp } from "./ui/help";
import { pressKey } from "./ui/keyboard";
import { Plots } from "./ui/plots";
import { describeEvent, Timeline } from "./ui/timeline";
import { Toolbar } from "./ui/toolbar";
import { type Item, Tree } from "./ui/tree";
import { Values } from "./ui/values";

const speeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20];
const pollInterval = 1000; // ms, while a run goes on

export class App {
  readonly root = make("div", { class: "app" });
  readonly show: Visibility = {
    contacts: true,
    cones: false,
    joints: true,
    springs: true,
    velocities: false,
    traces: true,
    ground: true,
    xray: false,
  };
  results: Result[] = [];
  stages: Stage[] = [];
  time = 0;
  playing = false;
  speed = 1;
  selection: Item | undefined;
  view!: View;
  plots: Plots;
  chosen = 0; // the tab on screen, one at a time

  private picked: Vec3 = [0, 0, 0];
  private canvas = make("canvas", { class: "picture" });
  private stageBox = make("main", { class: "stage" }, this.canvas);
  private status = make("div", { class: "status" });
  private labels = make("div", { class: "labels" });
  private clock = make("output", { class: "clock" });
  private playButton = button("▶", "play or pause (space)", () => this.togglePlay());
  private speedLabel = make("select", { title: "speed (+ −)", "aria-label": "speed" });
  private timeline = new Timeline((time, event) => this.seek(time, event));
  private tree: Tree;
  private values: Values;
  private auditBox = make("div");
  readonly toolbar: Toolbar;
  readonly help = makeHelp();
  private recorder = new Recorder(this.canvas);
  dark = false;
  private dirty = true;
  private lastTick = 0;

  constructor(readonly page: Page) {
    this.plots = new Plots(
      () => this.shownResults,
      (time) => this.seek(time),
    );
    this.values = new Values({
      follow: () => this.followSelection(),
      trace: () => void this.traceSelection(),
      hide: () => this.hideSelection(),
      plot: (name) => void this.plots.add(name),
    });
    this.tree = new Tree({
      select: (item) => this.select(item),
      hide: (item, hidden) => this.setHidden(item, hidden),
      isHidden: (item) => this.isHidden(item),
      follow: (item) => {
        this.select(item);
        this.followSelection();
      },
    });
    this.toolbar = new Toolbar({
      toggle: (key) => this.toggle(key),
      camera: (preset) => this.setCamera(preset),
      fit: () => this.setCamera(undefined),
      section: (axis, place) => this.setSection(axis, place),
      arrows: (scale) => this.setArrows(scale),
      theme: () => this.setTheme(!this.dark),
      picture: () => this.takePicture(),
      record: () => void this.toggleRecord(),
      help: () => this.help.showModal(),
      tab: (i) => this.showTab(i),
    });
  }

  get single(): boolean {
    return this.page.layout === "single" && this.results.length > 1;
  }
  get shownStages(): Stage[] {
    return this.single ? this.stages.slice(this.chosen, this.chosen + 1) : this.stages;
  }
  get shownResults(): Result[] {
    return this.shownStages.map((stage) => stage.result);
  }
  private get mainStage(): Stage {
    return this.shownStages[0]!;
  }
  private get name(): string {
    return (this.mainStage.result.header.title || "saltus").replace(/[^\w.-]+/g, "_");
  }
  get begin(): number {
    return Math.min(...this.shownResults.map((result) => result.begin));
  }
  get end(): number {
    return Math.max(...this.shownResults.map((result) => result.end));
  }
  get events(): EventData[] {
    return this.shownResults
      .flatMap((result) => result.header.events ?? [])
      .sort((a, b) => a.time - b.time);
  }

  async start(): Promise<void> {
    for (let i = 0; i < this.page.results; ++i) {
      const source = this.page.embedded ? new EmbeddedSource(i) : new ServedSource(i);
      this.results.push(await Result.open(source));
    }
    if (!this.results.length) throw new Error("The page holds no result.");
    this.view = new View(this.canvas);
    this.stages = this.results.map((result) => new Stage(result, this.view.drawnInSoftware()));
    this.layOut();
    const start = this.page.start ?? {};
    const dark = start.theme
      ? start.theme === "dark"
      : window.matchMedia("(prefers-color-scheme: dark)").matches;
    for (const key of Object.keys(this.show) as (keyof Visibility)[]) {
      if (start.show) this.show[key] = start.show.includes(key);
    }
    this.resize();
    this.setTheme(dark);
    this.showTab(0);
    if (start.camera) this.view.setCamera(start.camera);
    if (start.time !== undefined) await this.goTo(start.time);
    this.listen();
    requestAnimationFrame((now) => this.tick(now));
    if (!this.page.embedded && this.results.some((result) => result.header.growing)) this.poll();
    const plot = ["energy.total", "energy.kinetic"].filter((name) =>
      this.results[0]!.channels().some((c) => c.name === name),
    );
    if (!start.plain && this.results[0]!.header.frames > 1)
      for (const name of plot) await this.plots.add(name);
  }

  private layOut(): void {
    const side = make(
      "aside",
      { class: "side left" },
      panel("Mechanism", this.tree.element),
      panel("Selection", this.values.element),
    );
    const right = make(
      "aside",
      { class: "side right" },
      panel("Audit", this.auditBox),
      panel("Plots", this.plots.element),
    );
    for (const speed of speeds)
      this.speedLabel.append(make("option", { value: String(speed), text: `${speed}×` }));
    this.speedLabel.addEventListener("change", () => (this.speed = Number(this.speedLabel.value)));
    const bar = make(
      "footer",
      { class: "bar" },
      button("|◀", "first frame (home)", () => this.seek(this.begin)),
      button("◀|", "one frame back (←)", () => this.step(-1)),
      this.playButton,
      button("▶|", "one frame forth (→)", () => this.step(1)),
      this.speedLabel,
      this.timeline.element,
      this.clock,
    );
    this.stageBox.append(this.labels, this.status);
    this.root.append(
      this.toolbar.element,
      make("div", { class: "middle" }, side, this.stageBox, right),
      bar,
      this.help,
    );
    if (this.page.start?.plain) this.root.classList.add("plain");
    if (window.innerWidth < 800) this.root.classList.add("narrow");
    document.body.append(this.root); // Beside the data, which is read when it is needed.
  }

  private listen(): void {
    new ResizeObserver(() => this.resize()).observe(this.stageBox);
    let down = { x: 0, y: 0 };
    this.canvas.addEventListener("pointerdown", (e) => (down = { x: e.offsetX, y: e.offsetY }));
    this.canvas.addEventListener("pointermove", () => (this.dirty = true));
    this.canvas.addEventListener("wheel", () => (this.dirty = true));
    this.canvas.addEventListener("click", (e) => {
      if (Math.hypot(e.offsetX - down.x, e.offsetY - down.y) > 5) return; // It was a turn.
      this.pickAt(e.offsetX, e.offsetY);
    });
    this.canvas.addEventListener("dblclick", () => this.followSelection());
    document.addEventListener("keydown", (e) => pressKey(this, e));
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.stageBox;
    this.view.resize(Math.max(width, 1), Math.max(height, 1), window.devicePixelRatio || 1);
    this.placeLabels();
    this.dirty = true;
  }

  private placeLabels(): void {
    const panes = this.view.panes();
    this.labels.replaceChildren(
      ...(this.shownStages.length < 2
        ? []
        : this.shownStages.map((stage, i) => {
            const label = make("div", { class: "label", text: stage.result.header.file });
            label.style.left = `${panes[i]?.left ?? 0}px`;
            label.style.top = `${panes[i]?.top ?? 0}px`;
            return label;
          })),
    );
  }

  // --- Clock -------------------------------------------------------------------------------------

  private tick(now: number): void {
    const elapsed = Math.min((now - this.lastTick) / 1000, 0.25);
    this.lastTick = now;
    if (this.playing) {
      let time = this.time + elapsed * this.speed;
      if (time >= this.end) {
        if (this.recorder.running) void this.toggleRecord();
        time = this.results.some((result) => result.header.growing) ? this.end : this.begin;
      }
      if (this.setTime(time)) this.time = time;
    }
    if (this.dirty || this.playing) this.draw();
    requestAnimationFrame((next) => this.tick(next));
  }

  /** Sets every stage to a time; false if one of them still reads its frames. */
  private setTime(time: number): boolean {
    let good = true;
    for (const stage of this.shownStages) {
      const { frame } = stage.result.locate(time);
      for (const near of [frame, frame + 1, frame + stage.result.header.chunk_frames]) {
        if (near < stage.result.header.frames && !stage.result.isLoaded(near)) {
          stage.result.load(Math.floor(near / stage.result.header.chunk_frames)).then(
            () => (this.dirty = true),
            (error: Error) => this.fail(error),
          );
        }
      }
      good = stage.setTime(time, this.show) && good;
    }
    return good;
  }

  private draw(): void {
    this.dirty = !this.setTime(this.time);
    this.status.textContent = this.dirty ? "reading …" : "";
    this.view.render();
    this.timeline.setTime(this.time);
    this.plots.setTime(this.time);
    this.values.update();
    const instant = this.mainStage.instant;
    this.clock.textContent = `${this.time.toFixed(4)} s  ·  frame ${instant.frame + 1} of ${this.mainStage.result.header.frames}`;
  }

  seek(time: number, event?: EventData): void {
    this.time = Math.min(Math.max(time, this.begin), this.end);
    if (event) this.status.textContent = describeEvent(event);
    this.dirty = true;
  }

  /** Goes to a time and resolves when it is on screen. */
  async goTo(time: number): Promise<void> {
    this.playing = false;
    this.seek(time);
    for (const stage of this.shownStages) {
      const { frame } = stage.result.locate(this.time);
      const length = stage.result.header.chunk_frames;
      await stage.result.load(Math.floor(frame / length));
      await stage.result.load(
        Math.floor(Math.min(frame + 1, stage.result.header.frames - 1) / length),
      );
    }
    this.draw();
  }

  step(frames: number): void {
    this.playing = false;
    const result = this.mainStage.result;
    const { frame, fraction } = result.locate(this.time);
    const from = frames < 0 && fraction > 0 ? frame + 1 : frame;
    const target = Math.min(Math.max(from + frames, 0), result.header.frames - 1);
    this.seek(result.times[target] ?? 0);
    this.updateButtons();
  }

  stepEvent(direction: 1 | -1): void {
    const tiny = 1e-9 * Math.max(1, this.end - this.begin);
    const events = this.events.filter((event) => direction * (event.time - this.time) > tiny);
    const next = direction > 0 ? events[0] : events[events.length - 1];
    if (next) this.seek(next.time, next);
  }

  togglePlay(): void {
    if (!this.playing && this.time >= this.end) this.time = this.begin;
    this.playing = !this.playing;
    this.updateButtons();
  }

  private updateButtons(): void {
    this.playButton.textContent = this.playing ? "❙❙" : "▶";
    this.speedLabel.value = String(this.speed);
    this.toolbar.update(this.show, this.recorder.running);
  }

  private poll(): void {
    setTimeout(async () => {
      let grew = false;
      try {
        for (const result of this.results) grew = (await result.refresh()) || grew;
      } catch (error) {
        return this.fail(error as Error);
      }
      if (grew) {
        const atEnd = this.time >= this.end - 1e-9 || this.playing;
        this.fillPanels();
        if (atEnd && !this.playing) this.seek(this.end);
        await this.plots.rebuild();
        this.dirty = true;
      }
      if (this.results.some((result) => result.header.growing)) this.poll();
    }, pollInterval);
  }

  // --- What is on screen -------------------------------------------------------------------------

  showTab(index: number): void {
    this.chosen = index;
    this.playing = false;
    this.view.show(this.shownStages);
    this.placeLabels();
    this.time = this.begin;
    const duration = this.end - this.begin;
    // Real time where that is comfortable to watch, otherwise about six seconds.
    this.speed =
      duration >= 2 && duration <= 30
        ? 1
        : speeds.reduce(
            (best, s) =>
              Math.abs(Math.log(duration / s / 6)) < Math.abs(Math.log(duration / best / 6))
                ? s
                : best,
            1,
          );
    if (!(duration > 0)) this.speed = 1;
    this.setArrows(1);
    this.fillPanels();
    this.select(undefined);
    void this.plots.rebuild();
    this.updateButtons();
    this.dirty = true;
  }

  private fillPanels(): void {
    const header = this.mainStage.result.header;
    const title = (result: Result) => result.header.title || result.header.file;
    document.title = `${title(this.mainStage.result)} – Saltus`;
    const names = this.single ? this.results.map(title) : [title(this.mainStage.result)];
    this.toolbar.setTabs(names, this.chosen, this.single);
    this.tree.set([
      { title: "Bodies", kind: "body", names: header.bodies.map((body) => body.name) },
      { title: "Joints", kind: "joint", names: (header.joints ?? []).map((joint) => joint.name) },
      {
        title: "Springs and dampers",
        kind: "element",
        names: (header.elements ?? []).map((e) => e.name),
      },
      { title: "Contacts", kind: "contact", names: header.contacts ?? [] },
    ]);
    this.auditBox.replaceChildren(
      ...this.shownResults.map((result) => makeAudit(result.header, this.shownResults.length > 1)),
    );
    this.auditBox.append(
      make("p", {
        class: "hint",
        text:
          `positions rounded to ${formatNumber(header.precision.position)} m` +
          ((header.events_total ?? 0) > (header.events?.length ?? 0)
            ? `; ${header.events?.length} of ${header.events_total} events are marked`
            : ""),
      }),
    );
    this.timeline.set(this.begin, this.end, this.events);
  }

  toggle(key: keyof Visibility): void {
    this.show[key] = !this.show[key];
    this.updateButtons();
    this.dirty = true;
  }
  setCamera(preset: Preset | undefined): void {
    this.view.setPreset(preset ?? (this.mainStage.planar ? "front" : "iso"));
    this.dirty = true;
  }
  setArrows(scale: number): void {
    for (const stage of this.stages) stage.arrowScale = scale;
    this.dirty = true;
  }
  setTheme(dark: boolean): void {
    this.dark = dark;
    document.documentElement.dataset["theme"] = dark ? "dark" : "light";
    for (const stage of this.stages) stage.setTheme(themes[dark ? "dark" : "light"]);
    this.dirty = true;
  }
  /** A plane across an axis of the view, at a place in units of the size of the scene. */
  setSection(axis: string, place: number): void {
    const stage = this.mainStage;
    const normals: Record<string, THREE.Vector3> = {
      right: stage.right,
      front: stage.front,
      up: stage.up,
    };
    const normal = normals[axis];
    if (normal) {
      const outward = normal.clone().negate();
      const point = stage.center.clone().addScaledVector(normal, place * stage.size);
      this.view.setSection(new THREE.Plane().setFromNormalAndCoplanarPoint(outward, point));
    } else {
      this.view.setSection(undefined);
    }
    this.dirty = true;
  }

  takePicture(): void {
    void savePicture(this.canvas, this.name);
  }
  togglePanels(): void {
    this.root.classList.toggle("narrow");
    this.resize();
  }

  async toggleRecord(): Promise<void> {
    if (this.recorder.running) {
      const film = await this.recorder.stop();
      this.updateButtons();
      download(film, `${this.name}.webm`);
    } else {
      this.seek(this.begin);
      this.recorder.start();
      this.playing = true;
      this.updateButtons();
    }
  }

  // --- Selection ---------------------------------------------------------------------------------

  pickAt(x: number, y: number): void {
    const hit = this.view.pick(x, y);
    if (!hit || hit.body < 0) return this.select(undefined);
    this.picked = [hit.point.x, hit.point.y, hit.point.z];
    this.select(
      { kind: "body", index: hit.body, name: hit.stage.result.header.bodies[hit.body]?.name ?? "" },
      false,
    );
  }
  select(item: Item | undefined, center = true): void {
    if (center) this.picked = [0, 0, 0];
    this.selection = item;
    for (const stage of this.stages) stage.bodies.select(item?.kind === "body" ? item.index : -2);
    this.tree.select(item);
    this.values.set(item, this.mainStage);
    this.dirty = true;
  }
  private setHidden(item: Item, hidden: boolean): void {
    for (const stage of this.shownStages) {
      if (item.kind === "body") stage.bodies.setHidden(item.index, hidden);
      else if (item.kind !== "contact") stage.mechanism.setHidden(item.kind, item.index, hidden);
    }
    this.dirty = true;
  }
  private isHidden(item: Item): boolean {
    if (item.kind === "contact") return false;
    return item.kind === "body"
      ? this.mainStage.bodies.isHidden(item.index)
      : this.mainStage.mechanism.isHidden(item.kind, item.index);
  }
  hideSelection(): void {
    if (!this.selection) return;
    this.setHidden(this.selection, !this.isHidden(this.selection));
    this.tree.draw();
  }
  followSelection(): void {
    const body = this.selection?.kind === "body" ? this.selection.index : -1;
    this.view.follow(this.mainStage, body === this.view.followedBody ? -1 : body);
  }
  async traceSelection(): Promise<void> {
    if (this.selection?.kind !== "body") return;
    const { index } = this.selection;
    for (const stage of this.shownStages) {
      if (index >= stage.result.header.bodies.length) continue;
      if (stage.traces.has(index)) stage.traces.remove(index);
      else await stage.traces.add(index, this.picked, stage.size);
    }
    this.show.traces = true;
    this.dirty = true;
  }

  changeSpeed(direction: number): void {
    const index = speeds.indexOf(this.speed) + direction;
    this.speed = speeds[Math.min(Math.max(index, 0), speeds.length - 1)] ?? 1;
    this.updateButtons();
  }

  private fail(error: Error): void {
    this.playing = false;
    this.status.textContent = error.message;
    this.updateButtons();
  }
}
