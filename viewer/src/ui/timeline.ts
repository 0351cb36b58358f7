// The timeline: a bar with the events of the run, to click, drag and read.

import type { EventData } from "../data/header";
import { eventColours } from "../scene/palette";
import { formatNumber, make } from "./dom";

const reach = 6; // pixels: a click this near to an event goes to the event

export function describeEvent(event: EventData): string {
  const time = `t = ${formatNumber(event.time)} s`;
  switch (event.kind) {
    case "impact":
      return (
        `${time}: impact of ${event.subject}, ${formatNumber(event.value)} N s` +
        (event.count > 1 ? `, ${event.count} points` : "")
      );
    case "slip":
      return `${time}: ${event.subject} begins to slip`;
    case "stick":
      return `${time}: ${event.subject} sticks`;
    case "failure":
      return `${time}: ${event.subject}`;
    default:
      return `${time}: ${event.subject} = ${formatNumber(event.value)}`;
  }
}

export class Timeline {
  readonly element = make("div", { class: "timeline" });
  private canvas = make("canvas");
  private tip = make("div", { class: "tip" });
  private begin = 0;
  private end = 1;
  private time = 0;
  private events: EventData[] = [];

  constructor(private readonly seek: (time: number, event?: EventData) => void) {
    this.element.append(this.canvas, this.tip);
    this.tip.hidden = true;
    this.canvas.addEventListener("pointerdown", (e) => {
      this.canvas.setPointerCapture(e.pointerId);
      const event = this.nearest(e.offsetX);
      if (event) this.seek(event.time, event);
      else this.seek(this.timeAt(e.offsetX));
    });
    this.canvas.addEventListener("pointermove", (e) => {
      if (e.buttons & 1) this.seek(this.timeAt(e.offsetX));
      this.showTip(e.offsetX);
    });
    this.canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  set(begin: number, end: number, events: EventData[]): void {
    this.begin = begin;
    this.end = Math.max(end, begin);
    this.events = events;
    this.draw();
  }
  setTime(time: number): void {
    this.time = time;
    this.draw();
  }

  private get width(): number {
    return Math.max(1, this.element.clientWidth);
  }
  private place(time: number): number {
    return this.end > this.begin ? ((time - this.begin) / (this.end - this.begin)) * this.width : 0;
  }
  private timeAt(x: number): number {
    return (
      this.begin + (Math.min(Math.max(x, 0), this.width) / this.width) * (this.end - this.begin)
    );
  }
  private nearest(x: number): EventData | undefined {
    let best: EventData | undefined;
    let distance = reach;
    for (const event of this.events) {
      const d = Math.abs(this.place(event.time) - x);
      if (d < distance) [best, distance] = [event, d];
    }
    return best;
  }

  private showTip(x: number): void {
    const event = this.nearest(x);
    this.tip.textContent = event ? describeEvent(event) : `t = ${formatNumber(this.timeAt(x))} s`;
    this.tip.hidden = false;
    this.tip.style.left = `${Math.min(Math.max(0, x - this.tip.offsetWidth / 2), this.width - this.tip.offsetWidth)}px`;
  }

  private draw(): void {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [this.width, Math.max(1, this.element.clientHeight)];
    if (this.canvas.width !== Math.round(width * ratio))
      this.canvas.width = Math.round(width * ratio);
    if (this.canvas.height !== Math.round(height * ratio))
      this.canvas.height = Math.round(height * ratio);
    const g = this.canvas.getContext("2d");
    if (!g) return;
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    const style = getComputedStyle(this.element);
    g.fillStyle = style.getPropertyValue("--track") || "#888";
    g.fillRect(0, height - 10, width, 6);
    g.fillStyle = style.getPropertyValue("--accent") || "#28c";
    g.fillRect(0, height - 10, this.place(this.time), 6);
    // The last drawn is on top: rare kinds over frequent ones.
    for (const kind of ["impact", "slip", "stick", "user", "flagged", "failure"]) {
      g.fillStyle = eventColours[kind] ?? "#888";
      for (const event of this.events) {
        if (event.kind === kind) g.fillRect(this.place(event.time) - 1, 3, 2, height - 15);
      }
    }
    g.beginPath();
    g.arc(this.place(this.time), height - 7, 6, 0, 2 * Math.PI);
    g.fillStyle = style.getPropertyValue("--accent") || "#28c";
    g.fill();
  }
}
