// Capacity: a small sweep, run by run, as a heat map; and which quotas are worth their size.

import { el, h, useEffect, useRef, useState } from "./lib.js";
import { Copy } from "./drawer.js";
import { Bar, Empty, Skeleton, Trouble, useAnswer } from "./parts.js";
import { branch, engine, failureOf } from "./store.js";
import { say } from "./words.js";

/** @typedef {import("./protocol.js").SweepDesign} SweepDesign */
/** @typedef {import("./protocol.js").CapacityForm} CapacityForm */
/** @typedef {import("./protocol.js").CapacityPlan} CapacityPlan */
/** @typedef {import("./protocol.js").CellFound} CellFound */
/** @typedef {import("./protocol.js").Failure} Failure */
/** @typedef {{quota: string, amounts: string, rates: string, jobs: string, runs: string, request: string}} Written */
/** @typedef {{design: SweepDesign, plan: CapacityPlan, cells: (CellFound | null)[], running: boolean}} Sweep */

const WIDTH = 640, HEIGHT = 260, LEFT = 12, RIGHT = 12, TOP = 28, BOTTOM = 44;

export function Capacity() {
  const name = branch.value?.name ?? "";
  const { found, failure } = useAnswer(() => engine.ask("capacity", { branch: name }), [name]);
  return el("div.page", null,
    el("div.title", null, el("h1", null, say("app.page.capacity")), el("p", null, say("app.capacity.about"))),
    failure ? h(Trouble, { failure }) : !found ? h(Skeleton, { lines: 8 })
      : found.quotas.length ? h(Lab, { key: name, form: found, name }) : h(Empty, { title: found.note }));
}

/** @param {SweepDesign} design @returns {Written} */
function writtenOf(design) {
  return { ...design, amounts: design.amounts.join(", "), rates: design.rates.join(", "), jobs: String(design.jobs) };
}

/** @param {Written} written @returns {SweepDesign} */
function designOf(written) {
  const list = (/** @type {string} */ text) => text.split(/[\s,;]+/).filter(Boolean);
  return { ...written, amounts: list(written.amounts), rates: list(written.rates).map(Number), jobs: Number(written.jobs) };
}

/** @param {{form: CapacityForm, name: string}} props */
function Lab({ form, name }) {
  const [written, setWritten] = useState(() => writtenOf(form.quotas[0].design));
  const [sweep, setSweep] = useState(/** @type {Sweep | null} */ (null));
  const [failure, setFailure] = useState(/** @type {Failure | null} */ (null));
  const [measure, setMeasure] = useState(form.measures[0].id);
  // The runs of an older sweep, and of a page that is left, are no longer asked for.
  const current = useRef(0);
  useEffect(() => () => { current.current += 1; }, []);
  const stop = () => { current.current += 1; setSweep((old) => old && { ...old, running: false }); };
  const run = async () => {
    current.current += 1;
    const mine = current.current, design = designOf(written);
    setFailure(null);
    try {
      const plan = await engine.ask("capacityPlan", { sweep: design, branch: name });
      const cells = Array.from({ length: plan.columns.length * plan.rows.length }, () => /** @type {CellFound | null} */ (null));
      for (let cell = 0; cell <= cells.length; cell += 1) {
        if (mine !== current.current) return;
        const running = plan.small && cell < cells.length;
        setSweep({ design, plan, cells: [...cells], running });
        if (!running) return;
        cells[cell] = await engine.ask("capacityCell", { sweep: design, cell, branch: name });
      }
    } catch (error) {
      if (mine === current.current) { setFailure(failureOf(error)); setSweep((old) => old && { ...old, running: false }); }
    }
  };
  return el("div.try-job", null,
    h(Form, { form, written, running: Boolean(sweep?.running), onWrite: setWritten, onRun: () => void run(), onStop: stop }),
    el("div.stack", null,
      failure ? h(Trouble, { failure }) : null,
      sweep ? h(Found, { sweep, form, measure, onMeasure: setMeasure }) : failure ? null : h(Empty, { title: say("app.capacity.none"), text: say("app.capacity.none.hint") })));
}

