// What is selected, in numbers at the present instant.

import * as THREE from "three";
import type { Result } from "../data/result";
import type { Stage } from "../scene/stage";
import { button, formatNumber, make } from "./dom";
import type { Item } from "./tree";

export interface Actions {
  follow: () => void;
  trace: () => void;
  hide: () => void;
  plot: (channel: string) => void;
}

/** Rows of a stream for one item, if its chunk is loaded; asks for it otherwise. */
function readItem(
  result: Result,
  stream: string,
  frame: number,
  index: number,
  width: number,
): number[] | undefined {
  if (!result.hasStream(stream)) return undefined;
  const chunk = Math.floor(frame / result.header.chunk_frames);
  const columns = stream.startsWith("bodies")
    ? result.header.bodies.length
    : (result.header.joints?.length ?? 0);
  const row = new Float64Array(columns * width);
  if (!result.readRow(stream, frame, row)) {
    void result.table(stream, chunk);
    return undefined;
  }
  return Array.from(row.subarray(index * width, (index + 1) * width));
}

export class Values {
  readonly element = make("div", { class: "values" });
  private head = make("div");
  private table = make("table");
  private item: Item | undefined;
  private stage: Stage | undefined;

  constructor(private readonly actions: Actions) {
    this.element.append(this.head, this.table);
    this.set(undefined, undefined);
  }

  set(item: Item | undefined, stage: Stage | undefined): void {
    this.item = item;
    this.stage = stage;
    this.head.replaceChildren();
    this.table.replaceChildren();
    if (!item) {
      this.head.append(make("p", { class: "hint", text: "Click a body, or a name in the tree." }));
      return;
    }
    this.head.append(make("b", { class: "chosen", text: item.name }));
    const row = make("div", { class: "buttons" });
    if (item.kind === "body") {
      row.append(
        button("follow", "the camera goes along (double click)", this.actions.follow),
        button("trace", "draw the path of the clicked point", this.actions.trace),
      );
    }
    if (item.kind !== "contact") row.append(button("hide", "hide or show it", this.actions.hide));
    const channels = this.suggestChannels(item);
    for (const channel of channels) {
      row.append(
        button(
          `plot ${channel.slice(item.name.length + (item.kind === "contact" ? 9 : 1))}`,
          `plot ${channel}`,
          () => this.actions.plot(channel),
        ),
      );
    }
    this.head.append(row);
    this.update();
  }

  private suggestChannels(item: Item): string[] {
    const joint = this.stage?.result.header.joints?.[item.index];
    switch (item.kind) {
      case "body":
        return [
          `${item.name}.position.x`,
          `${item.name}.position.z`,
          `${item.name}.velocity.x`,
          `${item.name}.velocity.z`,
        ];
      case "joint":
        return [
          joint?.coordinate ? `${item.name}.${joint.coordinate}` : "",
          `${item.name}.force.x`,
          `${item.name}.force.z`,
        ].filter(Boolean);
      case "contact":
        return [
          `contact.${item.name}.force.n`,
          `contact.${item.name}.force.t`,
          `contact.${item.name}.gap`,
        ];
      default:
        return [];
    }
  }

  update(): void {
    const { item, stage } = this;
    if (!item || !stage) return;
    const rows: [string, string][] = [];
    const frame = stage.instant.frame;
    const list = (numbers: number[] | undefined) =>
      numbers ? numbers.map(formatNumber).join("  ") : "…";
    const header = stage.result.header;
    if (item.kind === "body") {
      const mass = header.bodies[item.index]?.mass;
      if (mass !== undefined) rows.push(["mass [kg]", formatNumber(mass)]);
      const p = stage.bodies.position(item.index);
      rows.push(["position [m]", list([p.x, p.y, p.z])]);
      const pose = stage.bodies.readPose(item.index, new THREE.Matrix4());
      const angles = new THREE.Euler().setFromRotationMatrix(pose, "ZYX");
      rows.push([
        "yaw pitch roll [°]",
        list([angles.z, angles.y, angles.x].map(THREE.MathUtils.radToDeg)),
      ]);
      rows.push([
        "velocity [m/s]",
        list(readItem(stage.result, "bodies.velocity", frame, item.index, 3)),
      ]);
      rows.push([
        "angular [rad/s]",
        list(readItem(stage.result, "bodies.angular_velocity", frame, item.index, 3)),
      ]);
    } else if (item.kind === "joint") {
      const joint = header.joints?.[item.index];
      rows.push(["type", joint?.type ?? ""]);
      if (joint?.coordinate)
        rows.push([
          joint.coordinate,
          list(readItem(stage.result, "joints.coordinate", frame, item.index, 1)),
        ]);
      rows.push(["force [N]", list(readItem(stage.result, "joints.force", frame, item.index, 3))]);
      rows.push([
        "torque [N m]",
        list(readItem(stage.result, "joints.torque", frame, item.index, 3)),
      ]);
    } else if (item.kind === "contact") {
      const points = stage.result
        .contactsAt(frame)
        .filter((contact) => contact.name === item.index);
      const sum = new THREE.Vector3();
      for (const point of points) sum.add(new THREE.Vector3(...point.force));
      rows.push(["points", String(points.length)], ["force [N]", list([sum.x, sum.y, sum.z])]);
    } else {
      const element = header.elements?.[item.index];
      rows.push(["kind", element?.kind ?? ""]);
      if (element)
        rows.push([
          "length [m]",
          formatNumber(
            stage.bodies
              .toWorld(element.a, element.pa)
              .distanceTo(stage.bodies.toWorld(element.b, element.pb)),
          ),
        ]);
    }
    this.table.replaceChildren(
      ...rows.map(([name, value]) =>
        make("tr", {}, make("td", { text: name }), make("td", { class: "number", text: value })),
      ),
    );
  }
}
