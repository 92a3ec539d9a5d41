// The YAML of the draft in an editor that knows Kueue's schema. It is loaded when it is first shown.

import { el, h, useEffect, useRef, useState } from "./lib.js";
import { Skeleton } from "./parts.js";
import { draft, edit } from "./build_draft.js";
import { engine } from "./store.js";
import { say } from "./words.js";

/** @typedef {import("./protocol.js").Trouble} Trouble */
/** @typedef {import("./vendor/codemirror.js").EditorView} View */

/** Milliseconds without a key after which a text is sent. */
const PAUSE = 300;

/** The editor that is shown; what a problem is at is shown in it. @type {View | null} */
let shown = null;

/** @param {number} line */
export function showLine(line) {
  if (!shown || line < 1 || line > shown.state.doc.lines) return;
  const { from } = shown.state.doc.line(line);
  shown.dispatch({ selection: { anchor: from }, scrollIntoView: true });
  shown.focus();
}

export function Editor() {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const view = useRef(/** @type {View | null} */ (null));
  const typed = useRef({ timer: 0, waiting: 0 });
  const [ready, setReady] = useState(false);
  /** How many texts were answered. */
  const [answered, setAnswered] = useState(0);
  const text = draft.value?.text ?? "";
  const problems = draft.value?.problems ?? [];
  useEffect(() => {
    let gone = false;
    const send = async () => {
      if (!view.current) return;
      typed.current.waiting += 1;
      await edit("buildText", { text: view.current.state.doc.toString() });
      typed.current.waiting -= 1;
      if (!gone) setAnswered((count) => count + 1);
    };
    const changed = () => {
      clearTimeout(typed.current.timer);
      typed.current.timer = window.setTimeout(() => { typed.current.timer = 0; void send(); }, PAUSE);
    };
    void import("./vendor/codemirror.js").then((library) => {
      if (gone || !place.current) return;
      view.current = made(library, place.current, draft.value?.text ?? "", changed);
      shown = view.current;
      setReady(true);
    });
    return () => {
      gone = true;
      if (typed.current.timer) { clearTimeout(typed.current.timer); void send(); }
      view.current?.destroy();
      view.current = shown = null;
    };
  }, []);
  useEffect(() => {
    const found = view.current;
    if (!found) return;
    const now = found.state.doc.toString();
    if (now !== text) {
      // What is being typed is newer than what comes back.
      if (typed.current.timer || typed.current.waiting) return;
      found.dispatch({ changes: difference(now, text) });
    }
    void import("./vendor/codemirror.js").then((library) => {
      if (view.current) mark(library, view.current, problems);
    });
  }, [text, problems, ready, answered]);
  return el("div.editor", { class: ready ? "" : "waiting" },
    ready ? null : h(Skeleton, { lines: 10 }),
    el("div.editor-place", { ref: place }));
}

/** The part of a text that differs: what is around it keeps its place. @param {string} before @param {string} after */
function difference(before, after) {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}

/**
 * @param {typeof import("./vendor/codemirror.js")} library
 * @param {HTMLElement} place
 * @param {string} text
 * @param {() => void} changed
 */
function made(library, place, text, changed) {
  const { EditorView, EditorState, tags } = library;
  // Inside a shadow root the editor uses style sheets that the page's policy allows.
  const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
  const style = library.HighlightStyle.define([
    { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
    { tag: [tags.string, tags.special(tags.string)], color: "var(--ok)" },
    { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: "var(--warn)" },
    { tag: tags.comment, color: "var(--text-3)", fontStyle: "italic" },
    { tag: [tags.separator, tags.punctuation, tags.bracket, tags.meta], color: "var(--text-2)" },
  ]);
  return new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        library.lineNumbers(), library.history(), library.drawSelection(), library.highlightActiveLine(), library.lintGutter(),
        library.yaml(), library.syntaxHighlighting(style),
        library.autocompletion({ override: [complete], icons: false, interactionDelay: 0 }),
        library.keymap.of([...library.completionKeymap, ...library.defaultKeymap, ...library.historyKeymap]),
        EditorView.contentAttributes.of({ "aria-label": say("app.build.yaml"), tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          const typing = update.transactions.some((/** @type {any} */ each) => each.isUserEvent("input") || each.isUserEvent("delete") || each.isUserEvent("undo") || each.isUserEvent("redo") || each.isUserEvent("move"));
          if (update.docChanged && typing) changed();
        }),
        EditorView.theme({
          "&": { height: "100%", fontSize: "12.5px", color: "var(--text)", backgroundColor: "var(--surface)" },
          "&.cm-focused": { outline: "none" },
          ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", overflow: "auto" },
          ".cm-content": { caretColor: "var(--text)" },
          ".cm-cursor": { borderLeftColor: "var(--text)" },
          ".cm-gutters": { backgroundColor: "var(--bg)", color: "var(--text-3)", border: "none" },
          ".cm-activeLine": { backgroundColor: "var(--accent-soft)" },
          ".cm-activeLineGutter": { backgroundColor: "var(--free)", color: "var(--text)" },
          "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--own-soft)" },
          ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)", border: "1px solid var(--line-strong)", borderRadius: "6px" },
          ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
          ".cm-tooltip-autocomplete > ul > li[aria-selected] .cm-completionDetail": { color: "inherit" },
          ".cm-completionDetail": { color: "var(--text-2)", fontStyle: "normal", marginLeft: "12px" },
          ".cm-completionInfo": { padding: "6px 10px", maxWidth: "280px", fontFamily: "var(--font)" },
          ".cm-diagnostic": { fontFamily: "var(--font)" },
          ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
        }),
      ],
    }),
  });
}

/** @param {import("./vendor/codemirror.js").Context} context */
async function complete(context) {
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  if (!context.explicit && !/[\w./-]$|[:[{,-] $/.test(before)) return null;
  try {
    const found = await engine.ask("buildComplete", { text: context.state.doc.toString(), line: line.number - 1, column: before.length });
    if (!found.choices.length) return null;
    return {
      from: line.from + found.column,
      options: found.choices.map((each) => ({
        label: each.text, detail: each.detail || undefined, info: each.info || undefined,
        type: each.kind === "field" ? "property" : "enum",
        apply: each.kind === "field" && !/^\s*:/.test(line.text.slice(before.length)) ? `${each.text}: ` : each.text,
      })),
      // While the same word is typed, the list narrows here: no keystroke waits for an answer.
      validFor: /^[\w./-]*$/,
    };
  } catch {
    return null;
  }
}

/**
 * @param {typeof import("./vendor/codemirror.js")} library
 * @param {View} view
 * @param {readonly Trouble[]} problems
 */
function mark(library, view, problems) {
  const { doc } = view.state;
  const found = problems.filter((each) => each.place && each.place.line >= 1 && each.place.line <= doc.lines).map((each) => {
    const line = doc.line(each.place?.line ?? 1);
    const column = each.place?.column ?? 0;
    const from = column > 0 ? Math.min(line.from + column - 1, line.to) : line.from + (line.text.length - line.text.trimStart().length);
    return { from, to: Math.max(from, line.to), severity: "error", message: [each.message, each.hint].filter(Boolean).join("\n") };
  });
  view.dispatch(library.setDiagnostics(view.state, found));
}
