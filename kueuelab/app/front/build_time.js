// The jobs of the draft on an axis of time: when they arrive, and after a run when they wait and run.

import { el, h, useState } from "./lib.js";
import { icon } from "./icons.js";
import { ManyJobs } from "./build_many.js";
import { choose, chosen, draft, edit, ran } from "./build_draft.js";
import { say } from "./words.js";

/** @typedef {import("./protocol.js").DraftJobInfo} DraftJobInfo */
/** @typedef {import("./protocol.js").JobLane} JobLane */

/** Seconds between two marks of the axis. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400];

/** @param {number} seconds */
function clock(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const parts = /** @type {[number, string][]} */ ([[Math.floor(whole / 3600), "h"], [Math.floor((whole % 3600) / 60), "m"], [whole % 60, "s"]]);
  return parts.filter(([count]) => count).map(([count, unit]) => `${count}${unit}`).join("") || "0s";
}

/** @param {string} [queue] */
export async function addJob(queue) {
  const found = await edit("buildJob", queue ? { queue } : {});
  if (found?.chosen) choose(`job:${found.chosen}`);
}

export function Jobs() {
  const jobs = draft.value?.jobs ?? [];
  const queues = draft.value?.queues ?? [];
  const result = ran.value;
  const ends = jobs.map((each) => (each.atSeconds ?? 0) + (each.runsSeconds ?? 0));
  const last = Math.max(10, result?.seconds ?? 0, ...ends);
  const step = STEPS.find((each) => each >= last / 5) ?? 86_400;
  const end = Math.ceil((last * 1.15) / step) * step;
  const [many, setMany] = useState(false);
  const lanes = new Map((result?.lanes ?? []).map((lane) => [lane.job, lane]));
  return el("section.card.jobs", { "aria-label": say("app.build.jobs") },
    el("div.head", null, el("h2", null, say("app.build.jobs")),
      el("div.adds", null, ...(queues.length && queues.length <= 4 ? queues : [""]).map((queue) =>
        el("button.btn.small", { key: queue, disabled: !queues.length, onClick: () => void addJob(queue), "aria-label": say("app.build.jobs.add.to", { queue: queue || "-" }) }, queue ? `+ ${queue}` : say("app.build.jobs.add"))),
        el("button.btn.small", { disabled: !queues.length, "aria-expanded": many, onClick: () => setMany(!many) }, say("app.build.many")))),
    many && queues.length ? h(ManyJobs, { queues, onDone: () => setMany(false) }) : null,
    jobs.length ? [
      el("div.axis", { "aria-hidden": "true" }, el("span"), el("div.ticks", null, ...Array.from({ length: Math.ceil(end / step) }, (_, at) =>
        el("span", { key: at, style: { left: `${(100 * at * step) / end}%` } }, clock(at * step))))),
      el("ul.lanes", null, ...jobs.map((job) => Lane({ job, lane: lanes.get(job.job), end, step }))),
      el("div.legend.small", null, el("span", null, el("i.waits"), say("app.build.jobs.waits")), el("span", null, el("i.own"), say("app.build.jobs.runs"))),
      el("p.note", null, say("app.build.jobs.keys"))]
      : el("p.calm", null, say(queues.length ? "app.build.jobs.none" : "app.build.jobs.no-queue")));
}

/** @param {{job: DraftJobInfo, lane: JobLane | undefined, end: number, step: number}} props */
function Lane({ job, lane, end, step }) {
  const now = chosen() === `job:${job.job}`;
  const at = job.atSeconds ?? 0;
  const left = (/** @type {number} */ seconds) => `${Math.min(100, (100 * seconds) / end)}%`;
  // What is still going on at the end of the run goes on.
  const spans = lane?.spans.map((span, index) => ({ ...span, end: index === lane.spans.length - 1 && lane.tone ? end : span.end }))
    ?? [{ kind: "planned", start: at, end: job.runsSeconds == null ? end : at + job.runsSeconds }];
  const move = (/** @type {number} */ seconds) => void edit("buildJob", { job: job.job, at: clock(Math.max(0, seconds)) });
  const small = Math.max(1, Math.round(step / 5));
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "ArrowRight") move(at + small);
    else if (event.key === "ArrowLeft") move(at - small);
    else if (event.key === "Delete") { if (now) choose(""); void edit("buildDeleteJob", { job: job.job }); }
    else return;
    event.preventDefault();
  };
  const dragged = (/** @type {PointerEvent} */ event) => {
    const knob = /** @type {HTMLElement} */ (event.currentTarget);
    const track = /** @type {HTMLElement} */ (knob.parentElement).getBoundingClientRect();
    knob.setPointerCapture(event.pointerId);
    const second = (/** @type {PointerEvent} */ moved) => Math.max(0, Math.min(end, Math.round(((moved.clientX - track.left) / track.width) * end)));
    let moved = false;
    knob.onpointermove = (each) => { moved = true; knob.style.left = left(second(each)); };
    knob.onpointerup = (each) => {
      knob.onpointermove = knob.onpointerup = null;
      if (moved && second(each) !== at) move(second(each));
    };
  };
  return el("li", { key: job.job, class: now ? "on" : "" },
    el("button.lane-name", { onClick: () => choose(`job:${job.job}`), "aria-pressed": now, title: job.text },
      el("b", null, job.job), el("small", null, job.queue)),
    el("div.track", null,
      ...spans.map((span, index) => el("i", { key: index, class: span.kind === "runs" ? "own" : span.kind, style: { left: left(span.start), width: `calc(${left(span.end)} - ${left(span.start)})` } })),
      ...(lane?.spans ?? []).slice(1).filter((span) => span.kind === "waits").map((span, index) =>
        el("span.evicted", { key: `e${index}`, style: { left: left(span.start) }, title: say("app.build.jobs.evicted", { time: clock(span.start) }) }, icon("close"))),
      el("button.knob", {
        style: { left: left(at) }, title: say("app.build.jobs.arrives", { time: job.at }), "aria-label": `${job.text}${lane ? `, ${lane.text}` : ""}`,
        onPointerDown: dragged, onKeyDown: pressed, onClick: () => choose(`job:${job.job}`),
      })));
}
