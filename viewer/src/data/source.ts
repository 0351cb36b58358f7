// Where headers and blocks come from: out of the page itself, or from the server that sent it.

import { decodeBase64 } from "./block";

export interface Source {
  header(): Promise<string>;
  block(stream: string, chunk: number): Promise<Uint8Array<ArrayBuffer>>;
}

export interface Page {
  embedded: boolean;
  layout: "side" | "single";
  results: number;
  start?: { time?: number; camera?: string; plain?: boolean; theme?: string; show?: string[] };
}

export class EmbeddedSource implements Source {
  constructor(private readonly index: number) {}

  private text(id: string): string {
    const element = document.getElementById(id);
    if (!element) throw new Error(`The page is incomplete: '${id}' is missing.`);
    return element.textContent ?? "";
  }
  async header(): Promise<string> {
    return this.text(`saltus-header-${this.index}`);
  }
  async block(stream: string, chunk: number): Promise<Uint8Array<ArrayBuffer>> {
    const text = this.text(`saltus-block-${this.index}-${stream}-${chunk}`);
    try {
      return decodeBase64(text);
    } catch {
      throw new Error(`The page is damaged: block ${chunk} of '${stream}' cannot be read.`);
    }
  }
}

export class ServedSource implements Source {
  constructor(private readonly index: number) {}

  private async fetch(path: string): Promise<Response> {
    let answer: Response;
    try {
      answer = await fetch(path);
    } catch {
      throw new Error("The server does not answer any more: was 'saltus view --serve' ended?");
    }
    if (!answer.ok) throw new Error(`The server has no ${path}: ${(await answer.text()).trim()}`);
    return answer;
  }
  async header(): Promise<string> {
    return (await this.fetch(`header/${this.index}`)).text();
  }
  async block(stream: string, chunk: number): Promise<Uint8Array<ArrayBuffer>> {
    const answer = await this.fetch(`block/${this.index}/${stream}/${chunk}`);
    return new Uint8Array(await answer.arrayBuffer());
  }
}

export function readPage(): Page {
  const element = document.getElementById("saltus-page");
  if (!element) throw new Error("This page holds no data. Write one with 'saltus view RESULT'.");
  try {
    return JSON.parse(element.textContent ?? "") as Page;
  } catch {
    throw new Error("The page is damaged: its description is not JSON.");
  }
}
