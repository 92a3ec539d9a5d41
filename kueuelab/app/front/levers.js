// What would admit a pending workload: each lever as a card with what it costs others.

import { CostPart } from "./costs.js";
import { el, h, useState } from "./lib.js";
import { icon } from "./icons.js";
import { Empty, Skeleton, Tag, Trouble, useAnswer } from "./parts.js";
import { QuotaSliders } from "./quota_sliders.js";
import { address, route } from "./route.js";
import { branch, engine, family, tryLever } from "./store.js";
import { say } from "./words.js";

/** @typedef {import("./protocol.js").LeverInfo} LeverInfo */

/** So many pending workloads are offered at once; the search finds the others. */
const OFFERED = 50;
/** Of a larger branch, levers and costs are simulated when they are asked for. */
const LARGE = 500;

/**
 * Asks for workloads that are not admitted; on a manager, these are also the ones that wait for a worker.
 * @param {string} search
 * @param {number} count
 */
async function waiting(search, count) {
  const name = branch.value?.name ?? "";
  const phases = family.value?.clusters.length ? ["Pending", "QuotaReserved"] : ["Pending"];
  const pages = await Promise.all(phases.map((phase) => engine.ask("workloads", { branch: name, phase, search, count })));
  return { found: pages.reduce((sum, each) => sum + each.found, 0), rows: pages.flatMap((each) => each.rows).slice(0, count) };
}

export function Levers() {
  const { query } = route.value;
  const chosen = query.w ?? "";
  const name = branch.value?.name ?? "";
  const any = useAnswer(() => waiting("", 1), [name, branch.value?.steps]);
  const hint = any.found?.found === 0 ? "none-pending" : "none-chosen";
  return el("div.page", null,
    el("div.title", null, el("h1", null, say("app.page.levers")), el("p", null, say("app.levers.about"))),
    el("div.levers", { class: chosen ? "chosen" : "" },
      h(Choice, { chosen }),
      chosen ? h(Found, { workload: chosen, key: `${branch.value?.name} ${chosen}` })
        : h(Empty, { title: say(`app.levers.${hint}`), text: say(`app.levers.${hint}.hint`) })));
}

/** @param {{chosen: string}} props */
function Choice({ chosen }) {
  const [text, setText] = useState("");
  const name = branch.value?.name ?? "";
  const { found, failure } = useAnswer(
    () => waiting(text, OFFERED), [name, branch.value?.steps, text]);
  return el("section.card.choice", { "aria-label": say("app.levers.pending") },
    el("div.head", null, el("h2", null, say("app.levers.pending")), found ? el("span.pill", null, found.found.toLocaleString("en")) : null),
    el("label.search", null, icon("search"), el("span.hidden", null, say("app.levers.search")),
      el("input", { type: "search", value: text, placeholder: say("app.levers.search"), onInput: (/** @type {any} */ event) => setText(event.target.value) })),
    failure ? h(Trouble, { failure }) : !found ? h(Skeleton, { lines: 5 })
      : found.rows.length ? el("ul.offered", null, ...found.rows.map((each) =>
          el("li", { key: each.workload },
            el("a", { href: address("levers", { w: each.workload }), "aria-current": each.workload === chosen ? "true" : undefined },
              el("b", null, each.name), el("small", null, each.namespace, each.queue ? ` · ${each.queue}` : "", each.age ? ` · ${each.age}` : "")))))
      : el("p.calm", null, say(text ? "app.workloads.none" : "app.overview.none-pending")),
    found && found.found > found.rows.length ? el("p.note", null, say("app.levers.more", { count: found.found - found.rows.length })) : null);
}

/** @param {{workload: string}} props */
function Found({ workload }) {
  const name = branch.value?.name ?? "";
  const large = (branch.value?.workloads ?? 0) > LARGE;
  const [wanted, setWanted] = useState(!large);
  const { found, failure } = useAnswer(() => (wanted ? engine.ask("levers", { workload, branch: name }) : null), [workload, name, wanted]);
  const details = useAnswer(() => engine.ask("workload", { workload, branch: name }), [workload, name]);
  const about = details.found;
  return el("div.stack", null,
    el("section.card.subject", null,
      el("div.who", null, about ? h(Tag, { tone: about.tone || "quiet" }, about.phaseText) : null, el("span", null, about?.about ?? "\u00a0")),
      el("h2", null, workload),
      about ? el("p.calm", null, about.sentence) : h(Skeleton, { lines: 1 }),
      el("div.row", null,
        el("a.more", { href: address("workloads", { w: workload, phase: "", q: "" }) }, say("app.levers.details")),
        el("a.more.narrow-only", { href: address("levers", { w: "" }) }, say("app.levers.another")))),
    failure ? h(Trouble, { failure })
      : !wanted ? el("section.card", null, el("p.calm", null, say("app.levers.large")), el("button.btn.primary", { onClick: () => setWanted(true) }, say("app.drawer.search-levers")))
      : !found ? el("div.lever-cards", null, ...[0, 1, 2].map((at) => el("div.card", { key: at }, h(Skeleton, { lines: 3 }))))
      : [
          ...found.obstacles.map((each) => el("p.calm", { key: each }, each)),
          h(Cards, { key: "cards", workload, levers: found.levers, asks: !large }),
          el("p.note", { key: "note", role: "status" }, found.note),
          family.value?.clusters.length ? null : h(QuotaSliders, { key: "sliders", workload }),
        ]);
}

