// All workloads in one table: only the rows in sight are drawn, and asked for.

import { el, h, useEffect, useRef, useState } from "./lib.js";
import { icon } from "./icons.js";
import { Drawer } from "./drawer.js";
import { Empty, Tag, Trouble } from "./parts.js";
import { address, go, route } from "./route.js";
import { branch, engine, failureOf } from "./store.js";
import { say } from "./words.js";

/** @typedef {import("./protocol.js").WorkloadPage} WorkloadPage */
/** @typedef {import("./protocol.js").WorkloadRow} WorkloadRow */

/** Rows that are asked for at once. */
const CHUNK = 100;
/** So many rows stand for those of the first answer. */
const FIRST = 8;
const COLUMNS = ["name", "queue", "position", "age", "priority", "why"];
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
  const asked = {
    branch: branch.value?.name ?? "", search: query.q ?? "", phase: query.phase ?? "", queue: query.queue ?? "",
    cause: query.cause ?? "", sort: query.sort ?? "", descending: query.order === "down",
  };
  const key = JSON.stringify([asked, branch.value?.steps]);
  const { page, row, failure, need } = useRows(asked, key);
  const filtered = Boolean(query.queue || query.cause);
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
              each.label, " ", el("b", null, each.count.toLocaleString("en")))),
          filtered
            ? el("button.chip.filter", { onClick: () => go(address("workloads", { queue: "", cause: "" })), "aria-label": say("app.workloads.clear") },
                el("span", null, query.cause ? (page?.cause ?? query.cause) : query.queue), icon("close"))
            : null)),
      failure ? h(Trouble, { failure }) : h(Table, { page, row, need, selected: query.w ?? "", sort: query.sort ?? "", down: query.order === "down" })),
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
 * @param {{page: WorkloadPage | null, row: (at: number) => WorkloadRow | null, need: (first: number, last: number) => void,
 *   selected: string, sort: string, down: boolean}} props
 */
function Table({ page, row, need, selected, sort, down }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const [view, setView] = useState({ top: 0, height: 800, line: 44 });
  const at = useRef(-1);
  const count = page?.found ?? 0;
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
  }, []);
  const first = Math.max(0, Math.floor(view.top / view.line) - 8);
  const last = Math.min(count - 1, Math.ceil((view.top + view.height) / view.line) + 8);
  useEffect(() => { if (count) need(first, Math.max(first, last)); }, [first, last, page]);
  const move = (/** @type {number} */ by) => {
    const next = Math.max(0, Math.min(count - 1, at.current + by));
    const found = row(next);
    if (!found) return;
    at.current = next;
    const element = place.current;
    if (element) {
      const [above, below] = [next * view.line, (next + 2) * view.line];
      if (above < element.scrollTop) element.scrollTop = above;
      else if (below > element.scrollTop + element.clientHeight) element.scrollTop = below - element.clientHeight;
    }
    go(address("workloads", { w: found.workload }), true);
  };
  useEffect(() => {
    const pressed = (/** @type {KeyboardEvent} */ event) => {
      if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "j") move(1);
      if (event.key === "k") move(-1);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  });
  if (page && !count) return h(Empty, { title: say("app.workloads.none"), text: say("app.workloads.none.hint") },
    el("button.btn", { onClick: () => go(address("workloads", { q: "", phase: "", queue: "", cause: "" })) }, say("app.workloads.clear")));
  const rows = [];
  // Before the first answer, there are rows without text.
  for (let index = first; index <= (page ? last : FIRST); index += 1) rows.push(Row(row(index), index, view.line, selected, () => (at.current = index)));
  return el("div.table", { ref: place, role: "table", "aria-rowcount": count + 1, "aria-label": say("app.page.workloads"), tabIndex: 0 },
    el("div.thead", { role: "row", "aria-rowindex": 1 }, ...COLUMNS.map((name) =>
      el(`div.c-${name}`, { key: name, role: "columnheader", "aria-sort": sort === name ? (down ? "descending" : "ascending") : "none" },
        el("button", { onClick: () => go(address("workloads", { sort: sort === name && down ? "" : name, order: sort === name && !down ? "down" : "" })) },
          say(`app.column.${name}`), sort === name ? el("span.order", { "aria-hidden": "true" }, down ? "↓" : "↑") : null)))),
    el("div.tbody", { role: "rowgroup", style: { height: `${(page ? count : FIRST) * view.line}px` } }, ...rows));
}

/** @param {WorkloadRow | null} each @param {number} index @param {number} line @param {string} selected @param {() => void} chosen */
function Row(each, index, line, selected, chosen) {
  const style = { transform: `translateY(${index * line}px)` };
  if (!each) return el("div.tr.waiting", { key: index, style, role: "row", "aria-rowindex": index + 2 }, el("div", { role: "cell" }, el("i")));
  const open = () => { chosen(); go(address("workloads", { w: selected === each.workload ? "" : each.workload })); };
  return el("div.tr", { key: index, style, role: "row", "aria-rowindex": index + 2, class: selected === each.workload ? "on" : "", onClick: open },
    el("div.c-name", { role: "cell" },
      el("button.name", { onClick: (/** @type {Event} */ event) => { event.stopPropagation(); open(); }, "aria-expanded": selected === each.workload }, el("b", null, each.name), " ", el("small", null, each.namespace))),
    el("div.c-queue", { role: "cell" }, each.queue || "–"),
    el("div.c-position", { role: "cell" }, each.position || "–"),
    el("div.c-age", { role: "cell" }, each.age || "–"),
    el("div.c-priority", { role: "cell" }, each.priority),
    el("div.c-why", { role: "cell", title: each.why }, each.why || h(Tag, { tone: TONES[each.phase] }, each.phaseText)));
}
