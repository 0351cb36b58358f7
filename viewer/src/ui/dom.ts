// Elements made in code. Text only ever enters as text: names from scenes cannot become markup.

type Child = Node | string;

export interface Attributes {
  class?: string;
  title?: string;
  text?: string;
  type?: string;
  value?: string;
  id?: string;
  [key: `data-${string}`]: string;
  [key: `aria-${string}`]: string;
}

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined) continue;
    if (key === "text") element.textContent = value;
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

export function button(text: string, title: string, act: () => void): HTMLButtonElement {
  const element = make("button", { text, title, type: "button", "aria-label": title });
  element.addEventListener("click", () => {
    act();
    element.blur(); // So that the space bar plays and does not press it again.
  });
  return element;
}

export function panel(title: string, ...children: Child[]): HTMLDetailsElement {
  const element = make(
    "details",
    { class: "panel" },
    make("summary", { text: title }),
    ...children,
  );
  element.open = true;
  return element;
}

/** Four significant digits, as short as they can be read. */
export function formatNumber(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0 || (Number.isInteger(value) && Math.abs(value) < 1e7)) return String(value);
  const size = Math.abs(value);
  return size >= 1e-3 && size < 1e5 ? String(Number(value.toPrecision(5))) : value.toExponential(3);
}

export function download(blob: Blob, name: string): void {
  const link = make("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
