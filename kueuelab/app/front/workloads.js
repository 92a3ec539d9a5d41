// All workloads in one table: only the rows in sight are drawn, and asked for.

import { el, h, useEffect, useMemo, useRef, useState } from "./lib.js";
import { icon } from "./icons.js";
import { Drawer } from "./drawer.js";
import { Empty, Tag, Trouble } from "./parts.js";
import { address, go, route } from "./route.js";
import { branch, engine, failureOf } from "./store.js";
import { Chosen, roomFor, template, Tools, UNFILTERED, useColumns } from "./workload_tools.js";
import { say } from "./words.js";

/** @typedef {import("./protocol.js").WorkloadPage} WorkloadPage */
/** @typedef {import("./protocol.js").WorkloadRow} WorkloadRow */

/** Rows that are asked for at once. */
const CHUNK = 100;
/** So many rows stand for those of the first answer. */
const FIRST = 8;
/** Workloads that are chosen at once. */
const MOST_CHOSEN = 500;
const TONES = /** @type {Record<string, string>} */ ({ Admitted: "ok", Evicted: "bad", QuotaReserved: "warn", Finished: "quiet", Pending: "" });

export function Workloads() {
  const { query } = route.value;
  const [text, setText] = useState(query.q ?? "");
  const search = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => setText(query.q ?? ""), [query.q]);
  useEffect(() => {
    const pressed = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "/" && !(event.target instanceof HTMLInputElement)) {
        event.preventDefault();
        search.current?.focus();
      }
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
  const name = branch.value?.name ?? "";
  const asked = {
    branch: name, search: query.q ?? "", phase: query.phase ?? "", queue: query.queue ?? "", cause: query.cause ?? "", priority: query.priority ?? "",
    flavor: query.flavor ?? "", owner: query.owner ?? "", sort: query.sort ?? "", descending: query.order === "down", group: query.group ?? "",
  };
  const key = JSON.stringify([asked, branch.value?.steps]);
  const { page, row, failure, need } = useRows(asked, key);
  const [columns, change] = useColumns();
  const [chosen, setChosen] = useState(/** @type {Set<string>} */ (new Set()));
  useEffect(() => setChosen(new Set()), [name]);
  const choose = async () => {
    if (chosen.size) return setChosen(new Set());
    const { rows } = await engine.ask("workloads", { ...asked, start: 0, count: MOST_CHOSEN });
    setChosen(new Set(rows.map((each) => each.workload)));
  };
  return el("div.page.work", { class: query.w ? "with-drawer" : "" },
    el("div.list", null,
      el("div.title", null, el("h1", null, say("app.page.workloads")),
        el("p", null, page?.sentence ?? "\u00a0", " ", el("span.wide-only", null, el("kbd", null, "/"), " ", say("app.workloads.key.search"), " ", el("kbd", null, "j"), " ", el("kbd", null, "k"), " ", say("app.workloads.key.move")))),
      el("div.tool", null,
        el("label.search", null, icon("search"), el("span.hidden", null, say("app.workloads.search")),
          el("input", {
            ref: search, type: "search", value: text, placeholder: say("app.workloads.search"),
            onInput: (/** @type {any} */ event) => { setText(event.target.value); go(address("workloads", { q: event.target.value }), true); },
          })),
        el("div.chips", { role: "group", "aria-label": say("app.workloads.phase") },
          ...[{ id: "", label: say("app.workloads.all"), count: page?.phases.reduce((sum, each) => sum + each.count, 0) ?? 0 }, ...(page?.phases ?? [])].map((each) =>
            el("button.chip", { key: each.id, "aria-pressed": (query.phase ?? "") === each.id, onClick: () => go(address("workloads", { phase: each.id })) },
              each.label, " ", el("b", null, each.count.toLocaleString("en"))))),
        h(Tools, { columns, change, cause: page?.cause ?? "" })),
      h(Chosen, { chosen, clear: () => setChosen(new Set()) }),
      failure
        ? h(Trouble, { failure })
        : h(Table, { page, row, need, columns: roomFor(columns, Boolean(query.w)), selected: query.w ?? "", sort: query.sort ?? "", down: query.order === "down", chosen, setChosen, choose: () => void choose() })),
    query.w ? h(Drawer, { workload: query.w, key: query.w }) : null,
  );
}

/**
 * Asks for the rows in sight, chunk by chunk; shows those of the last question until they are here.
 * @param {Omit<Required<import("./protocol.js").WorkloadsCommand>, "start" | "count">} asked
 * @param {string} key
 */
