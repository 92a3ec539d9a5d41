// Sliders for quotas: each move is decided by the session, in a run that is not kept.

import { el, h, useEffect, useRef, useState } from "./lib.js";
import { icon } from "./icons.js";
import { CostPart } from "./costs.js";
import { Bar, Skeleton, Tag, Trouble, useAnswer } from "./parts.js";
import { address, go } from "./route.js";
import { attempt, branch, engine, failureOf, opened, toast } from "./store.js";
import { say } from "./words.js";

/** What comes of a move, by its tone. */
const VERDICTS = /** @type {Record<string, string>} */ ({ ok: "app.quotas.ok", warn: "app.quotas.warn" });

/** @typedef {import("./protocol.js").QuotaSlider} QuotaSlider */
/** @typedef {import("./protocol.js").QuotaOutcome} QuotaOutcome */
/** @typedef {import("./protocol.js").QuotaSetting} QuotaSetting */

const NO_LIMIT = -1;

/** @param {{workload: string}} props */
export function QuotaSliders({ workload }) {
  const name = branch.value?.name ?? "";
  const { found, failure } = useAnswer(() => engine.ask("quotas", { workload, branch: name }), [workload, name]);
  const [moved, setMoved] = useState(/** @type {Record<string, number>} */ ({}));
  const { outcome, failure: wrong, move } = useOutcome(workload, name);
  if (failure) return h(Trouble, { failure });
  if (!found) return el("section.card", null, h(Skeleton, { lines: 5 }));
  if (!found.sliders.length) return el("p.note", null, found.note);
  const shown = outcome ?? found.outcome;
  const settings = (/** @type {Record<string, number>} */ at) => found.sliders.filter((each) => (at[idOf(each)] ?? each.at) !== each.at).map((each) => settingOf(each, at[idOf(each)]));
  const set = (/** @type {Record<string, number>} */ at) => { setMoved(at); move(settings(at)); };
  const changed = settings(moved);
  const queues = [...new Set(found.sliders.map((each) => each.name))];
  return el("section.card.sliders", null,
    el("div.head", null, el("h2", null, say("app.quotas")), changed.length ? el("button.link", { onClick: () => set({}) }, say("app.quotas.reset")) : null),
    el("p.calm", null, say("app.quotas.about")),
    el("div.slider-cols", null,
      el("div.stack", null, ...queues.map((queue) => el("fieldset.slider-queue", { key: queue },
        el("legend", null, queue, found.sliders.find((each) => each.name === queue)?.own ? el("small", null, say("app.quotas.own")) : null),
        ...found.sliders.filter((each) => each.name === queue).map((each) => h(Slider, { key: idOf(each), each, at: moved[idOf(each)] ?? each.at, onMove: (/** @type {number} */ at) => set({ ...moved, [idOf(each)]: at }) }))))),
      el("div.outcome", { "aria-live": "polite" },
        wrong ? h(Trouble, { failure: wrong }) : Outcome(shown),
        changed.length ? el("button.btn.primary", { onClick: () => void keep(workload, changed) }, say("app.quotas.keep")) : null)));
}

/** @param {QuotaSlider} each */
function idOf(each) {
  return `${each.object} ${each.field}`;
}

/** @param {QuotaSlider} each @param {number} at @returns {QuotaSetting} */
function settingOf(each, at) {
  const { value, text } = each.stops[at];
  return { object: each.object, field: each.field, value: value === NO_LIMIT ? null : text };
}

/** @param {{each: QuotaSlider, at: number, onMove: (at: number) => void}} props */
function Slider({ each, at, onMove }) {
  const text = each.stops[at].text;
  return el("label.slider", { class: at === each.at ? "" : "moved" },
    el("span", null, each.label),
    el("input", { type: "range", min: 0, max: each.stops.length - 1, value: at, "aria-valuetext": text, onInput: (/** @type {any} */ event) => onMove(Number(event.target.value)) }),
    el("output", null, text));
}

/** @param {QuotaOutcome} found */
function Outcome(found) {
  const scale = new Map();
  for (const { resource, nominal, own, borrowed } of found.bars)
    scale.set(resource, Math.max(scale.get(resource) ?? 0, nominal.value, own.value + borrowed.value));
  return [
    el("p.say", { key: "sentence" }, h(Tag, { tone: found.tone }, say(VERDICTS[found.tone])), " ", found.sentence),
    ...found.bars.map((each) => el("div.quota-bar", { key: `${each.name} ${each.flavor} ${each.resource}` },
      el("span", null, each.name, " ", el("small", null, `${each.resource} · ${each.flavor}`)),
      el("div.over", null,
        h(Bar, { parts: [["own", each.own.value], ["borrowed", each.borrowed.value]], scale: scale.get(each.resource) }),
        el("i.nominal", { style: { left: `${(100 * each.nominal.value) / (scale.get(each.resource) || 1)}%` } })),
      el("b", null, each.text))),
    found.note ? el("p.free", { key: "note" }, icon("check"), found.note) : null,
    ...found.parts.map(CostPart),
  ];
}

/**
 * Asks what quotas would do while they move: one question at a time, and the last one always.
 * @param {string} workload @param {string} name
 */
function useOutcome(workload, name) {
  const [state, setState] = useState({ outcome: /** @type {QuotaOutcome | null} */ (null), failure: /** @type {import("./protocol.js").Failure | null} */ (null) });
  const asked = useRef({ busy: false, next: /** @type {QuotaSetting[] | null} */ (null), gone: false });
  useEffect(() => () => { asked.current.gone = true; }, []);
  const move = async (/** @type {QuotaSetting[]} */ settings) => {
    const now = asked.current;
    now.next = settings;
    if (now.busy) return;
    now.busy = true;
    while (now.next && !now.gone) {
      const wanted = now.next;
      now.next = null;
      try {
        const outcome = await engine.ask("tryQuotas", { workload, settings: wanted, branch: name });
        if (!now.gone) setState({ outcome, failure: null });
      } catch (error) {
        if (!now.gone) setState({ outcome: null, failure: failureOf(error) });
      }
    }
    now.busy = false;
  };
  return { ...state, move };
}

/** @param {string} workload @param {QuotaSetting[]} settings */
async function keep(workload, settings) {
  const before = branch.value?.name ?? "";
  const found = await attempt(say("app.trying"), () => engine.ask("keepQuotas", { workload, settings, branch: before }));
  if (!found) return;
  opened.value = found;
  toast(found.note, { tone: "ok", undo: true });
  go(address("compare", { before, branch: found.branch, w: "" }));
}
