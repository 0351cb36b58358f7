// Plots of channels over time, with a cursor that follows the clock. A click goes to a time.

import uPlot from "uplot";
import type { Result } from "../data/result";
import { button, formatNumber, make } from "./dom";

const lineColours = [
  "#1c7ed6",
  "#e8590c",
  "#2f9e44",
  "#c2255c",
  "#7048e8",
  "#f08c00",
  "#0c8599",
  "#495057",
];
const mostSuggestions = 200;

interface Plot {
  name: string;
  unit: string;
  card: HTMLElement;
  chart: uPlot;
  value: HTMLElement;
}

export class Plots {
  readonly element = make("div", { class: "plots" });
  private cards = make("div");
  private input = make("input", { type: "search", "aria-label": "channel to plot" });
  private suggestions = make("datalist", { id: "channel-names" });
  private plots: Plot[] = [];
  private time = 0;

  constructor(
    private results: () => Result[],
    private readonly seek: (time: number) => void,
  ) {
    this.input.setAttribute("list", "channel-names");
    this.input.placeholder = "add a channel …";
    this.input.addEventListener("input", () => this.suggest());
    this.input.addEventListener("focus", () => this.suggest());
    this.input.addEventListener("change", () => {
      const name = this.input.value;
      if (
        this.results().some((result) => result.channels().some((channel) => channel.name === name))
      ) {
        this.input.value = "";
        void this.add(name);
      }
    });
    this.element.append(this.input, this.suggestions, this.cards);
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  get names(): string[] {
    return this.plots.map((plot) => plot.name);
  }

  private suggest(): void {
    const text = this.input.value.toLowerCase();
    const names = new Set<string>();
    for (const result of this.results()) {
      for (const channel of result.channels()) {
        if (names.size >= mostSuggestions) break;
        if (channel.name.toLowerCase().includes(text)) names.add(channel.name);
      }
    }
    this.suggestions.replaceChildren(...[...names].map((value) => make("option", { value })));
  }

  private get width(): number {
    return Math.max(180, this.element.clientWidth - 4);
  }

  /** One line for each result that has the channel. */
  async add(name: string): Promise<void> {
    if (this.plots.some((plot) => plot.name === name)) return;
    const found = this.results().map((result) => ({
      result,
      channel: result.channels().find((c) => c.name === name),
    }));
    const present = found.filter((entry) => entry.channel);
    const first = present[0];
    if (!first?.channel) return;
    const unit = first.channel.unit;
    const tables: [number[], (number | null)[]][] = [];
    for (const { result, channel } of present) {
      const values = await result.readChannel(channel!);
      tables.push([
        Array.from(result.times),
        Array.from(values, (v) => (Number.isFinite(v) ? v : null)),
      ]);
    }
    if (this.plots.some((plot) => plot.name === name)) return; // Asked for twice while reading.
    const value = make("span", { class: "value" });
    const holder = make("div");
    const card = make(
      "div",
      { class: "card" },
      make(
        "div",
        { class: "card-head" },
        make("b", { text: name }),
        make("small", { text: ` [${unit}]` }),
        value,
        button("×", "remove this plot", () => this.remove(name)),
      ),
      holder,
    );
    this.cards.append(card);
    const chart = this.draw(holder, tables);
    this.plots.push({ name, unit, card, chart, value });
    this.setTime(this.time);
  }

  private draw(holder: HTMLElement, tables: [number[], (number | null)[]][]): uPlot {
    const ink = () => getComputedStyle(this.element).color;
    const faint = () => getComputedStyle(this.element).getPropertyValue("--track");
    const axis: uPlot.Axis = {
      stroke: ink,
      grid: { stroke: faint, width: 1 },
      ticks: { stroke: faint },
      font: "11px system-ui",
    };
    const options: uPlot.Options = {
      width: this.width,
      height: 130,
      legend: { show: false },
      cursor: { drag: { x: true, y: false }, points: { show: false } },
      scales: { x: { time: false } },
      axes: [
        { ...axis, size: 26 },
        { ...axis, size: 58, values: (_, ticks) => ticks.map((t) => formatNumber(t)) },
      ],
      series: [
        {},
        ...tables.map((_, i): uPlot.Series => ({
          stroke: lineColours[i % lineColours.length]!,
          width: 1.4,
          spanGaps: false,
          points: { show: false },
        })),
      ],
      hooks: {
        draw: [
          (chart) => {
            const x = chart.valToPos(this.time, "x", true);
            chart.ctx.fillStyle = "#e03131";
            chart.ctx.fillRect(x - 1, chart.bbox.top, 2, chart.bbox.height);
          },
        ],
        ready: [
          (chart) => {
            chart.over.addEventListener("click", (e) => this.seek(chart.posToVal(e.offsetX, "x")));
          },
        ],
      },
    };
    const data =
      tables.length === 1
        ? tables[0]!
        : uPlot.join(
            tables as unknown as uPlot.AlignedData[],
            tables.map((t) => t.map(() => 1)),
          );
    if (tables.length > 1) options.series.slice(1).forEach((series) => (series.spanGaps = true));
    return new uPlot(options, data as uPlot.AlignedData, holder);
  }

  remove(name: string): void {
    for (const plot of this.plots.filter((p) => p.name === name)) {
      plot.chart.destroy();
      plot.card.remove();
    }
    this.plots = this.plots.filter((p) => p.name !== name);
  }
  clear(): void {
    for (const name of this.names) this.remove(name);
  }
  /** Reads everything again, for a run that goes on or other results on screen. */
  async rebuild(): Promise<void> {
    const names = this.names;
    this.clear();
    for (const name of names) await this.add(name);
  }

  setTime(time: number): void {
    this.time = time;
    for (const plot of this.plots) {
      plot.chart.redraw(false, false);
      const index = plot.chart.valToIdx(time);
      plot.value.textContent = formatNumber(plot.chart.data[1]?.[index]);
    }
  }
  /** The time that the cursor of a plot stands at, in its pixels. */
  cursorOf(name: string): number | undefined {
    const plot = this.plots.find((p) => p.name === name);
    return plot?.chart.valToPos(this.time, "x");
  }
  resize(): void {
    for (const plot of this.plots) plot.chart.setSize({ width: this.width, height: 130 });
  }
}
