// The audit: what the run says about its own trustworthiness, with a light for each entry.
//
// The verdict is the program's own. The lights of the entries follow the limits below, which are
// said in the tooltip of each light; an entry that the verdict names is never green.

import type { AuditData, Header } from "../data/header";
import { formatNumber, make } from "./dom";

export type Grade = "good" | "fair" | "poor" | "none";

interface Limit {
  fair: number; // above: fair
  poor: number; // above: poor
  relative?: "size"; // the limits are multiplied with the size of the scene
}

const limits: Record<string, Limit> = {
  max_penetration: { fair: 1e-3, poor: 1e-2, relative: "size" },
  max_constraint: { fair: 1e-4, poor: 1e-2, relative: "size" },
  max_cone_residual: { fair: 1e-6, poor: 1e-3 },
  energy_closure: { fair: 1e-3, poor: 5e-2 },
  flagged: { fair: 0, poor: Infinity },
  flagged_steps: { fair: 0, poor: Infinity },
};

function size(header: Header): number {
  if (!header.low || !header.high) return 1;
  return Math.hypot(...header.high.map((x, i) => x - header.low![i]!));
}

export function gradeEntry(entry: AuditData, header: Header): { grade: Grade; reason: string } {
  if (header.verdict?.includes(entry.key)) return { grade: "fair", reason: "named by the verdict" };
  const limit = limits[entry.key];
  if (!limit || entry.value === null) return { grade: "none", reason: "for information" };
  const scale = limit.relative ? size(header) : 1;
  const value = Math.abs(entry.value);
  const grade: Grade =
    value > limit.poor * scale ? "poor" : value > limit.fair * scale ? "fair" : "good";
  return {
    grade,
    reason: `green up to ${formatNumber(limit.fair * scale)}, red above ${formatNumber(limit.poor * scale)}`,
  };
}

export function gradeRun(header: Header): { grade: Grade; text: string } {
  const outcome = header.outcome;
  if (outcome === undefined) return { grade: "none", text: "a scene before any run" };
  const failed =
    outcome !== "running" && outcome !== "finished" && !outcome.startsWith("interrupted");
  if (header.verdict && !failed)
    return {
      grade: header.verdict === "good" ? "good" : "fair",
      text: `${outcome}; ${header.verdict}`,
    };
  if (outcome === "running") return { grade: "none", text: "running, or killed before its end" };
  if (outcome !== "finished")
    return { grade: outcome.startsWith("interrupted") ? "fair" : "poor", text: outcome };
  const order: Grade[] = ["poor", "fair"];
  for (const grade of order) {
    const keys = (header.audit ?? [])
      .filter((entry) => gradeEntry(entry, header).grade === grade)
      .map((entry) => entry.key);
    if (keys.length) return { grade, text: `finished; look at ${keys.join(", ")}` };
  }
  return { grade: "good", text: "finished, every judged entry within its limits" };
}

export function makeAudit(header: Header, title: boolean): HTMLElement {
  const { grade, text } = gradeRun(header);
  const box = make("div", { class: "audit" });
  if (title) box.append(make("b", { text: header.title || header.file }));
  box.append(
    make(
      "div",
      { class: "verdict", "data-grade": grade },
      make("i", { class: `light ${grade}` }),
      make("span", { text }),
    ),
  );
  const table = make("table");
  for (const entry of header.audit ?? []) {
    const { grade: light, reason } = gradeEntry(entry, header);
    table.append(
      make(
        "tr",
        { title: `${entry.meaning} (${reason})` },
        make("td", {}, make("i", { class: `light ${light}` })),
        make("td", { text: entry.key }),
        make("td", { class: "number", text: formatNumber(entry.value) }),
        make("td", { text: entry.unit === "1" ? "" : entry.unit }),
      ),
    );
  }
  box.append(table);
  return box;
}
