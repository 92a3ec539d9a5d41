// One workload: a sentence, the best lever, its life, the arithmetic, candidates, Kueue's words.

import { Group } from "./group.js";
import { el, h, useEffect, useRef, useState } from "./lib.js";
import { icon } from "./icons.js";
import { AsRead, Bar, Skeleton, Tag, Trouble, useAnswer, useBranchAnswer } from "./parts.js";
import { address, go } from "./route.js";
import { branch, engine, family, isAsRead, toast, tryLever } from "./store.js";
import { say } from "./words.js";

/** @typedef {import("./protocol.js").WorkloadDetails} Details */
/** @typedef {import("./protocol.js").Arithmetic} Arithmetic */
/** @typedef {import("./protocol.js").LeverInfo} LeverInfo */

/** What an event of a workload's life is drawn as. */
const EVENTS = /** @type {Record<string, string>} */ ({
  admitted: "ok", admittedAtOnce: "ok", quotaReserved: "ok", finished: "quiet", preempted: "bad", evicted: "bad", preempting: "warn",
});

/** So many levers are shown at first: the arithmetic stays in sight. */
const FIRST = 3;

/** @param {{workload: string}} props */
export function Drawer({ workload }) {
  const { found, failure } = useBranchAnswer("workload", { workload });
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const close = () => go(address("workloads", { w: "" }));
  useEffect(() => {
    const pressed = (/** @type {KeyboardEvent} */ event) => { if (event.key === "Escape") close(); };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
  return el("aside.drawer", { ref: place, "aria-label": workload },
    el("button.quiet.close", { onClick: close, "aria-label": say("app.close") }, icon("close")),
    failure ? h(Trouble, { failure }) : found ? Body(found) : h(Skeleton, { lines: 8 }));
}

/** @param {Details} found */
function Body(found) {
  const isSet = Boolean(family.value?.clusters.length);
  const waits = found.phase === "Pending" || found.phase === "QuotaReserved";
  return [
    el("div.who", null, h(Tag, { tone: found.tone || "quiet" }, found.phaseText), el("span", null, found.about)),
    el("h1", null, found.name, " ", el("small", null, found.namespace)),
    el("p.say", null, found.sentence),
    waits ? Evicted(found) : null,
    isSet ? h(InClusters, { workload: found.workload }) : null,
    found.group ? h(Group, { group: found.group }) : null,
    waits ? h(Levers, { workload: found.workload }) : null,
    isSet ? null : el("a.more", { href: address("try-job", { w: found.workload }, true) }, say("app.drawer.try-again")),
    found.arithmetic.length || found.devices
      ? Section(say("app.drawer.arithmetic"), found.arithmeticOf, found.devices ? el("p.calm.devices", null, found.devices) : null,
          ...found.arithmetic.map(Sum), found.arithmetic.length ? Scale() : null)
      : null,
    found.detail || found.candidates.length
      ? Section(say("app.drawer.candidates"), found.candidates.length ? String(found.candidates.length + found.moreCandidates) : "",
          found.detail ? el("p.calm", null, found.detail) : null,
          ...found.candidates.slice(0, 12).map((each) => el("div.find", { key: each.about + each.step },
            h(Tag, { tone: each.verdict === "target" ? "warn" : "quiet" }, each.verdict),
            el("div", null, each.text, each.step == null ? null : [" ", StepLink(each.step)]))))
      : null,
    waits ? null : Evicted(found),
    found.life.length
      ? Section(say("app.drawer.life"), "", el("ol.life", null, ...found.life.map((each) =>
          el("li", { key: each.step + each.what, class: EVENTS[each.what] ? `tone-${EVENTS[each.what]}` : "" },
            el("time", null, each.time), el("span", null, each.text), StepLink(each.step)))))
      : null,
    found.message ? Section(say("app.drawer.message"), "", el("div.kueue", null, found.message)) : null,
    h(Why, { workload: found.workload }),
    found.manifest ? h(Fold, { title: say("app.drawer.yaml") }, Copy(found.manifest), el("pre.yaml", null, found.manifest)) : null,
  ];
}

/** @param {Details} found */
function Evicted(found) {
  return found.evicted ? Section(say("app.drawer.evicted"), "", el("p.calm.lines", null, found.evicted)) : null;
}

/** @param {string} title @param {string} note @param {...import("./lib.js").Child} inside */
function Section(title, note, ...inside) {
  return el("section", null, el("div.sec", null, el("h2", null, title), note ? el("span.pill", null, note) : null), ...inside);
}

/** @param {number} step */
function StepLink(step) {
  return el("a.step", { href: address("steps", { step: step + 1, w: "" }) }, say("app.step", { step: step + 1 }));
}

/** @param {Arithmetic} each */
function Sum(each) {
  const { nominal, used, borrowed, available, requested, missing, shares, whose } = each;
  const own = Math.max(nominal.value, used.value, requested.value);
  const others = whose ? shares.reduce((sum, share) => sum + share.amount.value, 0) : available.value;
  // What a large cohort has would leave nothing to see of what is the queue's own.
  const scale = Math.max(own, Math.min(others, 4 * own));
  const line = (/** @type {string} */ name, /** @type {[string, number][]} */ parts, /** @type {string} */ text) => [
    el("span", null, say(`app.sum.${name}`)), Bar({ parts, scale }), el("b", null, text)];
  return el("div.sum", { key: each.flavor + each.resource, class: each.fits ? "fits" : "" },
    el("div.sum-head", null, el("b", null, each.resource), " ", el("small", null, each.flavor), el("span.verdict", { class: each.fits ? "tone-ok" : "tone-bad" }, each.verdict), StepLink(each.step)),
    el("div.sum-grid", null,
      ...line("nominal", [["own-soft", nominal.value]], nominal.text),
      ...line("used", [["own", used.value - borrowed.value], ["borrowed", borrowed.value]], used.text),
      ...line("available", [["free-full", available.value]], available.text),
      ...(whose ? [
        ...line("shares", shares.map((share) => [share.kind, share.amount.value]), ""),
        el("p.note.whose", null, whose)] : []),
      ...line("requested", each.fits ? [["ask", requested.value]] : [["ask", requested.value - missing.value], ["missing", missing.value]], requested.text)));
}

function Scale() {
  return el("div.legend.small", null, ...["own", "borrowed", "ask", "missing"].map((kind) => el("span", { key: kind }, el(`i.${kind}`), say(`app.bar.${kind}`))));
}

/** @param {{workload: string}} props */
function Levers({ workload }) {
  const name = branch.value?.name ?? "";
  const large = (branch.value?.workloads ?? 0) > 500;
  const [wanted, setWanted] = useState(!large);
  const [all, setAll] = useState(false);
  const { found, failure } = useAnswer(() => (wanted ? engine.ask("levers", { workload, branch: name }) : null), [workload, name, wanted]);
  const inside = isAsRead() ? h(AsRead, {})
    : failure ? h(Trouble, { failure })
    : !wanted ? el("button.btn.primary", { onClick: () => setWanted(true) }, say("app.drawer.search-levers"))
    : !found ? h(Skeleton, { lines: 3 })
    : [...found.obstacles.map((each) => el("p.calm", { key: each }, each)), ...found.levers.slice(0, all ? undefined : FIRST).map(Lever(workload)),
        !all && found.levers.length > FIRST ? el("button.link.more-levers", { onClick: () => setAll(true) }, say("app.drawer.more-levers", { count: found.levers.length - FIRST })) : null, el("p.note", null, found.note),
        found.levers.length ? el("a.more", { href: address("levers", { w: workload }) }, say("app.drawer.all-levers")) : null];
  return Section(say("app.drawer.levers"), "", inside);
}

/** Where a workload is in each of several clusters. @param {{workload: string}} props */
function InClusters({ workload }) {
  const name = family.value?.name ?? "";
  const { found, failure } = useAnswer(() => engine.ask("placement", { workload, branch: name }), [workload, name]);
  return Section(say("app.clusters.placement"), "",
    failure ? h(Trouble, { failure }) : !found ? h(Skeleton, { lines: 3 }) : PlacementLines(found),
    el("a.more", { href: address("clusters", { w: workload, step: "" }) }, say("app.clusters.show")));
}

/** @param {import("./protocol.js").PlacementFound} found */
export function PlacementLines(found) {
  return [
    el("dl.placement", null, ...found.lines.map((each) => [el("dt", null, each.cluster), el("dd", null, each.text)])),
    ...found.hazards.map((each) => el("div.find", { key: each.id }, h(Tag, { tone: "bad" }, say("app.clusters.hazard")), el("div", null, el("strong", null, each.text), el("small", null, each.remedy))))];
}

/** @param {string} workload @returns {(each: LeverInfo) => import("./lib.js").VNode} */
function Lever(workload) {
  return (each) => el("div.lever", { key: each.number },
    el("p", null, each.text), el("small", null, each.cost),
    each.canTry ? el("button.btn", { class: each.number === 0 ? "primary" : "", onClick: () => void tryLever(workload, each.number), "aria-label": say("app.try.about", { change: each.text }) }, say("app.try")) : null);
}

/** @param {{workload: string}} props */
function Why({ workload }) {
  return h(Fold, { title: say("app.drawer.why") }, h(WhyText, { workload }));
}

/** @param {{workload: string}} props */
function WhyText({ workload }) {
  const { found, failure } = useBranchAnswer("why", { workload });
  if (failure) return h(Trouble, { failure });
  if (!found) return h(Skeleton, { lines: 5 });
  return el("div.why", null, ...found.sections.map((each) =>
    el("section", { key: each.id }, el("h3", null, each.title), ...each.sentences.map((text) => el("p", { key: text }, text)),
      each.steps.length ? el("p", null, ...each.steps.slice(0, 4).map((step) => [StepLink(step), " "])) : null)));
}

/** @param {{title: string, children?: import("./lib.js").Child}} props */
function Fold({ title, children = null }) {
  const [shown, setShown] = useState(false);
  return el("section.fold", null,
    el("button.fold-head", { "aria-expanded": shown, onClick: () => setShown(!shown) }, icon(shown ? "down" : "right"), title),
    shown ? children : null);
}

/** @param {string} text */
export function Copy(text) {
  return el("button.btn.copy", {
    onClick: () => navigator.clipboard.writeText(text).then(() => toast(say("app.copied")), () => toast(say("app.not-copied"), { tone: "bad" })),
  }, icon("copy"), say("app.copy"));
}
