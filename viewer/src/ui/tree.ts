// The tree of bodies, joints, springs and contacts: to find, select, hide and follow. Only the rows
// on screen exist, so ten thousand bodies cost no more than twenty.

import { button, make } from "./dom";

export type Kind = "body" | "joint" | "element" | "contact";

export interface Item {
  kind: Kind;
  index: number;
  name: string;
}

interface Section {
  title: string;
  kind: Kind;
  names: string[];
  open: boolean;
}

const rowHeight = 22;

export class Tree {
  readonly element = make("div", { class: "tree" });
  private search = make("input", { type: "search", "aria-label": "search by name" });
  private list = make("div", { class: "rows" });
  private space = make("div");
  private sections: Section[] = [];
  private rows: (Section | Item)[] = [];
  private selected: Item | undefined;

  constructor(
    private readonly actions: {
      select: (item: Item) => void;
      hide: (item: Item, hidden: boolean) => void;
      isHidden: (item: Item) => boolean;
      follow: (item: Item) => void;
    },
  ) {
    this.search.placeholder = "search …";
    this.search.addEventListener("input", () => this.arrange());
    this.list.append(this.space);
    this.list.addEventListener("scroll", () => this.draw());
    this.element.append(this.search, this.list);
    new ResizeObserver(() => this.draw()).observe(this.list);
  }

  set(lists: { title: string; kind: Kind; names: string[] }[]): void {
    this.sections = lists
      .filter((list) => list.names.length)
      .map((list) => ({ ...list, open: list.kind === "body" || list.names.length <= 30 }));
    this.selected = undefined;
    this.arrange();
  }

  select(item: Item | undefined): void {
    this.selected = item;
    if (item) {
      const row = this.rows.findIndex(
        (r) => "index" in r && r.kind === item.kind && r.index === item.index,
      );
      const top = row * rowHeight;
      if (
        row >= 0 &&
        (top < this.list.scrollTop ||
          top > this.list.scrollTop + this.list.clientHeight - rowHeight)
      ) {
        this.list.scrollTop = top - this.list.clientHeight / 2;
      }
    }
    this.draw();
  }

  private arrange(): void {
    const text = this.search.value.toLowerCase();
    this.rows = [];
    for (const section of this.sections) {
      const items = section.names
        .map((name, index): Item => ({ kind: section.kind, index, name }))
        .filter((item) => text === "" || item.name.toLowerCase().includes(text));
      if (text !== "" && !items.length) continue;
      this.rows.push(section);
      if (section.open || text !== "") this.rows.push(...items);
    }
    this.space.style.height = `${this.rows.length * rowHeight}px`;
    this.draw();
  }

  draw(): void {
    const first = Math.max(0, Math.floor(this.list.scrollTop / rowHeight) - 4);
    const last = Math.min(
      this.rows.length,
      first + Math.ceil((this.list.clientHeight || 300) / rowHeight) + 8,
    );
    const elements = this.rows.slice(first, last).map((row, i) => {
      const element = "index" in row ? this.makeItem(row) : this.makeSection(row);
      element.style.top = `${(first + i) * rowHeight}px`;
      return element;
    });
    this.space.replaceChildren(...elements);
  }

  private makeSection(section: Section): HTMLElement {
    const row = make("div", {
      class: "row section",
      text: `${section.open ? "▾" : "▸"} ${section.title} (${section.names.length})`,
    });
    row.addEventListener("click", () => {
      section.open = !section.open;
      this.arrange();
    });
    return row;
  }

  private makeItem(item: Item): HTMLElement {
    const hidden = this.actions.isHidden(item);
    const chosen = this.selected?.kind === item.kind && this.selected.index === item.index;
    const row = make("div", {
      class: `row item${chosen ? " selected" : ""}${hidden ? " hidden-item" : ""}`,
    });
    if (item.kind !== "contact") {
      const eye = button(hidden ? "○" : "●", hidden ? "show" : "hide", () => {
        this.actions.hide(item, !hidden);
        this.draw();
      });
      row.append(eye);
    }
    row.append(make("span", { text: item.name, title: item.name }));
    row.addEventListener("click", (e) => {
      if (!(e.target instanceof HTMLButtonElement)) this.actions.select(item);
    });
    row.addEventListener("dblclick", () => this.actions.follow(item));
    return row;
  }
}
