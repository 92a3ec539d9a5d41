// The command palette (Ctrl+K): every page, object and action by its name.

import { el, useEffect, useRef, useState } from "./lib.js";
import { icon } from "./icons.js";
import { isOffered, isUsable } from "./pages.js";
import { address, go, PAGES } from "./route.js";
import { branch, engine, family, greeting, opened, openSource, paletteShown, step, theme } from "./store.js";
import { copyLink } from "./sharing.js";
import { THEMES } from "./themes.js";
import { say } from "./words.js";

/** @typedef {{id: string, icon: string, label: string, note: string, run: () => void}} Entry */

const MOST = 12;

/** @returns {Entry[]} */
function actions() {
  /** @type {Entry[]} */
  const found = PAGES.filter((name) => isUsable(name) && isOffered(name)).map((name) => ({
    id: `page-${name}`, icon: name, label: say(`app.page.${name}`), note: say("app.palette.page"), run: () => go(address(name, {}, true)),
  }));
  if (family.value) found.push({ id: "link", icon: "link", label: say("app.link.copy"), note: say("app.palette.action"), run: () => void copyLink() });
  if (opened.value?.undo) found.push({ id: "undo", icon: "undo", label: say("app.undo"), note: say("app.palette.action"), run: () => void step("undo") });
  if (opened.value?.redo) found.push({ id: "redo", icon: "redo", label: say("app.redo"), note: say("app.palette.action"), run: () => void step("redo") });
  for (const name of THEMES)
    found.push({ id: `theme-${name}`, icon: "sun", label: say(`app.theme.${name}`), note: say("app.palette.action"), run: () => (theme.value = name) });
  for (const each of family.value?.clusters ?? [])
    found.push({ id: `cluster-${each.name}`, icon: "clusters", label: each.name, note: each.role, run: () => go(address("overview", { cluster: each.name }, true)) });
  for (const each of opened.value?.branches ?? [])
    found.push({ id: `branch-${each.name}`, icon: "compare", label: each.name, note: say("app.branch"), run: () => go(address("overview", { branch: each.name }, true)) });
  for (const each of greeting.value?.examples ?? [])
    found.push({ id: `example-${each.name}`, icon: "file", label: each.name, note: each.title, run: () => void openSource(each.name) });
  return found;
}

export function Palette() {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [objects, setObjects] = useState(/** @type {Entry[]} */ ([]));
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const before = useRef(document.activeElement);
  useEffect(() => {
    input.current?.focus();
    return () => { if (before.current instanceof HTMLElement) before.current.focus(); };
  }, []);
  useEffect(() => {
    let old = false;
    if (!text.trim() || !branch.value) return setObjects([]);
    engine.ask("workloads", { branch: branch.value.name, search: text, count: 6 }).then((found) => {
      if (old) return;
      setObjects(found.rows.map((each) => ({
        id: each.workload, icon: "workloads", label: each.workload, note: each.phaseText,
        run: () => go(address("workloads", { w: each.workload }, true)),
      })));
    }, () => {});
    return () => void (old = true);
  }, [text]);
  const parts = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = actions().filter((each) => parts.every((part) => `${each.label} ${each.note}`.toLowerCase().includes(part)));
  const entries = [...objects, ...matching].slice(0, MOST);
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
    el("ul", { id: "entries", role: "listbox", "aria-label": say("app.palette.open") }, ...entries.map((each, index) =>
      el("li", { key: each.id, id: `entry-${index}`, role: "option", "aria-selected": index === at, onClick: () => run(each), onMouseMove: () => setAt(index) },
        icon(each.icon), el("span", null, each.label), el("small", null, each.note))),
      entries.length ? null : el("li.none", { role: "option", "aria-selected": "false" }, say("app.palette.none"))));
}
