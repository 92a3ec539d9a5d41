// The decisions of a run in one line. They are filtered by outcome, and each leads to its step.

import { el, useEffect, useRef, useState } from "./lib.js";
import { address, go, route } from "./route.js";
import { say } from "./words.js";

/** @typedef {[step: number, cycle: number, outcome: string, job: string, sentence: string]} Row */
/** @typedef {{page: number, of: number, found: number, counts: Record<string, number>, rows: Row[], from: number, to: number}} Page */
/** @typedef {{step: number, go: (step: number) => Promise<boolean>, onStep: (listener: () => void) => void, listeners: Set<() => void>}} Stepping */

const TONES = /** @type {Record<string, string>} */ ({ admitted: "ok", quotaReserved: "ok", preempting: "warn", pending: "quiet", preempted: "bad", evicted: "bad", finished: "quiet" });
/** Chips that are drawn on each side of those that are seen. */
const BESIDE = 4;
const KEYS = /** @type {Record<string, (at: number, last: number) => number>} */ ({
  ArrowRight: (at) => at + 1,
  ArrowLeft: (at) => at - 1,
  Home: () => 0,
  End: (_, last) => last,
});

/**
 * @param {object} props
 * @param {Stepping} props.stepping
 * @param {(question: Record<string, any>) => Promise<Page>} props.ask
 */
export function DecisionStrip({ stepping, ask }) {
  const outcomes = (route.value.query.outcomes ?? "").split(",").filter(Boolean);
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const pages = useRef(/** @type {Map<number, Page>} */ (new Map()));
  const asked = useRef(/** @type {Set<string>} */ (new Set()));
  const wished = useRef(-1);
  const [all, setAll] = useState(/** @type {Page | null} */ (null));
  const [step, setStep] = useState(stepping.step);
  const [view, setView] = useState({ left: 0, width: 1200, chip: 132 });
  const key = outcomes.join();

  const load = async (/** @type {Record<string, number>} */ which) => {
    const name = `${key} ${JSON.stringify(which)}`;
    if (asked.current.has(name)) return;
    asked.current.add(name);
    try {
      const page = await ask({ ask: "decisions", outcomes, ...which });
      // Another filter may have been chosen meanwhile.
      if (!asked.current.has(name)) return;
      pages.current.set(page.page, page);
      setAll(page);
    } catch {
      asked.current.delete(name);
    }
  };
  useEffect(() => {
    pages.current.clear();
    asked.current.clear();
    void load({ step: stepping.step });
  }, [key, stepping]);
  useEffect(() => {
    const moved = () => setStep(stepping.step);
    moved();
    stepping.onStep(moved);
    return () => void stepping.listeners.delete(moved);
  }, [stepping]);
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const measure = () =>
      setView({ left: element.scrollLeft, width: element.clientWidth, chip: parseFloat(getComputedStyle(element).getPropertyValue("--chip")) || 132 });
    measure();
    const sized = new ResizeObserver(measure);
    sized.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => { sized.disconnect(); element.removeEventListener("scroll", measure); };
  }, [Boolean(all)]);

  const of = all?.of ?? 1;
  const rowAt = (/** @type {number} */ at) => pages.current.get(Math.floor(at / of))?.rows[at % of] ?? null;
  const here = all ? placeOf([...pages.current.values()], step) : -1;
  const first = Math.max(0, Math.floor(view.left / view.chip) - BESIDE);
  const last = Math.min((all?.found ?? 0) - 1, Math.ceil((view.left + view.width) / view.chip) + BESIDE);
  useEffect(() => {
    if (!all) return;
    if (here === null) void load({ step });
    for (let page = Math.floor(first / of); page <= Math.floor(Math.max(first, last) / of); page += 1)
      if (!pages.current.has(page)) void load({ page });
  });
  useEffect(() => {
    const element = place.current;
    if (!element || here === null) return;
    const left = Math.max(0, here) * view.chip;
    if (left < element.scrollLeft || left + view.chip > element.scrollLeft + element.clientWidth)
      element.scrollLeft = left - (element.clientWidth - view.chip) / 2;
  }, [here, Boolean(all), view.chip, view.width]);
  // A decision that a key went to before its page was here.
  useEffect(() => {
    const row = wished.current < 0 ? null : rowAt(wished.current);
    if (!row) return;
    wished.current = -1;
    void stepping.go(row[0]);
  });

  if (!all || !Object.keys(all.counts).length) return null;
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    const to = KEYS[event.key]?.(here ?? 0, all.found - 1);
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    wished.current = Math.max(0, Math.min(all.found - 1, to));
    void load({ page: Math.floor(wished.current / of) });
    setView({ ...view });
  };
  const chips = [];
  for (let at = first; at <= last; at += 1) chips.push(Chip(at, rowAt(at), rowAt(at - 1), at === here, view.chip, all.found, stepping));
  return el("section.strip", { "aria-label": say("app.decisions") },
    el("div.strip-head", null,
      el("h2", null, say("app.decisions")),
      ...Object.entries(all.counts).map(([outcome, count]) => {
        const chosen = outcomes.includes(outcome);
        const next = chosen ? outcomes.filter((each) => each !== outcome) : [...outcomes, outcome];
        return el("button.chip", { key: outcome, "aria-pressed": String(chosen), onClick: () => go(address("steps", { outcomes: next.join() }), true) },
          el(`i.dot.tone-${TONES[outcome] ?? "quiet"}`, { "aria-hidden": "true" }), say(`app.decision.${outcome}`), " ", el("b", null, count.toLocaleString("en")));
      }),
      key ? el("button.link", { onClick: () => go(address("steps", { outcomes: "" }), true) }, say("app.decisions.all")) : null),
    el("div.strip-line", { ref: place, role: "listbox", tabIndex: 0, "aria-label": say("app.decisions"), "aria-orientation": "horizontal", "aria-activedescendant": here !== null && here >= first && here <= last ? `decision-${here}` : undefined, onKeyDown: pressed },
      el("div.strip-track", { role: "presentation", style: { width: `${all.found * view.chip}px` } }, ...chips)));
}

