// The branches as a tree, and two of them side by side: which workloads gain and lose, the first
// decision and the figures that differ, the patch.

import { el, h, useState } from "./lib.js";
import { Copy } from "./drawer.js";
import { icon } from "./icons.js";
import { Empty, Skeleton, Tag, Trouble, useAnswer } from "./parts.js";
import { address, go, route } from "./route.js";
import { engine, family, opened } from "./store.js";
import { say } from "./words.js";

/** What a workload that ends elsewhere does, by its tone. */
const TONES = /** @type {Record<string, string>} */ ({ ok: "app.compare.ok", bad: "app.compare.bad" });

export function Compare() {
  const branches = opened.value?.branches ?? [];
  const after = family.value;
  const named = route.value.query.before || after?.parent || "";
  const before = branches.find((each) => each.name === named);
  const pair = after && before && after !== before ? { before: before.name, after: after.name } : null;
  const rest = route.value.query.rest === "yes";
  const { found, failure } = useAnswer(() => (pair ? engine.ask("compare", { ...pair, rest }) : null), [pair?.before, pair?.after, after?.steps, rest]);
  if (!pair || !after || !before)
    return el("div.page", null, el("div.title", null, el("h1", null, say("app.page.compare")), el("p", null, "\u00a0")),
      h(Empty, { title: say("app.compare.one"), text: say("app.compare.one.hint") },
        el("a.btn.primary", { href: address("workloads", { phase: "Pending" }, true) }, say("app.compare.choose"))));
  return el("div.page", null,
    el("div.title", null, el("h1", null, say("app.page.compare")), el("p", null, found?.sentence ?? "\u00a0")),
    el("div.pair", null,
      el("label", null, el("span", null, say("app.compare.before")),
        el("select.in", { value: before.name, onChange: (/** @type {any} */ event) => go(address("compare", { before: event.target.value })) },
          ...branches.filter((each) => each !== after).map((each) => el("option", { key: each.name, value: each.name }, each.name)))),
      el("span.arrow", { "aria-hidden": "true" }, "→"),
      el("div.after", null, el("span", null, say("app.compare.after")), el("b", null, after.name), after.change ? el("small", null, after.change) : null)),
    failure ? h(Trouble, { failure }) : !found ? h(Skeleton, { lines: 8 }) : el("div.cols", null,
      el("div.stack", null, branches.length > 2 ? Branches(after.name, before.name) : null, el("section.card", null,
        el("div.head", null, el("h2", null, say(rest ? "app.compare.all-workloads" : "app.compare.workloads")), el("span.pill", null, found.workloads.length + found.moreWorkloads)),
        found.workloads.length ? el("ul.changes", null, ...found.workloads.map((each) =>
          el("li", { key: each.workload }, h(Tag, { tone: each.tone || "quiet" }, say(TONES[each.tone] ?? (each.before === each.after ? "app.compare.equal" : "app.compare.same"))),
            el("div", null, el("a", { href: address("workloads", { w: each.workload, before: "" }) }, each.workload),
              el("small", null, each.before === each.after ? each.after : [each.before, " → ", each.after])))))
          : el("p.calm", null, found.sentence),
        rest && found.moreWorkloads ? el("p.calm", null, say("app.compare.more", { count: found.moreWorkloads })) : null,
        found.figures.length ? null : found.queues.map((each) => el("p.calm", { key: each }, each))),
        !found.first.length && found.stepAfter == null ? null : el("section.card", null, el("div.head", null, el("h2", null, say("app.compare.first"))),
          ...found.first.map((each) => el("p.calm", { key: each }, each)),
          found.stepAfter == null ? null : el("a.more", { href: address(after.clusters.length ? "clusters" : "steps", { step: found.stepAfter + 1 }) }, say("app.show-step")))),
      el("div.stack", null,
        after.clusters.length
          ? after.clusters.map(({ name }) => h(Patch, { key: name, before: `${before.name}/${name}`, after: `${after.name}/${name}`, cluster: name }))
          : h(Patch, { key: "patch", before: before.name, after: after.name }),
        Figures(found, rest))));
}

