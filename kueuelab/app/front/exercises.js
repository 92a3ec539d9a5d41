// Exercises: the list in the order of the course with what is solved, and one of them to work on.

import { el, h, useEffect, useRef, useState } from "./lib.js";
import { keepText, keptText } from "./drafts.js";
import { icon } from "./icons.js";
import { Lab } from "./lab.js";
import { Skeleton, Tag, Trouble, useAnswer } from "./parts.js";
import { address, go, route } from "./route.js";
import { attempt, engine, failureOf, toast } from "./store.js";
import { say } from "./words.js";
import { YamlEditor } from "./yaml_editor.js";

/** @typedef {import("./protocol.js").ExerciseInfo} ExerciseInfo */
/** @typedef {import("./protocol.js").ExerciseFound} ExerciseFound */
/** @typedef {import("./protocol.js").CheckedAnswer} CheckedAnswer */
/** @typedef {import("./protocol.js").Failure} Failure */
/** @typedef {"exercises" | "exercise" | "exerciseCheck" | "exerciseHint" | "exerciseReveal" | "exerciseReset"} About */

/** Where the progress is kept of an engine that keeps none. */
const PROGRESS = "exercises:progress";
/** Milliseconds after which what is written is kept. */
const SOON = 300;
/** What a state is drawn as: icon, tone. */
const STATES = /** @type {Record<string, [string, string]>} */ ({
  solved: ["check", "ok"], revealed: ["check", "ok"], tried: ["levers", "warn"], next: ["right", "accent"], new: ["right", ""], later: ["lock", ""],
});
const draftOf = (/** @type {string} */ name) => `exercises:${name}`;

/**
 * Asks about exercises with the progress that this browser keeps, and keeps what comes back.
 * @template {About} K
 * @param {K} command
 * @param {Omit<import("./protocol.js").Commands[K], "progress">} fields
 * @returns {Promise<import("./protocol.js").Answers[K]>}
 */
export async function askAbout(command, fields) {
  const progress = (await keptText(PROGRESS)) ?? "";
  const found = await engine.ask(command, /** @type {any} */ ({ ...fields, progress }));
  if (found.progress) await keepText(PROGRESS, found.progress);
  return found;
}

export function Exercises() {
  const name = route.value.query.exercise ?? "";
  return name ? h(Exercise, { name, key: name }) : h(List, null);
}

function List() {
  const { found, failure } = useAnswer(() => askAbout("exercises", {}), []);
  const topic = route.value.query.topic ?? "";
  useEffect(() => document.getElementById(`topic-${topic}`)?.scrollIntoView(), [found, topic]);
  return el("div.page.exercises", null,
    el("div.title", null, el("h1", null, say("app.page.exercises")), el("p", null, found?.sentence ?? "\u00a0")),
    failure ? h(Trouble, { failure }) : !found ? h(Skeleton, { lines: 10 }) : [
      el("section.card.begin", { "aria-label": say("app.exercises.progress") },
        el("div.done", { role: "progressbar", "aria-valuemin": 0, "aria-valuemax": found.count, "aria-valuenow": found.solved, "aria-label": found.sentence }, el("i", { style: { width: `${(100 * found.solved) / Math.max(1, found.count)}%` } })),
        found.next
          ? el("div.following", null,
              el("div", null, el("small", null, say("app.exercises.next")), el("b", null, found.next.title), el("small", null, found.next.facts)),
              el("a.btn.primary", { href: address("exercises", { exercise: found.next.name }) }, say(found.solved ? "app.exercises.go-on" : "app.exercises.begin")))
          : el("p.calm", null, say("app.exercises.all"))),
      ...found.topics.map(({ id, title, exercises }) => el("section.topic", { key: id, id: `topic-${id}`, class: id === topic ? "named" : "" },
        el("h2", null, title),
        el("ol", null, ...exercises.map((each) => el("li", { key: each.name }, Card(each)))))),
    ]);
}