/**
 * @param {number} at
 * @param {Row | null} row
 * @param {Row | null} before
 * @param {boolean} isHere
 * @param {number} width
 * @param {number} found
 * @param {Stepping} stepping
 */
function Chip(at, row, before, isHere, width, found, stepping) {
  const style = { transform: `translateX(${at * width}px)` };
  if (!row) return el("div.decision.waiting", { key: at, style, role: "presentation" }, el("i"));
  const [step, cycle, outcome, job, sentence] = row;
  const begins = cycle > 0 && before?.[1] !== cycle;
  return el("div.decision", {
    key: at,
    id: `decision-${at}`,
    class: `${isHere ? "on" : ""} ${begins ? "begins" : ""}`,
    style,
    role: "option",
    "aria-selected": String(isHere),
    "aria-posinset": at + 1,
    "aria-setsize": found,
    "aria-label": `${say("app.step", { step: step + 1 })}: ${job}, ${say(`app.decision.${outcome}`)}`,
    title: sentence,
    "data-step": step,
    onClick: () => void stepping.go(step),
  },
  el("small", null, begins ? say("app.decision.cycle", { cycle }) : ""),
  el("b", null, job),
  el(`span.tone-${TONES[outcome] ?? "quiet"}`, null, el("i.dot", { "aria-hidden": "true" }), say(`app.decision.${outcome}`)));
}

/**
 * Returns the place of the last decision up to a step: -1 before the first, null if its page is not here.
 * @param {Page[]} pages
 * @param {number} step
 */
function placeOf(pages, step) {
  for (const page of pages) {
    if (page.page === 0 && !page.rows.length) return -1;
    if (step < (page.page ? page.from : 0) || step >= page.to) continue;
    return page.page * page.of + page.rows.findLastIndex((row) => row[0] <= step);
  }
  return null;
}
