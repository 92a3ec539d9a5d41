// A job before it is submitted: what happens at once, when it would start, what else would do.

import { el, h, signal, useEffect, useState } from "./lib.js";
import { icon } from "./icons.js";
import { CostPart } from "./costs.js";
import { Empty, Skeleton, Tag, Trouble, useAnswer } from "./parts.js";
import { address, go, route } from "./route.js";
import { attempt, branch, engine, failureOf, opened, toast } from "./store.js";
import { say } from "./words.js";
import { YamlEditor } from "./yaml_editor.js";

/** @typedef {import("./protocol.js").JobForm} JobForm */
/** @typedef {import("./protocol.js").JobTrial} JobTrial */
/** @typedef {import("./protocol.js").TriedJob} TriedJob */
/** @typedef {import("./protocol.js").Alternative} Alternative */
/** @typedef {import("./protocol.js").Failure} Failure */
/** @typedef {{key: string, kind: "form" | "yaml", form: JobForm | null, text: string, runs: string, at: string}} Draft */
/** @typedef {{command: Record<string, any>, found: JobTrial | null, failure: Failure | null}} Trial */

/** What is written, and what came of it: both stay while other pages are looked at. */
const draft = signal(/** @type {Draft | null} */ (null));
const trial = signal(/** @type {Trial | null} */ (null));

export function TryJob() {
  const workload = route.value.query.w ?? "";
  const name = branch.value?.name ?? "";
  const key = `${name} ${workload}`;
  const { found, failure } = useAnswer(() => engine.ask("jobForm", { workload, branch: name }), [key]);
  useEffect(() => {
    if (!found || draft.value?.key === key) return;
    draft.value = { key, kind: found.form ? "form" : "yaml", form: found.form, text: found.text, runs: draft.value?.runs ?? "", at: "" };
    trial.value = null;
  }, [found]);
  const known = draft.value?.key === key ? draft.value : null;
  return el("div.page", null,
    el("div.title", null, el("h1", null, say("app.page.try-job")),
      el("p", null, workload ? say("app.try-job.changed", { workload }) : say("app.try-job.about"))),
    failure ? h(Trouble, { failure }) : !found || !known ? h(Skeleton, { lines: 8 })
      : el("div.try-job", null,
          h(Form, { draft: known, about: found, workload }),
          el("div.stack.try-answer", { "aria-live": "polite" }, h(Answer, { trial: trial.value, note: found.note }))));
}

/** @param {Partial<Draft>} changes */
function change(changes) {
  if (draft.value) draft.value = { ...draft.value, ...changes };
}

/** @param {string} workload */
async function run(workload) {
  const written = draft.value;
  if (!written) return;
  const jobs = written.kind === "form" ? { form: written.form } : { text: written.text };
  const command = { ...jobs, workload, at: written.at, runs: written.runs, branch: branch.value?.name ?? "" };
  const mine = { command, found: /** @type {JobTrial | null} */ (null), failure: null };
  trial.value = mine;
  // On a narrow page the answer is below the form.
  requestAnimationFrame(() => document.querySelector(".try-answer")?.scrollIntoView({ block: "nearest" }));
  // What happens at once takes a fraction of the time of the forecast.
  for (const now of [true, false]) {
    try {
      const found = await engine.ask("tryJob", { ...command, now });
      if (trial.value?.command !== command) return;
      trial.value = { ...mine, found };
      if (found.verdict !== "pending" && !found.others.length && !now) return;
    } catch (error) {
      if (trial.value?.command === command) trial.value = { ...mine, failure: failureOf(error) };
      return;
    }
  }
}

