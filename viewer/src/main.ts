// Entry: reads the page, starts the application, and says in a sentence what went wrong if it did.

import "uplot/dist/uPlot.min.css";
import "./style.css";
import { App } from "./app";
import { readPage } from "./data/source";
import { describeForTests } from "./probe";
import { make } from "./ui/dom";

function complain(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  document.body.replaceChildren(
    make(
      "div",
      { class: "complaint" },
      make("h1", { text: "Saltus" }),
      make("p", { text: message }),
      make("p", { text: "Write the page again with 'saltus view RESULT'." }),
    ),
  );
  document.documentElement.dataset["state"] = "failed";
}

async function start(): Promise<void> {
  const app = new App(readPage());
  await app.start();
  describeForTests(app);
  document.documentElement.dataset["state"] = "ready";
}

start().catch(complain);
