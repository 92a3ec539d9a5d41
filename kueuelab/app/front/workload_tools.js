// What is above the table of workloads: filters, grouping, columns, and what is done with several.

import { el, h, useEffect, useRef, useState } from "./lib.js";
import { icon } from "./icons.js";
import { useAnswer } from "./parts.js";
import { address, go, route } from "./route.js";
import { branch, engine, failureOf, toast } from "./store.js";
import { say } from "./words.js";

/** @typedef {import("./protocol.js").Filter} Filter */

/** The columns in their order, with their widths; a name is always shown. */
const WIDTHS = /** @type {Record<string, string>} */ ({
  name: "minmax(180px, 1.4fr)", queue: "minmax(90px, 0.8fr)", phase: "minmax(110px, 0.6fr)", position: "74px", age: "92px", priority: "70px",
  flavor: "minmax(90px, 0.7fr)", owner: "90px", why: "minmax(200px, 2.4fr)",
});
const FIRST = ["name", "queue", "position", "age", "priority", "why"];
/** Beside the drawer there is room for these. */
const NARROW = ["name", "queue", "position", "age", "why"];
const KEPT = "kueuelab-columns";

/** What is filtered by, as the address has it. */
export const FILTERS = ["queue", "cause", "priority", "flavor", "owner"];

/** The address without filters. */
export const UNFILTERED = Object.freeze({ q: "", phase: "", ...Object.fromEntries(FILTERS.map((name) => [name, ""])) });

/** @returns {[string[], (name: string) => void]} the columns that are chosen, and what changes one */
export function useColumns() {
  const [chosen, setChosen] = useState(() => (localStorage[KEPT] ? String(localStorage[KEPT]).split(",").filter((name) => name in WIDTHS) : FIRST));
  const change = (/** @type {string} */ name) => {
    const next = Object.keys(WIDTHS).filter((each) => each === "name" || chosen.includes(each) !== (each === name));
    localStorage[KEPT] = next.join(",");
    setChosen(next);
  };
  return [chosen.includes("name") ? chosen : FIRST, change];
}

/** The columns that have room. @param {string[]} columns @param {boolean} withDrawer */
export const roomFor = (columns, withDrawer) => (withDrawer ? columns.filter((name) => NARROW.includes(name)) : columns);

/** @param {string[]} columns */
export const template = (columns) => `30px ${columns.map((name) => WIDTHS[name]).join(" ")}`;

/** @param {{columns: string[], change: (name: string) => void, cause: string}} props */
export function Tools({ columns, change, cause }) {
  const { query } = route.value;
  const name = branch.value?.name ?? "";
  const { found } = useAnswer(() => (name ? engine.ask("workloadFilters", { branch: name }) : null), [name, branch.value?.steps]);
  const filters = found?.filters ?? [];
  const active = FILTERS.filter((each) => query[each]);
  const called = (/** @type {string} */ id) => filters.find((each) => each.id === id)?.label ?? say("app.column.phase");
  const set = (/** @type {string} */ field, /** @type {string} */ value) => go(address("workloads", { [field]: value }));
  return [
    h(Menu, { label: say("app.workloads.filter"), key: "filter" },
      ...filters.map((each) => Choice(each, query[each.id] ?? "", (value) => set(each.id, value)))),
    el("label.group", null, el("span.hidden", null, say("app.workloads.group")),
      el("select.in", { value: query.group ?? "", onChange: (/** @type {any} */ event) => set("group", event.target.value) },
        el("option", { value: "" }, say("app.workloads.group.none")),
        ...["phase", ...filters.map((each) => each.id)].map((each) => el("option", { key: each, value: each }, say("app.workloads.group.by", { column: called(each) }))))),
    h(Menu, { label: say("app.workloads.columns"), key: "columns" },
      ...Object.keys(WIDTHS).slice(1).map((each) => el("label.check", { key: each },
        el("input", { type: "checkbox", checked: columns.includes(each), onChange: () => change(each) }), say(`app.column.${each}`)))),
    ...active.map((each) => el("button.chip.filter", { key: `on-${each}`, onClick: () => set(each, ""), "aria-label": say("app.workloads.clear.one", { column: called(each) }) },
      el("span", null, each === "cause" ? cause || query[each] : query[each]), icon("close"))),
  ];
}

/** @param {Filter} filter @param {string} value @param {(value: string) => void} set */
function Choice(filter, value, set) {
  if (!filter.values.length) return null;
  // One of the address may be none of those that are offered.
  const isOffered = !value || filter.values.some((each) => each.id === value);
  return el("label.filter-by", { key: filter.id }, el("span", null, filter.label),
    el("select.in", { value, onChange: (/** @type {any} */ event) => set(event.target.value) },
      el("option", { value: "" }, say("app.workloads.all")),
      isOffered ? null : el("option", { value }, value),
      ...filter.values.map((each) => el("option", { key: each.id, value: each.id }, say("app.workloads.value", { value: each.label, count: each.count.toLocaleString("en") })))),
    filter.more ? el("small", null, say("app.workloads.more-values", { count: filter.more })) : null);
}

/** A button that shows more below it. @param {{label: string, children?: any}} props */
function Menu({ label, children = null }) {
  const [shown, setShown] = useState(false);
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (!shown) return undefined;
    const outside = (/** @type {Event} */ event) => { if (!place.current?.contains(/** @type {Node} */ (event.target))) setShown(false); };
    const pressed = (/** @type {KeyboardEvent} */ event) => { if (event.key === "Escape") { setShown(false); place.current?.querySelector("button")?.focus(); } };
    addEventListener("pointerdown", outside);
    addEventListener("focusin", outside);
    addEventListener("keydown", pressed);
    return () => { removeEventListener("pointerdown", outside); removeEventListener("focusin", outside); removeEventListener("keydown", pressed); };
  }, [shown]);
  return el("div.table-menu", { ref: place },
    el("button.btn", { "aria-expanded": shown, onClick: () => setShown(!shown) }, label, icon("down")),
    shown ? el("div.menu-panel", { role: "group", "aria-label": label }, children) : null);
}

/** @param {{chosen: Set<string>, clear: () => void}} props */
export function Chosen({ chosen, clear }) {
  if (!chosen.size) return null;
  const copy = async () => {
    try {
      const { text } = await engine.ask("kubectl", { workloads: [...chosen] });
      await navigator.clipboard.writeText(text);
      toast(say("app.workloads.copied", { count: chosen.size }), { tone: "ok" });
    } catch (error) {
      toast(error instanceof DOMException ? say("app.not-copied") : failureOf(error).message, { tone: "bad" });
    }
  };
  return el("div.chosen-rows", { role: "group", "aria-label": say("app.workloads.chosen", { count: chosen.size }) },
    el("b", null, say("app.workloads.chosen", { count: chosen.size })),
    el("button.btn", { onClick: () => void copy() }, icon("copy"), say("app.workloads.kubectl")),
    el("button.link", { onClick: clear }, say("app.workloads.choose-none")));
}
