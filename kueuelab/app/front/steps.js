// The run step by step: the lab view of the drawing modules, inside the shell.

import { Lab } from "./lab.js";
import { el, h } from "./lib.js";
import { branch } from "./store.js";
import { say } from "./words.js";

export function Steps() {
  const found = branch.value;
  return el("div.page.steps", null,
    el("div.title", null, el("h1", null, say("app.page.steps")), el("p", null, found?.title ?? "")),
    h(Lab, { page: "steps", name: found?.name ?? "", steps: found?.steps ?? 0 }));
}