/** @param {{form: CapacityForm, written: Written, running: boolean, onWrite: (written: Written) => void, onRun: () => void, onStop: () => void}} props */
function Form({ form, written, running, onWrite, onRun, onStop }) {
  const field = (/** @type {keyof Written} */ name) => el("label.field", { key: name }, el("span", null, say(`app.capacity.${name}`)),
    el("input.in", { name, value: written[name], spellcheck: false, autocomplete: "off", onInput: (/** @type {any} */ event) => onWrite({ ...written, [name]: event.target.value }) }));
  const choose = (/** @type {string} */ id) => {
    const found = form.quotas.find((each) => each.id === id);
    if (found) onWrite(writtenOf(found.design));
  };
  return el("form.card.job-form", { onSubmit: (/** @type {Event} */ event) => { event.preventDefault(); onRun(); } },
    el("div.head", null, el("h2", null, say("app.capacity.sweep"))),
    el("label.field", null, el("span", null, say("app.capacity.quota")),
      el("select.in", { value: written.quota, onChange: (/** @type {any} */ event) => choose(event.target.value) },
        ...form.quotas.map((each) => el("option", { key: each.id, value: each.id }, each.label)))),
    field("amounts"), field("rates"),
    el("div.fields", null, field("jobs"), field("runs"), field("request")),
    el("p.note", null, say("app.capacity.jobs.about")),
    el("div.row", null,
      el("button.btn.primary", { type: "submit", disabled: running }, say("app.capacity.run")),
      running ? el("button.btn", { type: "button", onClick: onStop }, say("app.stop")) : null));
}

/** @param {{sweep: Sweep, form: CapacityForm, measure: string, onMeasure: (id: string) => void}} props */
function Found({ sweep, form, measure, onMeasure }) {
  const { plan, cells, running } = sweep;
  const done = cells.filter(Boolean).length;
  const failed = cells.find((each) => each?.error);
  const label = form.measures.find((each) => each.id === measure)?.label ?? "";
  return [
    el("section.card", { key: "map" },
      el("div.head", null, el("h2", null, label),
        el("div.seg", { role: "group", "aria-label": say("app.capacity.measure") }, ...form.measures.map((each) =>
          el("button", { key: each.id, "aria-pressed": each.id === measure, onClick: () => onMeasure(each.id) }, each.label)))),
      el("p.calm", { role: "status" }, plan.sentence, " ", !plan.small ? "" : done === cells.length ? "" : say(running ? "app.capacity.done" : "app.capacity.stopped", { done, count: cells.length })),
      running ? h(Bar, { parts: [["own", done]], scale: cells.length }) : null,
      plan.small ? h(HeatMap, { plan, cells, measure }) : null,
      failed ? el("p.calm.tone-bad", null, failed.about, ": ", failed.error) : null),
    plan.small && done ? h(Front, { key: "front", plan, cells, measure, label }) : null,
    el("section.card", { key: "command" }, el("div.head", null, el("h2", null, say("app.capacity.machine"))),
      el("p.calm", null, say("app.capacity.machine.about")),
      el("pre.yaml", { tabIndex: 0 }, `cat > jobs.yaml <<EOF\n${plan.model}EOF\n${plan.command}`),
      el("div.row", null, Copy(`cat > jobs.yaml <<EOF\n${plan.model}EOF\n${plan.command}\n`))),
  ];
}

/** @param {CellFound | null} cell @param {string} measure */
function measureOf(cell, measure) {
  return cell?.measures.find((each) => each.id === measure) ?? null;
}

