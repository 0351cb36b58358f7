// What scripts may ask of the page: tests read poses back from the scene graph, 'saltus render' sets
// the time and takes pictures.

import type { App } from "./app";
import type { Quat, Vec3 } from "./data/header";
import type { Visibility } from "./scene/stage";
import type { Preset } from "./scene/view";
import { Recorder } from "./ui/export";

export interface Probe {
  goTo(time: number): Promise<void>;
  goToFrame(frame: number): Promise<void>;
  pose(result: number, body: number): { position: Vec3; orientation: Quat } | undefined;
  state(): {
    time: number;
    frame: number;
    playing: boolean;
    selection: string;
    events: number;
    begin: number;
    end: number;
    plots: string[];
    traces: number;
    arrows: Vec3;
    results: number;
    theme: string;
  };
  frames(result: number): number;
  camera(preset: Preset): void;
  show(key: keyof Visibility, on: boolean): void;
  cursor(plot: string): number | undefined;
  play(on: boolean): void;
  /** A film of so many milliseconds; its size in bytes. */
  record(milliseconds: number): Promise<number>;
}

declare global {
  interface Window {
    saltus: Probe;
  }
}

export function describeForTests(app: App): void {
  window.saltus = {
    goTo: (time) => app.goTo(time),
    goToFrame: (frame) => app.goTo(app.shownResults[0]!.times[frame] ?? 0),
    pose: (result, body) => app.stages[result]?.bodies.readDrawnPose(body),
    state: () => ({
      time: app.time,
      frame: app.shownStages[0]!.instant.frame,
      playing: app.playing,
      selection: app.selection?.name ?? "",
      events: app.events.length,
      begin: app.begin,
      end: app.end,
      plots: app.plots.names,
      traces: app.shownStages[0]!.traces.count,
      arrows: app.shownStages[0]!.arrowCounts,
      results: app.results.length,
      theme: document.documentElement.dataset["theme"] ?? "",
    }),
    frames: (result) => app.results[result]?.header.frames ?? 0,
    camera: (preset) => app.setCamera(preset),
    show: (key, on) => {
      if (app.show[key] !== on) app.toggle(key);
    },
    cursor: (plot) => app.plots.cursorOf(plot),
    play: (on) => {
      if (app.playing !== on) app.togglePlay();
    },
    record: async (milliseconds) => {
      const recorder = new Recorder(document.querySelector("canvas.picture") as HTMLCanvasElement);
      recorder.start();
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      return (await recorder.stop()).size;
    },
  };
}
