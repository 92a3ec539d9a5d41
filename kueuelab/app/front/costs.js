// What a change costs others, part by part.

import { el } from "./lib.js";
import { address } from "./route.js";
import { say } from "./words.js";

/** What a part of the cost is drawn as. */
const TONES = /** @type {Record<string, string>} */ ({ evicts: "bad", waits: "warn", shrinks: "bad", grows: "quiet", gains: "ok" });

/** @param {import("./protocol.js").CostPart} part */
export function CostPart(part) {
  const more = part.count - part.items.length;
  return el("div.cost-part", { key: part.kind },
    el("b", { class: `tone-${TONES[part.kind] ?? "quiet"}` }, part.title),
    el("ul", null,
      ...part.items.map((each) => el("li", { key: each.name + each.text },
        each.workload ? el("a", { href: address("workloads", { w: each.workload, phase: "", q: "" }) }, each.name) : el("span", null, each.name),
        el("small", null, each.text))),
      more ? el("li", { key: "more" }, el("small", null, say("app.overview.more-findings", { count: more }))) : null));
}
