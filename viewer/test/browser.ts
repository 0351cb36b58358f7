// A headless Chromium with software graphics, and pages in it that report everything they should
// not do: console errors, uncaught exceptions, requests to anywhere.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import puppeteer, { type Browser, type Page } from "puppeteer-core";

export const folder = mkdtempSync(join(tmpdir(), "saltus-viewer-"));

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--ignore-gpu-blocklist",
  "--force-device-scale-factor=1",
  "--force-color-profile=srgb",
  "--font-render-hinting=none",
];

let browser: Browser | undefined;

export async function openBrowser(): Promise<Browser> {
  browser ??= await puppeteer.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    headless: true,
    args: flags,
    protocolTimeout: 240000,
  });
  return browser;
}

export async function closeBrowser(): Promise<void> {
  await browser?.close();
  browser = undefined;
}

/** Processor time that the browser has used so far, s: pages and graphics, which are in software here,
 * without the time that a busy machine lets them wait. On a free machine no more than this passes. */
export async function processorTime(): Promise<number> {
  const session = await (await openBrowser()).target().createCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo.reduce((sum, process) => sum + process.cpuTime, 0);
}

export interface Opened {
  page: Page;
  /** Console errors, exceptions, and addresses asked for beyond the page itself. */
  complaints: string[];
  state: string;
}

/** Opens a file or an address and waits until it is ready or has said why it is not. */
export async function openPage(
  target: string,
  size = { width: 900, height: 600 },
): Promise<Opened> {
  const page = await (await openBrowser()).newPage();
  await page.setViewport(size);
  const complaints: string[] = [];
  const address = target.startsWith("http") ? target : pathToFileURL(target).href;
  const origin = target.startsWith("http") ? new URL(target).origin : address;
  page.on("console", (message) => {
    // A remark of the software renderer about reading pictures back, not of the page.
    if (message.type() === "error") complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`exception: ${String(error)}`));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith("data:") && !url.startsWith("blob:"))
      complaints.push(`request: ${url}`);
  });
  await page.goto(address, { timeout: 120000 });
  await page.waitForFunction(() => document.documentElement.dataset["state"] !== undefined, {
    timeout: 120000,
  });
  const state = await page.evaluate(() => document.documentElement.dataset["state"] ?? "");
  return { page, complaints, state };
}
