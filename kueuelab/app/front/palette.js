// The command palette (Ctrl+K): every page, object and action by its name.

import { el, useEffect, useLayoutEffect, useRef, useState } from "./lib.js";
import { icon } from "./icons.js";
import { keysOf } from "./keys.js";
import { known, matching, useAsked, useWorkloads } from "./palette_entries.js";
import { paletteShown } from "./store.js";
import { say } from "./words.js";

/** @typedef {import("./palette_entries.js").Entry} Entry */

/** So many are listed; of more, how many. */
const MOST = 40;

export function Palette() {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const before = useRef(document.activeElement);
  // Before it is painted: what is typed right after Ctrl+K belongs here.
  useLayoutEffect(() => {
    input.current?.focus();
    return () => { if (before.current instanceof HTMLElement) before.current.focus(); };
  }, []);
  const workloads = useWorkloads(text);
  const asked = useAsked();
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" }), [at]);
  const found = [...workloads, ...matching([...known(), ...asked], text)];
  const entries = found.slice(0, MOST);
  const run = (/** @type {Entry | undefined} */ entry) => {
    if (!entry) return;
    paletteShown.value = false;
    entry.run();
  };
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape") paletteShown.value = false;
    else if (event.key === "ArrowDown") setAt((at + 1) % Math.max(1, entries.length));
    else if (event.key === "ArrowUp") setAt((at + entries.length - 1) % Math.max(1, entries.length));
    else if (event.key === "Enter") run(entries[at]);
    else if (event.key !== "Tab") return;
    event.preventDefault();
    event.stopPropagation();
  };
  return el("div.palette", { role: "dialog", "aria-modal": "true", "aria-label": say("app.palette.open"), onKeyDown: pressed },
    el("label.search", null, icon("search"), el("span.hidden", null, say("app.palette.open")),
      el("input", {
        ref: input, value: text, placeholder: say("app.palette.open"), role: "combobox", "aria-expanded": "true", "aria-controls": "entries",
        "aria-activedescendant": entries[at] ? `entry-${at}` : undefined, autocomplete: "off", spellcheck: false,
        onInput: (/** @type {any} */ event) => { setText(event.target.value); setAt(0); },
      })),
    el("ul", { ref: list, id: "entries", role: "listbox", "aria-label": say("app.palette.open") }, ...entries.map((each, index) =>
      el("li", { key: each.id, id: `entry-${index}`, role: "option", "aria-selected": index === at, onClick: () => run(each), onMouseMove: () => setAt(index) },
        icon(each.icon), el("span", null, each.label), el("small", null, each.note), each.keys.length ? keysOf(each.keys) : null)),
      entries.length ? null : el("li.none", { role: "option", "aria-selected": "false" }, say("app.palette.none"))),
    found.length > MOST ? el("p.palette-more", { role: "status" }, say("app.palette.more", { count: found.length - MOST })) : null);
}
