// The run step by step: its decisions to skim, and the lab view of the drawing modules, inside the shell.

import { DecisionStrip } from "./decision_strip.js";
import { Lab } from "./lab.js";
import { el, h, useState } from "./lib.js";
import { branch, engine } from "./store.js";
import { say } from "./words.js";

export function Steps() {
  const found = branch.value;
  const name = found?.name ?? "";
  const [shown, setShown] = useState(/** @type {import("./decision_strip.js").Stepping | null} */ (null));
  const ask = async (/** @type {Record<string, any>} */ question) => /** @type {any} */ ((await engine.ask("frames", { branch: name, view: "lab", question })).data);
  return el("div.page.steps", null,
    el("div.title", null, el("h1", null, say("app.page.steps")), el("p", null, found?.title ?? "")),
    shown ? h(DecisionStrip, { stepping: shown, ask }) : el("div.strip", { "aria-hidden": "true" }),
    h(Lab, { page: "steps", name, steps: found?.steps ?? 0, onShow: setShown }));
}
