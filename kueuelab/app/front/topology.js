// Topologies: domains with what is free, where the pods of workloads are, why some have no place.

import { el, h, useEffect } from "./lib.js";
import { Lab } from "./lab.js";
import { Bar, Empty, Skeleton, Tag, Trouble, useAnswer } from "./parts.js";
import { address, go, route } from "./route.js";
import { branch, engine } from "./store.js";
import { say } from "./words.js";

/** @typedef {import("./protocol.js").TopologyFound} TopologyFound */
/** @typedef {import("./protocol.js").DomainRow} DomainRow */
/** @typedef {import("./protocol.js").PlacedWorkload} PlacedWorkload */

export function Topology() {
  const { query } = route.value;
  const name = branch.value?.name ?? "";
  const steps = branch.value?.steps ?? 0;
  const has = Boolean(branch.value?.topologies);
  const step = Number(query.step ?? 0) - 1;
  const [flavor, resource] = [query.flavor ?? "", query.resource ?? ""];
  const { found, failure } = useAnswer(
    () => (has ? engine.ask("topology", { branch: name, step: step >= 0 ? step : null, flavor, resource }) : null), [name, steps, step, flavor, resource, has]);
  useEffect(() => {
    // Where no step is asked for, it is the last one at which pods have, or look for, a place.
    if (found && step < 0) go(address("topology", { step: found.step + 1 }), true);
  }, [found, step]);
  if (!has) return el("div.page", null, h(Empty, { title: say("app.topology.none"), text: say("app.topology.none.hint") }));
  const chosen = query.w ? { kind: "Workload", name: query.w } : null;
  /** @param {{kind: string, name: string} | null} now */
  const choose = (now) => go(address("topology", { w: now?.kind === "Workload" ? now.name : "" }), true);
  return el("div.page.topology", null,
    el("div.title", null, el("h1", null, say("app.page.topology")), el("p", null, found?.sentence ?? "\u00a0")),
    failure ? h(Trouble, { failure }) : null,
    step >= 0 ? h(Lab, { page: "topology", view: "topology", name, steps, chosen, onChoose: choose, answer: levers(name) }) : h(Skeleton, { lines: 8 }),
    el("div.cols", null,
      el("section.card", null,
        el("div.head", null, el("h2", null, say("app.topology.domains")), found ? Choices(found) : null),
        found ? Domains(found) : h(Skeleton, { lines: 6 })),
      el("section.card", null,
        el("div.head", null, el("h2", null, say("app.topology.workloads")), found ? el("span.pill", null, found.workloads.length) : null),
        !found ? h(Skeleton, { lines: 4 }) : found.workloads.length ? found.workloads.map(Placed) : el("p.calm", null, say("app.topology.no-workloads")))));
}

/** What the drawing asks for and is not about frames. @param {string} name */
function levers(name) {
  return (/** @type {Record<string, any>} */ question) => {
    if (question.ask !== "levers") return null;
    return engine.ask("levers", { workload: question.workload, branch: name }).then((found) => ({
      lines: [found.note, ...found.obstacles, ...found.levers.map((each) => `${each.text} (${each.cost})`)],
    }));
  };
}

/** @param {TopologyFound} found */
function Choices(found) {
  const seg = (/** @type {string} */ label, /** @type {"flavor" | "resource"} */ what, /** @type {readonly string[]} */ names) =>
    names.length < 2 ? el("span.pill", { key: what }, names[0] ?? "") : el("div.seg", { key: what, role: "group", "aria-label": label }, ...names.slice(0, 5).map((each) =>
      el("button", { key: each, "aria-pressed": each === found[what], onClick: () => go(address("topology", { [what]: each }), true) }, each)));
  return el("div.row.choices", null, seg(say("app.topology.flavor"), "flavor", found.flavors), seg(say("app.overview.resource"), "resource", found.resources));
}

/** @param {TopologyFound} found */
function Domains(found) {
  return [
    el("ul.tree.domains", null, ...found.domains.map(Domain)),
    el("div.legend", null,
      ...["own", "borrowed", "room"].map((kind) => el("span", { key: kind }, el(`i.${kind}`), say(`app.topology.bar.${kind}`))),
      found.more ? el("span.hint", null, say("app.overview.more-quota", { count: found.more })) : null),
  ];
}

/** @param {DomainRow} each */
function Domain(each) {
  return el("li", { key: each.id },
    el("div", null,
      el("span.node", { style: { paddingLeft: `${each.depth * 18}px` } }, el("small", null, each.level), " ", el("span", { title: each.id }, each.name)),
      Bar({ parts: [["own", each.used], ["borrowed", each.outside]], scale: each.room }),
      el("span.amount", null, each.text),
      el("span.pods", null,
        each.problem ? h(Tag, { tone: "bad" }, each.problem) : null,
        ...each.pods.map((pods) => el("a.pod", { key: pods.workload, href: address("topology", { w: pods.workload }), title: pods.workload }, `${pods.workload.replace(/^.*\//, "")} × ${pods.count}`)))));
}

/** @param {PlacedWorkload} each */
function Placed(each) {
  return el("div.find", { key: each.workload, class: each.workload === route.value.query.w ? "chosen" : "" },
    h(Tag, { tone: each.tone }, each.stateText),
    el("div", null,
      el("button.link", { "aria-pressed": each.workload === route.value.query.w, onClick: () => go(address("topology", { w: each.workload === route.value.query.w ? "" : each.workload }), true) }, each.workload),
      ...each.lines.map((line) => el("small", { key: line }, line)),
      each.message ? el("div.kueue", null, each.message) : null,
      el("div.row", null,
        each.step == null ? null : el("a.more", { href: address("topology", { step: each.step + 1, w: each.workload }), "aria-label": say("app.topology.search", { workload: each.workload }) }, say("app.step", { step: each.step + 1 })),
        el("a.more", { href: address("workloads", { w: each.workload, step: "", flavor: "", resource: "" }), "aria-label": say("app.topology.details", { workload: each.workload }) }, say("app.levers.details")))));
}