/** Branches that were made from another one, below it. @param {string} shown @param {string} before */
function Branches(shown, before) {
  const all = opened.value?.branches ?? [];
  /** @param {string} parent @returns {any} */
  const below = (parent) => {
    const found = all.filter((each) => each.parent === parent);
    return found.length ? el("ul", null, ...found.map((each) => el("li", { key: each.name },
      el("a", { href: address("compare", { branch: each.name, before: each.parent || before }), "aria-current": each.name === shown ? "true" : undefined, class: each.name === before ? "before" : "" },
        el("b", null, each.name), each.change ? el("small", null, each.change) : null),
      below(each.name)))) : null;
  };
  return el("section.card.branches", { "aria-label": say("app.compare.branches") }, el("div.head", null, el("h2", null, say("app.compare.branches"))), below(""));
}

/** @param {import("./protocol.js").Comparison} found @param {boolean} rest */
function Figures(found, rest) {
  /** The largest number of each figure: what its bars are scaled by. @type {Record<string, number>} */
  const most = {};
  for (const { figures } of found.figures) for (const each of figures) most[each.title] = Math.max(most[each.title] ?? 0, each.valueBefore, each.valueAfter);
  const bar = (/** @type {string} */ kind, /** @type {number} */ value, /** @type {string} */ title) =>
    el(`i.${kind}`, { style: { width: `${most[title] ? (100 * value) / most[title] : 0}%` } });
  return el("section.card.figures", null,
    el("div.head", null, el("h2", null, say("app.compare.figures")),
      el("a.more", { href: address("compare", { rest: rest ? "" : "yes" }) }, say(rest ? "app.compare.less" : "app.compare.rest"))),
    found.figures.length ? el("ul", null, ...found.figures.map((queue) => el("li", { key: `${queue.kind}/${queue.name}`, class: `depth-${Math.min(queue.depth, 3)}` },
      el("b", null, queue.name), el("small", null, queue.kind),
      el("table", null, el("tbody", null, ...queue.figures.map((each) => el("tr", { key: each.title, class: each.before === each.after ? "same" : "" },
        el("th", { scope: "row" }, each.title),
        el("td.bars", { "aria-hidden": "true" }, bar("was", each.valueBefore, each.title), bar("is", each.valueAfter, each.title)),
        el("td", null, each.before === each.after ? each.after : el("span", null, each.before || "–", " → ", el("b", null, each.after || "–")))))))))) : el("p.calm", null, say("app.compare.no-figures")),
    found.moreFigures ? el("p.calm", null, say("app.compare.more-figures", { count: found.moreFigures })) : null);
}

/** What has to be applied; a cluster of several that needs nothing has no card. @param {{before: string, after: string, cluster?: string}} props */
function Patch({ before, after, cluster = "" }) {
  const [shown, setShown] = useState(true);
  const { found, failure } = useAnswer(() => engine.ask("patch", { before, after }), [before, after]);
  const save = () => {
    if (!found) return;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([found.text], { type: "application/yaml" }));
    link.download = found.name;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  if (cluster && !failure && !found?.objects) return null;
  return el("section.card.patch", null,
    el("div.head", null, el("h2", null, cluster ? say("app.compare.patch.of", { cluster }) : say("app.compare.patch")), found ? el("span.pill", null, found.objects) : null),
    failure ? h(Trouble, { failure }) : !found ? h(Skeleton, { lines: 4 }) : [
      el("p.calm", null, say("app.compare.patch.about")),
      found.check ? el("p.free.checked", { class: found.gives ? "" : "tone-bad" }, icon(found.gives ? "check" : "alert"), found.check) : null,
      el("div.row", null, Copy(found.text), el("button.btn", { onClick: save }, say("app.compare.download")), el("button.btn", { onClick: () => setShown(!shown), "aria-expanded": shown }, say("app.drawer.yaml"))),
      shown ? el("pre.yaml", null, found.text) : null]);
}