/** @param {ExerciseInfo} each */
function Card(each) {
  const [picture, tone] = STATES[each.state] ?? STATES.new;
  return el("a.card.exercise", { class: each.state, href: address("exercises", { exercise: each.name }) },
    el("span.state", { class: tone ? `tone-${tone}` : "" }, icon(picture)),
    el("span", null, el("b", null, each.title), el("small", null, each.facts),
      el("small.status", null, each.missing.length ? say("app.exercises.after", { names: each.missing.join(", ") }) : each.stateText)));
}

/** @param {{name: string}} props */
function Exercise({ name }) {
  const [state, setState] = useState({ found: /** @type {ExerciseFound | null} */ (null), failure: /** @type {Failure | null} */ (null) });
  const [text, setText] = useState("");
  const [checked, setChecked] = useState({ found: /** @type {CheckedAnswer | null} */ (null), failure: /** @type {Failure | null} */ (null), busy: false });
  const [solution, setSolution] = useState(/** @type {import("./protocol.js").SolutionText | null} */ (null));
  const timer = useRef(0);
  const latest = useRef("");
  latest.current = name;
  useEffect(() => {
    const open = async () => {
      const found = await askAbout("exercise", { name });
      const draft = await keptText(draftOf(name));
      if (latest.current !== name) return;
      setState({ found, failure: null });
      setText(draft ?? found.text);
    };
    open().catch((error) => setState({ found: null, failure: failureOf(error) }));
  }, [name]);
  const { found, failure } = state;
  const back = el("a.more", { href: address("exercises", { exercise: "", case: "", step: "" }) }, say("app.exercises.all-of-them"));
  if (failure) return el("div.page", null, h(Trouble, { failure }), back);
  if (!found) return el("div.page", null, h(Skeleton, { lines: 10 }));
  /** @param {string} written */
  const write = (written) => {
    setText(written);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => void keepText(draftOf(name), written), SOON);
  };
  const check = async () => {
    setChecked({ found: null, failure: null, busy: true });
    if (route.value.query.case) go(address("exercises", { case: "", step: "" }), true);
    clearTimeout(timer.current);
    await keepText(draftOf(name), text);
    try {
      setChecked({ found: await askAbout("exerciseCheck", { name, text }), failure: null, busy: false });
      setState({ found: await askAbout("exercise", { name }), failure: null });
    } catch (error) {
      setChecked({ found: null, failure: failureOf(error), busy: false });
    }
  };
  /** @param {"exerciseHint" | "exerciseReset"} command */
  const change = async (command) => {
    const now = await attempt("", () => askAbout(command, { name }));
    if (now) setState({ found: now, failure: null });
    return now;
  };
  const reset = async () => {
    const before = text;
    const now = await change("exerciseReset");
    if (!now) return;
    write(now.text);
    setChecked({ found: null, failure: null, busy: false });
    setSolution(null);
    if (before !== now.text) toast(say("app.exercises.was-reset"));
  };
  const reveal = async () => {
    const now = await attempt("", () => askAbout("exerciseReveal", { name }));
    if (now) setSolution(now);
  };
  const [picture, tone] = STATES[found.info.state] ?? STATES.new;
  return el("div.page.exercises.one", null,
    el("div.title", null,
      back,
      el("h1", null, found.info.title),
      el("p", null, el("span.tag", { class: tone ? `tone-${tone}` : "" }, icon(picture), found.info.stateText), " ", found.info.facts,
        found.info.missing.length ? ` · ${say("app.exercises.after", { names: found.info.missing.join(", ") })}` : "")),
    el("div.cols", null,
      el("div.stack", null,
        el("section.card.goal", null, el("div.head", null, el("h2", null, say("app.exercises.goal"))), ...found.goal.map((each) => el("p", { key: each }, each))),
        el("section.card", null,
          el("div.head", null, el("h2", null, say("app.exercises.hints")), el("span.pill", null, say("app.exercises.hints.taken", { taken: found.hints.length, count: found.hints.length + found.moreHints }))),
          el("ol.hints", { "aria-live": "polite" }, ...found.hints.map((each) => el("li", { key: each }, each))),
          el("div.row", null,
            found.moreHints > 0 ? el("button.btn", { onClick: () => void change("exerciseHint") }, say(found.hints.length ? "app.exercises.hint.next" : "app.exercises.hint")) : null,
            found.canReveal && !solution ? el("button.btn", { onClick: () => void reveal() }, say("app.exercises.reveal")) : null),
          solution ? [el("h3", null, say("app.exercises.solution")), el("pre.yaml", { tabIndex: 0, role: "region", "aria-label": say("app.exercises.solution") }, solution.text), ...solution.why.split("\n\n").map((each) => el("p.calm", { key: each }, each))] : null)),
      el("div.stack", null,
        el("section.card", null,
          el("div.head", null, el("h2", null, say(found.answer === "dispatcher" ? "app.exercises.answer.python" : "app.exercises.answer")), found.file ? el("small.file-name", { title: found.file }, found.file) : null),
          el("div.answer", null, h(YamlEditor, {
            text, label: say("app.exercises.answer"), plain: found.answer === "dispatcher", onType: write,
            keys: [{ key: "Mod-Enter", run: () => { void check(); return true; } }],
          })),
          found.obstacle ? el("p.note", null, found.obstacle) : null,
          el("div.row", { "aria-live": "polite" },
            el("button.btn.primary", { onClick: () => void check(), disabled: checked.busy || Boolean(found.obstacle) }, say("app.exercises.check")),
            checked.found ? el("span.verdict-line", { class: checked.found.passed ? "tone-ok" : "tone-bad" }, icon(checked.found.passed ? "check" : "alert"), checked.found.sentence)
              : el("span.wide-only", null, el("kbd", null, "Ctrl"), " ", el("kbd", null, "Enter")),
            el("span.space"),
            el("button.btn", { onClick: () => void reset(), title: say("app.exercises.reset.about") }, say("app.exercises.reset")))),
        el("div", null,
          checked.failure ? h(Trouble, { failure: checked.failure }) : checked.busy ? el("section.card", null, h(Skeleton, { lines: 4 })) : checked.found ? h(Feedback, { name, found: checked.found }) : null))),
    checked.found && route.value.query.case ? h(Case, { name, of: route.value.query.case, checked: checked.found }) : null);
}