function useRows(asked, key) {
  const [page, setPage] = useState(/** @type {WorkloadPage | null} */ (null));
  const [failure, setFailure] = useState(/** @type {import("./protocol.js").Failure | null} */ (null));
  const [, redraw] = useState(0);
  const chunks = useRef({ key: "", rows: /** @type {Map<number, WorkloadRow[] | null>} */ (new Map()) });
  const ask = (/** @type {number} */ chunk) => {
    const rows = chunks.current.rows;
    if (rows.has(chunk)) return;
    rows.set(chunk, null);
    engine.ask("workloads", { ...asked, start: chunk * CHUNK, count: CHUNK }).then(
      (found) => {
        if (chunks.current.rows !== rows) return;
        rows.set(chunk, found.rows);
        setFailure(null);
        setPage(found);
        redraw((count) => count + 1);
      },
      (error) => chunks.current.rows === rows && setFailure(failureOf(error)),
    );
  };
  useEffect(() => {
    chunks.current = { key, rows: new Map() };
    ask(0);
  }, [key]);
  const row = (/** @type {number} */ at) => chunks.current.rows.get(Math.floor(at / CHUNK))?.[at % CHUNK] ?? null;
  const need = (/** @type {number} */ first, /** @type {number} */ last) => {
    for (let chunk = Math.floor(first / CHUNK); chunk <= Math.floor(last / CHUNK); chunk += 1) ask(chunk);
  };
  return { page, row, failure, need };
}

/**
 * Where rows and the headings of groups are, counted in lines.
 * @param {number} found
 * @param {import("./protocol.js").Facet[]} groups
 */
function linesOf(found, groups) {
  let rows = 0;
  /** The number of the first row of each group. */
  const starts = groups.map((each) => (rows += each.count) - each.count);
  const last = (/** @type {(group: number) => boolean} */ isBefore) => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(middle)) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  };
  return {
    count: found + groups.length,
    /** @param {number} line @returns {{group: number, row: number}} a heading has no row: -1 */
    at: (line) => {
      const group = last((each) => starts[each] + each <= line);
      return { group, row: group >= 0 && starts[group] + group === line ? -1 : line - group - 1 };
    },
    /** @param {number} row */
    of: (row) => row + last((each) => starts[each] <= row) + 1,
  };
}

/**
 * @param {{page: WorkloadPage | null, row: (at: number) => WorkloadRow | null, need: (first: number, last: number) => void, columns: string[],
 *   selected: string, sort: string, down: boolean, chosen: Set<string>, setChosen: (chosen: Set<string>) => void, choose: () => void}} props
 */
function Table({ page, row, need, columns, selected, sort, down, chosen, setChosen, choose }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const [view, setView] = useState({ top: 0, height: 800, line: 44 });
  const at = useRef(-1);
  const marked = useRef(-1);
  const count = page?.found ?? 0;
  const lines = useMemo(() => linesOf(count, page?.groups ?? []), [page]);
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const measure = () => {
      const line = parseFloat(getComputedStyle(element).getPropertyValue("--row")) || 44;
      setView({ top: element.scrollTop, height: element.clientHeight, line });
    };
    measure();
    const sized = new ResizeObserver(measure);
    sized.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => { sized.disconnect(); element.removeEventListener("scroll", measure); };
  }, [Boolean(page && !count)]);
  const first = Math.max(0, Math.floor(view.top / view.line) - 8);
  const last = Math.min(lines.count - 1, Math.ceil((view.top + view.height) / view.line) + 8);
  useEffect(() => {
    if (!count) return;
    const [from, to] = [lines.at(first), lines.at(Math.max(first, last))];
    const rowOf = (/** @type {{group: number, row: number}} */ each, /** @type {number} */ line) => Math.max(0, Math.min(count - 1, each.row < 0 ? line - each.group : each.row));
    need(rowOf(from, first), rowOf(to, last));
  }, [first, last, page]);
  const move = (/** @type {number} */ by) => {
    const next = Math.max(0, Math.min(count - 1, at.current + by));
    const found = row(next);
    if (!found) return;
    at.current = next;
    const element = place.current;
    if (element) {
      const line = lines.of(next);
      const [above, below] = [line * view.line, (line + 2) * view.line];
      if (above < element.scrollTop) element.scrollTop = above;
      else if (below > element.scrollTop + element.clientHeight) element.scrollTop = below - element.clientHeight;
    }
    go(address("workloads", { w: found.workload }), true);
  };
  /** With Shift, all rows since the last one that was marked. @param {number} index @param {boolean} isRange */
  const mark = (index, isRange) => {
    const next = new Set(chosen);
    const key = row(index)?.workload ?? "";
    const adds = !next.has(key);
    const start = isRange && marked.current >= 0 ? marked.current : index;
    for (let each = Math.min(start, index); each <= Math.max(start, index); each += 1) {
      const found = row(each)?.workload;
      if (found && adds) next.add(found);
      else if (found) next.delete(found);
    }
    marked.current = index;
    setChosen(next);
  };
  useEffect(() => {
    const pressed = (/** @type {KeyboardEvent} */ event) => {
      if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "j") move(1);
      if (event.key === "k") move(-1);
      if (event.key === "x" && at.current >= 0) mark(at.current, false);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  });
  if (page && !count) return h(Empty, { title: say("app.workloads.none"), text: say("app.workloads.none.hint") },
    el("button.btn", { onClick: () => go(address("workloads", UNFILTERED)) }, say("app.workloads.clear")));
  const rows = [];
  // Before the first answer, there are rows without text.
  for (let line = first; line <= (page ? last : FIRST); line += 1) {
    const { group, row: index } = page ? lines.at(line) : { group: 0, row: line };
    const style = { transform: `translateY(${line * view.line}px)` };
    if (index < 0) rows.push(Heading(/** @type {WorkloadPage} */ (page).groups[group], line, style));
    else rows.push(Row(row(index), line, style, columns, selected, () => (at.current = index), chosen, (isRange) => mark(index, isRange)));
  }
  return el("div.table", { ref: place, role: "table", "aria-rowcount": lines.count + 1, "aria-label": say("app.page.workloads"), tabIndex: 0, style: { "--columns": template(columns) } },
    el("div.thead", { role: "row", "aria-rowindex": 1 },
      el("div.c-choose", { role: "columnheader" },
        el("input", { type: "checkbox", checked: chosen.size > 0, onChange: choose, "aria-label": say("app.workloads.choose", { count: MOST_CHOSEN }), title: say("app.workloads.choose", { count: MOST_CHOSEN }) })),
      ...columns.map((name) =>
        el(`div.c-${name}`, { key: name, role: "columnheader", "aria-sort": sort === name ? (down ? "descending" : "ascending") : "none" },
          el("button", { onClick: () => go(address("workloads", { sort: sort === name && down ? "" : name, order: sort === name && !down ? "down" : "" })) },
            say(`app.column.${name}`), sort === name ? el("span.order", { "aria-hidden": "true" }, down ? "↓" : "↑") : null)))),
    el("div.tbody", { role: "rowgroup", style: { height: `${(page ? lines.count : FIRST) * view.line}px` } }, ...rows));
}