/** @param {{draft: Draft, about: import("./protocol.js").TrialForm, workload: string}} props */
function Form({ draft: written, about, workload }) {
  const form = written.form;
  const ready = written.kind === "form" ? Boolean(form?.queue && form.name) : Boolean(written.text.trim());
  return el("form.card.job-form", { onSubmit: (/** @type {Event} */ event) => { event.preventDefault(); if (ready) void run(workload); } },
    el("div.head", null, el("h2", null, say("app.try-job.job")),
      el("div.seg", { role: "group", "aria-label": say("app.try-job.kind") }, ...(/** @type {const} */ (["form", "yaml"])).map((kind) =>
        el("button", { key: kind, type: "button", "aria-pressed": written.kind === kind, disabled: kind === "form" && !form, onClick: () => change({ kind }) }, say(`app.try-job.kind.${kind}`))))),
    written.kind === "form" && form ? h(Fields, { form, about, workload })
      : el("div.field", null, el("span", null, say("app.try-job.yaml")),
          el("div.job-yaml", null, h(YamlEditor, { text: written.text, label: say("app.try-job.yaml"), onType: (/** @type {string} */ text) => change({ text }) }))),
    el("details.field-more", { open: Boolean(written.at) }, el("summary", null, say("app.try-job.more")),
      Field("at", written.at, (at) => change({ at }), { placeholder: about.moment })),
    Field("others", written.runs, (runs) => change({ runs }), { placeholder: say("app.try-job.others.hint") }),
    el("div.row", null,
      el("button.btn.primary", { type: "submit", disabled: !ready }, say("app.try-job.run")),
      workload ? el("a.more", { href: address("try-job", { w: "" }) }, say("app.try-job.new")) : null));
}

/** @param {{form: JobForm, about: import("./protocol.js").TrialForm, workload: string}} props */
function Fields({ form, about, workload }) {
  const set = (/** @type {Partial<JobForm>} */ changes) => change({ form: { ...form, ...changes } });
  const asked = [...new Set([...Object.keys(form.requests), ...about.resources])];
  const ask = (/** @type {string} */ resource, /** @type {string} */ amount) => {
    const { [resource]: _, ...others } = form.requests;
    set({ requests: amount ? { ...form.requests, [resource]: amount } : others });
  };
  return [
    Field("name", form.name, (name) => set({ name })),
    el("label.field", { key: "queue" }, el("span", null, say("app.try-job.queue")),
      el("select.in", { value: form.queue, onChange: (/** @type {any} */ event) => set({ queue: event.target.value }) },
        ...about.queues.map((each) => el("option", { key: each, value: each, disabled: Boolean(workload) && each.split("/")[0] !== form.queue.split("/")[0] }, each)))),
    el("div.fields", { key: "size" },
      Field("pods", String(form.pods), (pods) => set({ pods: Number(pods) || 0 }), { type: "number", min: 0, inputMode: "numeric" }),
      Field("priority", String(form.priority), (priority) => set({ priority: Number(priority) || 0 }), { type: "number" })),
    el("fieldset.field", { key: "requests" }, el("legend", null, say("app.try-job.requests")),
      el("div.fields", null, ...asked.map((each) =>
        el("label.field", { key: each }, el("span", null, each),
          el("input.in", { value: form.requests[each] ?? "", spellcheck: false, placeholder: "0", onInput: (/** @type {any} */ event) => ask(each, event.target.value.trim()) }))))),
    Field("runs", form.runs, (runs) => set({ runs }), { placeholder: "2h" }),
  ];
}

/** @param {string} name @param {string} value @param {(value: string) => void} set @param {Record<string, any>} [more] */
function Field(name, value, set, more = {}) {
  return el("label.field", { key: name }, el("span", null, say(`app.try-job.${name}`)),
    el("input.in", { value, spellcheck: false, autocomplete: "off", name, ...more, onInput: (/** @type {any} */ event) => set(event.target.value) }));
}

/** @param {{trial: Trial | null, note: string}} props */
function Answer({ trial: shown, note }) {
  if (!shown) return h(Empty, { title: note || say("app.try-job.none"), text: note ? "" : say("app.try-job.none.hint") });
  if (shown.failure) return h(Trouble, { failure: shown.failure });
  const { found, command } = shown;
  if (!found) return el("section.card", null, h(Skeleton, { lines: 4 }));
  return [
    found.problems.length ? h(Trouble, { failure: { message: say("app.try-job.refused", { count: found.problems.length }), problems: found.problems, more: 0 } }) : null,
    ...found.jobs.map((job, number) => h(Job, { key: job.workload, job, number, found, command, alone: found.jobs.length === 1 })),
    found.jobs.length && found.others.length ? el("section.card", { key: "others" }, el("div.head", null, el("h2", null, say("app.try-job.for-others"))), ...found.others.map(CostPart)) : null,
    ...found.notes.map((each) => el("p.note", { key: each }, each)),
    found.jobs.length ? h(Manifest, { text: found.text }) : null,
  ];
}

