// The tree of the draft, which is its canvas: cohorts and queues with their quota, and its use after a run.

import { el, h, useRef, useState } from "./lib.js";
import { icon } from "./icons.js";
import { Bar } from "./parts.js";
import { choose, chosen, draft, edit, quota } from "./build_draft.js";
import { say } from "./words.js";

/** @typedef {import("./protocol.js").DraftRow} DraftRow */

/** Kinds that are added often; the others are in a list. */
const FIRST = ["Cohort", "ClusterQueue", "LocalQueue"];

/** @param {string} kind */
export async function add(kind) {
  const now = chosen();
  const found = await edit("buildAdd", { kind, parent: now.startsWith("object:") ? now.slice(7) : "" });
  if (found?.chosen) choose(`object:${found.chosen}`);
}

export function Tree() {
  const { rows, kinds } = draft.value ?? { rows: [], kinds: [] };
  const now = chosen();
  const [renaming, setRenaming] = useState("");
  const [over, setOver] = useState("");
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  const at = Math.max(0, rows.findIndex((row) => `object:${row.object}` === now));
  const go = (/** @type {number} */ index) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (!row) return;
    choose(`object:${row.object}`);
    requestAnimationFrame(() => /** @type {HTMLElement | null} */ (list.current?.querySelector('[tabindex="0"]'))?.focus());
  };
  const pressed = (/** @type {KeyboardEvent} */ event, /** @type {DraftRow} */ row, /** @type {number} */ index) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === "ArrowDown") go(index + 1);
    else if (event.key === "ArrowUp") go(index - 1);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(rows.length - 1);
    else if (event.key === "Enter" || event.key === " ") choose(`object:${row.object}`);
    else if (event.key === "F2") setRenaming(row.object);
    else if (event.key === "Delete") void remove(row);
    else return;
    event.preventDefault();
  };
  return el("section.card.canvas", { "aria-label": say("app.build.tree") },
    el("div.head", null, el("h2", null, say("app.build.tree")),
      el("div.adds", null,
        ...FIRST.map((kind) => el("button.btn.small", { key: kind, onClick: () => void add(kind), "aria-label": say("app.build.add", { kind }) }, "+ ", kind)),
        el("select.in.small", { value: "", "aria-label": say("app.build.add.more"), onChange: (/** @type {any} */ event) => { const kind = event.target.value; event.target.value = ""; if (kind) void add(kind); } },
          el("option", { value: "" }, say("app.build.add.more")),
          ...kinds.filter((kind) => !FIRST.includes(kind)).map((kind) => el("option", { key: kind, value: kind }, kind))))),
    rows.length
      ? el("ul.objects", { role: "tree", "aria-label": say("app.build.tree"), ref: list }, ...rows.map((row, index) =>
          el("li", {
            key: row.object, role: "treeitem", "aria-level": row.level, "aria-selected": `object:${row.object}` === now, tabIndex: index === at ? 0 : -1,
            class: `${KINDS[row.kind] ?? "other"} ${over === row.object ? "over" : ""} ${row.implicit ? "implicit" : ""}`, style: { paddingLeft: `${8 + (row.level - 1) * 18}px` },
            draggable: renaming !== row.object, title: row.wrong || undefined,
            onClick: () => choose(`object:${row.object}`), onDblClick: () => setRenaming(row.object),
            onKeyDown: (/** @type {KeyboardEvent} */ event) => pressed(event, row, index),
            onDragStart: (/** @type {DragEvent} */ event) => event.dataTransfer?.setData("text/x-kueuelab", row.object),
            onDragOver: (/** @type {DragEvent} */ event) => { event.preventDefault(); setOver(row.object); },
            // What is in the row is entered as the row is left.
            onDragLeave: (/** @type {any} */ event) => { if (!event.currentTarget.contains(event.relatedTarget)) setOver(""); },
            onDrop: (/** @type {DragEvent} */ event) => {
              event.preventDefault();
              setOver("");
              const moved = event.dataTransfer?.getData("text/x-kueuelab");
              if (moved && moved !== row.object) void edit("buildMove", { object: moved, parent: row.object });
            },
          },
            el("i", { "aria-hidden": "true" }),
            renaming === row.object ? h(Rename, { row, done: () => setRenaming("") }) : el("span.object-name", null, el("b", null, row.name), el("small", null, row.implicit ? say("app.build.implicit", { kind: row.kind }) : row.kind)),
            row.wrong ? el("span.wrong", null, icon("alert"), el("span.hidden", null, row.wrong)) : h(Use, { row }))))
      : el("p.calm", null, say("app.build.empty")),
    el("p.note", null, say("app.build.keys")));
}

const KINDS = /** @type {Record<string, string>} */ ({ Cohort: "cohort", ClusterQueue: "queue", LocalQueue: "local" });

/** @param {{row: DraftRow}} props */
function Use({ row }) {
  const found = quota.value.get(`${row.kind}/${row.name}`);
  if (!found) return null;
  const total = found.own.value + found.borrowed.value;
  return el("span.use", null,
    h(Bar, { parts: [["own", found.own.value], ["borrowed", found.borrowed.value], ["lent", found.lent.value]], scale: Math.max(found.nominal.value, total) }),
    el("small", null, found.text));
}

/** @param {{row: DraftRow, done: () => void}} props */
function Rename({ row, done }) {
  const [text, setText] = useState(row.name);
  const finish = async () => {
    done();
    if (text.trim() && text.trim() !== row.name) await rename(row.object, text.trim());
  };
  return el("input.in", {
    value: text, "aria-label": say("app.build.name"), ref: (/** @type {any} */ input) => { if (input && document.activeElement !== input) { input.focus(); input.select(); } },
    onInput: (/** @type {any} */ event) => setText(event.target.value), onBlur: () => void finish(),
    onKeyDown: (/** @type {KeyboardEvent} */ event) => {
      event.stopPropagation();
      if (event.key === "Enter") void finish();
      if (event.key === "Escape") done();
    },
  });
}

/** @param {string} object @param {string} name */
export async function rename(object, name) {
  const found = await edit("buildRename", { object, name });
  if (found?.chosen && chosen() === `object:${object}`) choose(`object:${found.chosen}`);
}

/** @param {{object: string}} row */
export async function remove(row) {
  await edit("buildRemove", { object: row.object });
  if (chosen() === `object:${row.object}`) choose("");
}