/** @param {import("./protocol.js").Facet} group @param {number} line @param {Record<string, string>} style */
function Heading(group, line, style) {
  return el("div.tr.group-head", { key: `group:${group.id}`, style, role: "row", "aria-rowindex": line + 2 },
    el("div", { role: "cell" }, el("b", null, group.label), " ", el("small", null, group.count.toLocaleString("en"))));
}

/** What a cell shows. @type {Record<string, (each: WorkloadRow) => import("./lib.js").Child>} */
const CELLS = {
  queue: (each) => each.queue || "–",
  phase: (each) => h(Tag, { tone: TONES[each.phase] }, each.phaseText),
  position: (each) => each.position || "–",
  age: (each) => each.age || "–",
  priority: (each) => each.priority,
  flavor: (each) => each.flavor || "–",
  owner: (each) => each.owner || "–",
  why: (each) => each.why || h(Tag, { tone: TONES[each.phase] }, each.phaseText),
};

/**
 * @param {WorkloadRow | null} each @param {number} line @param {Record<string, string>} style @param {string[]} columns @param {string} selected
 * @param {() => void} seen @param {Set<string>} chosen @param {(isRange: boolean) => void} mark
 */
function Row(each, line, style, columns, selected, seen, chosen, mark) {
  if (!each) return el("div.tr.waiting", { key: line, style, role: "row", "aria-rowindex": line + 2 }, el("div", { role: "cell" }, el("i")));
  const open = () => { seen(); go(address("workloads", { w: selected === each.workload ? "" : each.workload })); };
  return el("div.tr", { key: line, style, role: "row", "aria-rowindex": line + 2, class: selected === each.workload ? "on" : "", onClick: open },
    el("div.c-choose", { role: "cell", onClick: (/** @type {Event} */ event) => event.stopPropagation() },
      el("input", { type: "checkbox", checked: chosen.has(each.workload), "aria-label": say("app.workloads.choose-one", { workload: each.workload }), onClick: (/** @type {MouseEvent} */ event) => mark(event.shiftKey) })),
    ...columns.map((name) => name === "name"
      ? el("div.c-name", { key: name, role: "cell" },
          el("button.name", { onClick: (/** @type {Event} */ event) => { event.stopPropagation(); open(); }, "aria-expanded": selected === each.workload }, el("b", null, each.name), " ", el("small", null, each.namespace)))
      : el(`div.c-${name}`, { key: name, role: "cell", title: name === "why" ? each.why : undefined }, CELLS[name](each))));
}
