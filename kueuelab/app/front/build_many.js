// Many jobs at once: the form of a generator. What it makes is one edit of the draft.

import { choose, edit } from "./build_draft.js";
import { el, useState } from "./lib.js";
import { say } from "./words.js";

/** What the form has at first, in its order. */
const FIRST = { name: "load", jobs: "40", every: "1m", runs: "30m", pods: "1", requests: "", seed: "1" };

/** @param {{queues: readonly string[], onDone: () => void}} props */
export function ManyJobs({ queues, onDone }) {
  const [values, setValues] = useState(FIRST);
  const [queue, setQueue] = useState(queues[0]);
  const make = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const found = await edit("buildJobs", { ...values, queue, jobs: Number(values.jobs), seed: Number(values.seed) });
    if (!found) return;
    choose(`job:${found.chosen}`);
    onDone();
  };
  const names = /** @type {(keyof typeof FIRST)[]} */ (Object.keys(FIRST));
  // A seed has something to draw only where there are several numbers of pods.
  const shown = names.filter((name) => name !== "seed" || values.pods.includes(","));
  return el("form.many", { onSubmit: make, "aria-label": say("app.build.many") },
    el("p.note", null, say("app.build.many.about")),
    el("div.many-fields", null,
      el("label.control", null, el("span", null, say("app.build.many.queue")),
        el("select.in", { value: queue, onChange: (/** @type {any} */ event) => setQueue(event.target.value) }, ...queues.map((each) => el("option", { key: each, value: each }, each)))),
      ...shown.map((name) => el("label.control", { key: name }, el("span", null, say(`app.build.many.${name}`)),
        el("input.in", {
          value: values[name], spellcheck: false, autocomplete: "off", required: name !== "requests" && name !== "runs",
          ...(name === "jobs" ? { type: "number", min: 1, max: 1000 } : name === "seed" ? { type: "number", min: 0 } : {}),
          placeholder: name === "requests" ? "nvidia.com/gpu: 2" : "",
          onInput: (/** @type {any} */ event) => setValues({ ...values, [name]: event.target.value }),
        })))),
    el("div.row", null, el("button.btn.primary", { type: "submit" }, say("app.build.many.make")),
      el("button.btn", { type: "button", onClick: onDone }, say("app.close"))));
}