/** @param {{workload: string, levers: readonly LeverInfo[], asks: boolean}} props */
function Cards({ workload, levers, asks }) {
  const [chosen, setChosen] = useState(/** @type {number[]} */ ([]));
  const choose = (/** @type {number} */ number, /** @type {boolean} */ on) => setChosen(on ? [...chosen, number] : chosen.filter((each) => each !== number));
  if (!levers.length) return null;
  return [
    el("ol.lever-cards", { key: "cards" }, ...levers.map((each) =>
      h(Card, { key: each.number, workload, lever: each, asks, chosen: chosen.includes(each.number), onChoose: (/** @type {boolean} */ on) => choose(each.number, on) }))),
    chosen.length > 1 ? h(Together, { key: chosen.join(), workload, chosen, levers }) : null,
  ];
}

/** @param {{workload: string, chosen: number[], levers: readonly LeverInfo[]}} props */
function Together({ workload, chosen, levers }) {
  const name = branch.value?.name ?? "";
  const [lever, ...more] = chosen;
  const { found, failure } = useAnswer(() => engine.ask("cost", { workload, lever, more, branch: name }), [workload, name, ...chosen]);
  return el("section.card.together", { "aria-live": "polite" },
    el("div.head", null, el("h2", null, say("app.levers.together", { count: chosen.length }))),
    ...chosen.map((number) => el("p.calm", { key: number }, levers[number].text)),
    failure ? h(Trouble, { failure }) : !found ? h(Skeleton, { lines: 2 })
      : [el("p.say", { key: "end" }, found.end), found.note ? el("p.free", { key: "free" }, icon("check"), found.note) : null, ...found.parts.map(CostPart)],
    el("button.btn.primary", { onClick: () => void tryLever(workload, lever, more) }, say("app.levers.try-together")));
}

/** @param {{workload: string, lever: LeverInfo, asks: boolean, chosen: boolean, onChoose: (on: boolean) => void}} props */
function Card({ workload, lever, asks, chosen, onChoose }) {
  const [shown, setShown] = useState(asks);
  const name = branch.value?.name ?? "";
  const { found, failure } = useAnswer(
    () => (shown && lever.canTry ? engine.ask("cost", { workload, lever: lever.number, branch: name }) : null), [shown, workload, lever.number, name]);
  return el("li.card.lever-card", { class: lever.number === 0 ? "best" : "" },
    el("div.lever-head", null, lever.number === 0 ? h(Tag, { tone: "ok" }, say("app.levers.best")) : null, el("h3", null, lever.text)),
    el("p.calm", null, lever.cost),
    el("div.cost", null,
      failure ? h(Trouble, { failure })
        : !lever.canTry ? null
        : !shown ? el("button.link", { onClick: () => setShown(true), "aria-label": say("app.levers.cost.about", { change: lever.text }) }, say("app.levers.cost"))
        : !found ? h(Skeleton, { lines: 2 })
        : [found.note ? el("p.free", { key: "note" }, icon("check"), found.note) : null, ...found.parts.map(CostPart)]),
    lever.changes.length ? el("details.changed", null, el("summary", null, say("app.levers.changes")), ...lever.changes.map((each) => el("code", { key: each }, each))) : null,
    lever.canTry
      ? el("div.lever-foot", null,
          el("button.btn", { class: lever.number === 0 ? "primary" : "", onClick: () => void tryLever(workload, lever.number), "aria-label": say("app.try.about", { change: lever.text }) }, say("app.try")),
          el("label.choose", null, el("input", { type: "checkbox", checked: chosen, "aria-label": say("app.levers.choose.about", { change: lever.text }), onChange: (/** @type {any} */ event) => onChoose(event.target.checked) }), say("app.levers.choose")))
      : null);
}
