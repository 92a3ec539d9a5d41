// What is probably not intended: loops of the run, and what the rules of lint find in the input.

import { el, h, useState } from "./lib.js";
import { Skeleton, Tag, Trouble, useAnswer } from "./parts.js";
import { address } from "./route.js";
import { branch, engine } from "./store.js";
import { say } from "./words.js";

/** @typedef {import("./protocol.js").FindingInfo} FindingInfo */
/** @typedef {import("./protocol.js").LintFinding} LintFinding */

/** So many findings are shown at first, and so many more are asked for at once. */
const FIRST = 5, MORE = 20;
/** A larger input is checked when it is asked for. */
const LARGE = 500;

/** @param {{ofRun: FindingInfo[]}} props */
export function Findings({ ofRun }) {
  const name = branch.value?.name ?? "";
  const [wanted, setWanted] = useState((branch.value?.workloads ?? 0) <= LARGE);
  const [count, setCount] = useState(FIRST);
  const { found, failure } = useAnswer(() => (wanted ? engine.ask("lint", { branch: name, count }) : null), [name, wanted, count]);
  const more = found ? Math.min(MORE, found.found - found.findings.length, 50 - count) : 0;
  const total = ofRun.length + (found?.found ?? 0);
  return el("section.card", null,
    el("div.head", null, el("h2", null, say("app.overview.findings")), total ? el("span.pill", null, total.toLocaleString("en")) : null),
    ...ofRun.map(OfRun),
    failure ? h(Trouble, { failure })
      : !wanted ? [el("p.calm", null, say("app.overview.lint.large")), el("button.btn", { onClick: () => setWanted(true) }, say("app.overview.lint"))]
      : !found ? h(Skeleton, { lines: 3 })
      : [
          ...found.findings.map((each) => h(Finding, { found: each, key: each.rule + each.object + each.field + each.text })),
          found.found ? el("p.note", null, found.sentence) : ofRun.length ? null : el("p.calm", null, say("app.overview.no-findings")),
          more > 0 ? el("button.link", { onClick: () => setCount(count + more) }, say("app.overview.lint.next", { count: more })) : null,
        ]);
}

/** @param {FindingInfo} each */
function OfRun(each) {
  return el("div.find", { key: each.kind + each.object + each.text },
    h(Tag, { tone: "bad" }, each.label),
    el("div", null, el("strong", null, each.text), el("small", null, each.detail),
      each.kind === "hazard" ? el("a.more", { href: address("clusters", { w: each.object }) }, say("app.clusters.show")) : each.step == null ? null : el("a.more", { href: address("steps", { step: each.step + 1 }) }, say("app.show-step"))));
}

/** @param {{found: LintFinding}} props */
function Finding({ found }) {
  const [shown, setShown] = useState(false);
  const place = found.place ? [found.place.file, found.place.line].filter(Boolean).join(":") : "";
  return el("div.find", null,
    h(Tag, { tone: found.tone }, found.rule),
    el("div", null,
      el("strong", null, found.text),
      el("small.about", null, found.level, " · ", el("code", null, [found.object, found.field].filter(Boolean).join(" "))),
      shown ? el("div.shown", null,
        el("p.calm", null, found.why), el("p.calm", null, found.fix),
        el("p.calm", null, el("code", null, found.name), place ? [" · ", el("code", null, place)] : null),
        found.workload ? el("a.more", { href: address("workloads", { w: found.workload }, true) }, say("app.overview.lint.workload")) : null,
        found.queue ? el("a.more", { href: address("workloads", { queue: found.queue }, true) }, say("app.overview.lint.queue")) : null,
        found.manifest ? el("pre.yaml", { tabIndex: 0, role: "region", "aria-label": found.object }, found.manifest) : null) : null,
      el("button.link", { "aria-expanded": shown, "aria-label": say("app.overview.lint.show.about", { rule: found.rule, object: found.object }), onClick: () => setShown(!shown) }, say(shown ? "app.close" : "app.overview.lint.show"))));
}
