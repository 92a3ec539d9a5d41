// Several clusters (MultiKueue): the board with its rounds, faults that make branches, hazards.

import { el, h, useState } from "./lib.js";
import { Lab } from "./lab.js";
import { Skeleton, Tag, Trouble, useAnswer } from "./parts.js";
import { address, go, route } from "./route.js";
import { addFault, engine, family } from "./store.js";
import { say } from "./words.js";

/** @typedef {import("./protocol.js").BranchInfo} BranchInfo */
/** @typedef {import("./lab.js").Moment} Moment */

export function Clusters() {
  const found = family.value;
  const [moment, setMoment] = useState(/** @type {Moment | null} */ (null));
  const name = found?.name ?? "";
  const about = useAnswer(() => (found?.clusters.length ? engine.ask("clusters", { branch: name }) : null), [name]);
  if (!found?.clusters.length) return el("div.page", null, el("div.empty", null, el("h2", null, say("app.clusters.one")), el("p", null, say("app.clusters.one.hint"))));
  const { query } = route.value;
  const manager = found.clusters[0].name;
  const chosen = query.w ? { kind: "Workload", name: query.w, cluster: query.in ?? manager } : null;
  /** @param {{name: string, cluster?: string} | null} now */
  const choose = (now) => go(address("clusters", { w: now?.name, in: now?.cluster === manager ? "" : now?.cluster }), true);
  /** @param {Record<string, any>} question */
  const answer = (question) => {
    if (question.ask !== "inject") return null;
    const { fault, cluster, step, elapsed, selected } = question;
    return addFault({ fault, cluster, step, elapsed, workload: selected?.name ?? "", branch: name }).then(() => ({}));
  };
  return el("div.page.clusters", null,
    el("div.title", null, el("h1", null, say("app.page.clusters")), el("p", null, found.title, about.found ? ` · ${about.found.sentence}` : "")),
    h(Faults, { branch: name, clusters: found.clusters, moment, workload: query.w ?? "" }),
    h(Lab, { page: "clusters", view: "multikueue", name, steps: found.steps, chosen, onChoose: choose, onMove: setMoment, answer, key: name }),
    about.failure ? h(Trouble, { failure: about.failure }) : null,
    el("div.cols", null,
      el("section.card", null,
        el("div.head", null, el("h2", null, say("app.clusters.hazards"))),
        !about.found ? h(Skeleton, { lines: 3 }) : Hazards(about.found)),
      el("div.stack", null,
        found.parent ? h(Changed, { before: found.parent, after: name, change: found.change }) : null,
        el("section.card", null,
          el("div.head", null, el("h2", null, say("app.clusters.members"))),
          el("ul.members", null, ...found.clusters.map((each) =>
            el("li", { key: each.name },
              el("a", { href: address("overview", { cluster: each.name, w: "", in: "", step: "" }), "aria-label": say("app.clusters.overview", { cluster: each.name }) }, each.name),
              el("small", null, each.role, " · ", each.about),
              el("a", { href: address("steps", { cluster: each.name, w: "", in: "", step: "" }), "aria-label": say("app.clusters.steps", { cluster: each.name }) }, say("app.page.steps")))))))));
}

/** @param {import("./protocol.js").ClustersFound} found */
function Hazards(found) {
  const notes = [
    ...found.races.map((text) => ({ tone: "quiet", label: say("app.clusters.race"), text })),
    ...found.leftOut.map((text) => ({ tone: "warn", label: say("app.clusters.left-out"), text })),
  ];
  return [
    ...found.hazards.map((each) => el("div.find", { key: each.id + each.workload + each.cluster },
      h(Tag, { tone: "bad" }, say("app.clusters.hazard")),
      el("div", null,
        el("strong", null, each.text), el("small", null, each.remedy),
        el("div.row", null, el("button.link", { onClick: () => go(address("clusters", { w: each.workload, in: "" }), true) }, each.workload), el("span.calm", null, each.cluster))))),
    ...notes.map((each) => el("div.find", { key: each.text }, h(Tag, { tone: each.tone }, each.label), el("div", null, each.text))),
    found.hazards.length + notes.length ? null : el("p.calm", { key: "none" }, say("app.clusters.no-hazards")),
  ];
}

/** What a fault changed. @param {{before: string, after: string, change: string}} props */
function Changed({ before, after, change }) {
  const { found, failure } = useAnswer(() => engine.ask("compare", { before, after }), [before, after]);
  return el("section.card.changed-by", null,
    el("div.head", null, el("h2", null, say("app.clusters.changed")), el("span.pill", null, change)),
    failure ? h(Trouble, { failure }) : !found ? h(Skeleton, { lines: 3 }) : [
      el("p.calm", null, found.sentence),
      el("ul.changes", null, ...found.workloads.slice(0, 6).map((each) =>
        el("li", { key: each.workload }, el("div", null, el("b", null, each.workload), el("small", null, each.before), el("small", null, "→ ", each.after))))),
      el("a.more", { href: address("compare", { before, w: "", in: "" }) }, say("app.page.compare"))]);
}

/** @param {{branch: string, clusters: readonly import("./protocol.js").ClusterInfo[], moment: Moment | null, workload: string}} props */
function Faults({ branch, clusters, moment, workload }) {
  const [wanted, setWanted] = useState("");
  const [chosen, setChosen] = useState("");
  const cluster = clusters.find((each) => each.name === wanted)?.name ?? clusters[Math.min(1, clusters.length - 1)].name;
  const at = moment ?? { step: -1, elapsed: 0 };
  const { found, failure } = useAnswer(
    () => (moment ? engine.ask("faults", { branch, cluster, workload, ...moment }) : null), [branch, cluster, workload, at.step, at.elapsed]);
  const fault = found?.faults.find((each) => each.id === chosen) ?? found?.faults[0];
  const add = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (fault && moment) void addFault({ fault: fault.id, cluster, workload, branch, ...moment });
  };
  return el("form.faults", { onSubmit: add, "aria-label": say("app.clusters.faults") },
    el("label", null, el("span", null, say("app.clusters.cluster")),
      el("select.in", { value: cluster, onChange: (/** @type {any} */ event) => setWanted(event.target.value) }, ...clusters.map((each) => el("option", { key: each.name, value: each.name }, each.name)))),
    el("label.what", null, el("span", null, say("app.clusters.fault")),
      el("select.in", { value: fault?.id, disabled: !fault, onChange: (/** @type {any} */ event) => setChosen(event.target.value) }, ...(found?.faults ?? []).map((each) => el("option", { key: each.id, value: each.id }, each.label)))),
    el("button.btn.primary", { type: "submit", disabled: !fault }, say("app.clusters.add", { time: found?.time ?? "" })),
    el("p.calm", null, fault?.hint ?? "\u00a0"),
    failure ? h(Trouble, { failure }) : null);
}