/** @param {{job: TriedJob, number: number, found: JobTrial, command: Record<string, any>, alone: boolean}} props */
function Job({ job, number, found, command, alone }) {
  const waits = job.outcome === "pending";
  return el("div.stack", null,
    el("section.card.subject", null,
      el("div.who", null, h(Tag, { tone: job.tone }, job.outcomeText), el("span", null, job.about), el("span", null, found.moment)),
      el("h2", null, job.name),
      ...job.now.map((each, at) => el(at ? "p.calm" : "p.say", { key: each }, each)),
      found.problems.length ? null : el("button.btn", { onClick: () => void keep(command) }, icon("compare"), say(alone ? "app.try-job.keep" : "app.try-job.keep-all"))),
    waits ? el("section.card.when", null,
      el("div.head", null, el("h2", null, say("app.try-job.when"))),
      !found.whole ? h(Skeleton, { lines: 2 }) : job.when ? When(job.when) : null) : null,
    waits ? el("section.instead", null,
      el("div.head", null, el("h2", null, say("app.try-job.instead")), job.instead.length ? el("span.pill", null, job.instead.length) : null),
      !found.whole ? el("div.card", null, h(Skeleton, { lines: 2 }))
        : [job.instead.length ? el("ol.lever-cards", { key: "cards" }, ...job.instead.map((each) => Card(each, () => void keep({ ...command, job: number, change: each.number })))) : null,
           el("p.note", { key: "note" }, job.insteadNote)]) : null);
}

/** @param {import("./protocol.js").When} found */
function When(found) {
  const late = found.starts.filter((each) => each.seconds != null).at(-1);
  return [
    el("p.say", { key: "sentence" }, found.sentence),
    late ? h(Runs, { key: "runs", starts: found.starts, scale: late.seconds ?? 1 }) : null,
    ...found.basis.map((each) => el("p.calm", { key: each }, each)),
    found.unknown ? el("p.calm", { key: "unknown" }, say("app.try-job.unknown")) : null,
  ];
}

/**
 * By when how many of ten runs have started it: each bar is a part of the runs.
 * @param {{starts: readonly import("./protocol.js").Start[], scale: number}} props
 */
function Runs({ starts, scale }) {
  return el("ol.runs", { "aria-label": say("app.try-job.runs.about") }, ...starts.map((each) =>
    el("li", { key: each.percent },
      el("span", null, say("app.try-job.percent", { percent: each.percent })),
      el("div.bar", { "aria-hidden": "true" }, el(each.seconds == null ? "i.lent" : "i.own", { style: { width: `${each.seconds == null ? 100 : Math.max(1, (100 * each.seconds) / scale)}%` } })),
      el("b", null, each.text || say("app.try-job.never")))));
}

/** @param {Alternative} each @param {() => void} onKeep */
function Card(each, onKeep) {
  return el("li.card.lever-card", { key: each.number, class: each.number === 0 ? "best" : "" },
    el("div.lever-head", null, each.number === 0 ? h(Tag, { tone: "ok" }, say("app.levers.best")) : null, el("h3", null, each.text)),
    el("p.calm", null, each.cost),
    each.changes.length ? el("details.changed", null, el("summary", null, say("app.levers.changes")), ...each.changes.map((text) => el("code", { key: text }, text))) : null,
    el("button.btn", { class: each.number === 0 ? "primary" : "", onClick: onKeep, "aria-label": say("app.try-job.keep.about", { change: each.text }) }, say("app.try-job.keep")));
}

/** @param {{text: string}} props */
function Manifest({ text }) {
  const [shown, setShown] = useState(false);
  return el("section.fold", null,
    el("button.fold-head", { "aria-expanded": shown, onClick: () => setShown(!shown) }, icon(shown ? "down" : "right"), say("app.try-job.manifest")),
    shown ? el("pre.yaml", { tabIndex: 0 }, text) : null);
}

/**
 * Keeps a branch in which the job is submitted, and shows what it changes.
 * @param {Record<string, any>} command
 */
async function keep({ runs: _, ...command }) {
  const before = branch.value?.name ?? "";
  const found = await attempt(say("app.trying"), () => engine.ask("keepJob", command));
  if (!found) return;
  opened.value = found;
  toast(found.note, { tone: "ok", undo: true });
  go(address("compare", { before, branch: found.branch, w: "" }));
}