/** @param {{name: string, found: CheckedAnswer}} props */
function Feedback({ name, found }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  // What was checked is below the answer.
  useEffect(() => place.current?.scrollIntoView({ block: "nearest" }), [found]);
  return el("section.card.feedback", { ref: place, class: found.passed ? "passed" : "" },
    el("h2", null, say("app.exercises.result")),
    found.note ? el("p.calm", null, found.note) : null,
    ...found.cases.map((each) => el("div.case", { key: each.id },
      el("h3", null, each.title || say("app.exercises.rules")),
      el("ul", null, ...each.checks.map(({ text, tone, found: lines, step }) => el("li", { key: text },
        el("span.mark", { class: `tone-${tone}` }, icon(tone === "ok" ? "check" : tone === "bad" ? "close" : "right"), el("span.hidden", null, say(`app.exercises.verdict.${tone}`))),
        el("div", null, text, ...lines.map((line) => el("small", { key: line }, line)),
          step == null ? null : el("a.more", { href: address("exercises", { case: each.id, step: step + 1 }), "aria-label": say("app.exercises.show", { check: text }) }, say("app.show-step")))))))),
    found.passed && found.next ? el("a.btn.primary", { href: address("exercises", { exercise: found.next.name, case: "", step: "" }) }, say("app.exercises.next-one", { title: found.next.title })) : null);
}

/** What happened in a case, step by step. @param {{name: string, of: string, checked: CheckedAnswer}} props */
function Case({ name, of, checked }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => place.current?.scrollIntoView({ block: "start" }), [of]);
  const title = checked.cases.find((each) => each.id === of)?.title ?? of;
  return el("section.played", { ref: place, "aria-label": title },
    el("div.head", null, el("h2", null, title), el("a.more", { href: address("exercises", { case: "", step: "" }) }, say("app.close"))),
    h(Lab, { page: "exercises", name: `${name}/${of}`, steps: 0, key: of, frames: (/** @type {object} */ fields) => engine.ask("exerciseFrames", { name, case: of, ...fields }) }));
}
