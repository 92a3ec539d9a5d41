// The overview: how quota is used, what is pending and why, what is probably not intended.

import { Findings } from "./findings.js";
import { el, h } from "./lib.js";
import { AsRead, Bar, Empty, Skeleton, Tag, Trouble, useBranchAnswer } from "./parts.js";
import { address, go, route } from "./route.js";
import { branch, isAsRead } from "./store.js";
import { say } from "./words.js";

/** @typedef {import("./protocol.js").OverviewData} OverviewData */
/** @typedef {import("./protocol.js").CauseGroup} CauseGroup */

/** So many groups of evictions are shown. */
const EVICTIONS = 4;

export function Overview() {
  const { found, failure } = useBranchAnswer("overview", { resource: route.value.query.resource ?? "" });
  if (failure) return el("div.page", null, h(Trouble, { failure }));
  return el("div.page", null,
    el("div.title", null, el("h1", null, say("app.page.overview")), el("p", null, found?.sentence ?? "\u00a0")),
    found ? Body(found) : h(Skeleton, { lines: 10 }),
  );
}

/** @param {OverviewData} found */
function Body(found) {
  return [
    h(AsRead, {}),
    Phases(found),
    el("div.kpis", null, ...found.figures.map((each) =>
      el("div.card.kpi", { key: each.id },
        el("small", null, each.label), el("div", null, each.value),
        el("span", { class: each.tone ? `tone-${each.tone}` : "" }, each.note || "\u00a0")))),
    el("div.cols", null,
      el("section.card.map", null,
        el("div.head", null, el("h2", null, say("app.overview.quota")), Resources(found)),
        found.quota.length ? Tree(found) : h(Empty, { title: say("app.overview.no-quota") })),
      el("div.stack", null,
        el("section.card", null,
          el("div.head", null, el("h2", null, say("app.overview.causes", { count: found.pending, total: found.pending.toLocaleString("en") }))),
          found.causes.length ? found.causes.slice(0, 8).map(Cause) : el("p.calm", null, say("app.overview.none-pending")),
          found.causes.length > 8 ? el("a.more", { href: address("workloads", { phase: "Pending" }) }, say("app.overview.more-causes", { count: found.causes.length - 8 })) : null),
        found.evictions.length ? Evictions(found) : null,
        isAsRead() ? null : h(Findings, { ofRun: found.findings, key: branch.value?.name }))),
  ];
}

/** All workloads by their phase, in one glance. @param {OverviewData} found */
function Phases({ phases }) {
  if (!phases.length) return null;
  const to = (/** @type {string} */ phase) => address("workloads", { phase }, true);
  return el("div.phases", null,
    el("div.phases-bar", { "aria-hidden": "true" }, ...phases.map((each) => el("i", { key: each.id, class: `phase-${each.id}`, style: { flexGrow: each.count } }))),
    el("div.legend", null, ...phases.map((each) => el("a", { key: each.id, href: to(each.id) }, el("i", { class: `phase-${each.id}` }), each.label, " ", el("b", null, each.count.toLocaleString("en"))))));
}

/** @param {OverviewData} found */
function Resources(found) {
  if (found.resources.length < 2) return el("span.pill", null, found.resource);
  return el("div.seg", { role: "group", "aria-label": say("app.overview.resource") }, ...found.resources.slice(0, 5).map((name) =>
    el("button", { key: name, "aria-pressed": name === found.resource, onClick: () => go(address("overview", { resource: name }), true) }, name)));
}

/** @param {OverviewData} found */
function Tree(found) {
  return [
    el("ul.tree", null, ...found.quota.map((row) => {
      const isQueue = row.kind === "ClusterQueue";
      const total = row.own.value + row.borrowed.value;
      const inside = [
        el("span.node", { class: isQueue ? "queue" : "cohort", style: { paddingLeft: `${row.depth * 18}px` } }, el("i"), el("span", { title: row.name }, row.name)),
        Bar({ parts: [["own", row.own.value], ["borrowed", row.borrowed.value], ["lent", row.lent.value]], scale: Math.max(row.nominal.value, total) }),
        el("span.amount", null, row.text),
        el("span.waits", null, row.pending ? say("app.overview.pending", { total: row.pending.toLocaleString("en") }) : ""),
      ];
      return el("li", { key: `${row.kind}/${row.name}` }, isQueue
        ? el("a", { href: address("workloads", { queue: row.name, phase: row.pending ? "Pending" : "" }, true) }, ...inside)
        : el("div", null, ...inside));
    })),
    el("div.legend", null,
      ...["own", "borrowed", "lent"].map((kind) => el("span", { key: kind }, el(`i.${kind}`), say(`app.bar.${kind}`))),
      el("span.hint", null, found.moreQuota ? say("app.overview.more-quota", { count: found.moreQuota }) : say("app.overview.choose-queue"))),
  ];
}

/** @param {CauseGroup} each */
function Cause(each) {
  return el("a.cause", { key: each.id, href: address("workloads", { cause: each.id, phase: "" }, true) },
    el("b", { class: each.never ? "tone-bad" : "" }, each.count.toLocaleString("en")),
    el("span", null, el("strong", null, each.title), el("small", null, each.detail)),
    each.never ? h(Tag, { tone: "bad" }, say("app.overview.never")) : el("span.go", { "aria-hidden": "true" }, "›"));
}

/** Which workloads preempted which; the latest first. @param {OverviewData} found */
function Evictions(found) {
  const more = found.evictions.length - EVICTIONS + found.moreEvictions;
  return el("section.card", null,
    el("div.head", null, el("h2", null, say("app.overview.evictions"))),
    ...found.evictions.slice(0, EVICTIONS).map((each) =>
      el("a.eviction", { key: each.step, href: address("steps", { step: each.step + 1 }, true) }, el("span", null, el("strong", null, each.text), el("small", null, each.detail)), el("span.go", { "aria-hidden": "true" }, "›"))),
    more > 0 ? el("p.note", null, say("app.overview.more-evictions", { count: more })) : null);
}