/** @param {{plan: CapacityPlan, cells: (CellFound | null)[], measure: string}} props */
function HeatMap({ plan, cells, measure }) {
  const values = cells.map((each) => measureOf(each, measure)?.value).filter((each) => each != null);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const part = (/** @type {number} */ value) => (high > low ? (value - low) / (high - low) : 0);
  return el("div.heat-scroll", { tabIndex: 0, role: "region", "aria-label": say("app.capacity.map") },
    el("table.heat", null,
      el("thead", null, el("tr", null, el("th", { scope: "col" }, say("app.capacity.corner")), ...plan.columns.map((text, at) => el("th", { key: at, scope: "col" }, text)))),
      el("tbody", null, ...plan.rows.map((text, row) => el("tr", { key: row }, el("th", { scope: "row" }, text), ...plan.columns.map((_, column) => {
        const cell = cells[row * plan.columns.length + column], found = measureOf(cell, measure);
        const front = cell && latest(cells)?.front[measure]?.includes(cell.cell);
        const ground = found?.value == null ? null : { background: `color-mix(in srgb, var(--own) ${Math.round(8 + 50 * part(found.value))}%, var(--surface))` };
        return el("td", { key: column, class: front ? "front" : "", style: ground, title: cell?.about ?? "" }, found?.text || (cell ? "–" : el("i.wait")));
      }))))),
    el("p.note", null, say("app.capacity.legend")));
}

/** The cell that was found last knows the front of all. @param {(CellFound | null)[]} cells */
function latest(cells) {
  return cells.findLast(Boolean) ?? null;
}

/**
 * The quotas of one rate, and what each gives: those of the front are joined.
 * @param {{plan: CapacityPlan, cells: (CellFound | null)[], measure: string, label: string}} props
 */
function Front({ plan, cells, measure, label }) {
  const [rate, setRate] = useState(plan.rows.length - 1);
  const columns = plan.columns.length, row = Math.min(rate, plan.rows.length - 1);
  const front = latest(cells)?.front[measure] ?? [];
  const points = plan.columns.map((text, column) => {
    const cell = cells[row * columns + column];
    return { text, column, found: measureOf(cell, measure), front: Boolean(cell && front.includes(cell.cell)) };
  }).filter((each) => each.found?.value != null);
  const most = Math.max(...points.map((each) => each.found?.value ?? 0), 0) || 1;
  const x = (/** @type {number} */ column) => LEFT + ((column + 0.5) * (WIDTH - LEFT - RIGHT)) / columns;
  const y = (/** @type {number} */ value) => HEIGHT - BOTTOM - (value * (HEIGHT - TOP - BOTTOM)) / most;
  const joined = points.filter((each) => each.front).map((each) => `${x(each.column)},${y(each.found?.value ?? 0)}`).join(" ");
  const about = points.map((each) => `${each.text}: ${each.found?.text}`).join("; ");
  return el("section.card", null,
    el("div.head", null, el("h2", null, say("app.capacity.front")),
      el("label.rate", null, el("span.hidden", null, say("app.capacity.rates")),
        el("select.in", { value: row, onChange: (/** @type {any} */ event) => setRate(Number(event.target.value)) }, ...plan.rows.map((text, at) => el("option", { key: at, value: at }, text))))),
    el("p.calm", null, el("b", null, label), ". ", say("app.capacity.front.about")),
    points.length ? h("svg", { class: "front-chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${label}. ${about}` },
      h("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM, class: "axis" }),
      h("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 6, class: "middle" }, say("app.capacity.axis")),
      h("polyline", { points: joined, class: "joined" }),
      ...points.flatMap((each) => [
        h("circle", { key: `c${each.column}`, cx: x(each.column), cy: y(each.found?.value ?? 0), r: 5, class: each.front ? "on" : "off" }),
        h("text", { key: `t${each.column}`, x: x(each.column), y: y(each.found?.value ?? 0) - 10, class: "middle value" }, each.found?.text),
        h("text", { key: `x${each.column}`, x: x(each.column), y: HEIGHT - BOTTOM + 16, class: "middle" }, each.text),
      ])) : el("p.note", null, say("app.loading")));
}
