// An editor of YAML that knows Kueue's schema. CodeMirror is loaded when it is first shown.

import { el, h, useEffect, useRef, useState } from "./lib.js";
import { Skeleton } from "./parts.js";
import { engine } from "./store.js";

/** @typedef {import("./protocol.js").Trouble} Trouble */
/** @typedef {import("./vendor/codemirror.js").EditorView} View */

/**
 * @typedef {object} Shown
 * @property {string} text
 * @property {string} label
 * @property {boolean} [plain] whether the text is no YAML
 * @property {{key: string, run: () => boolean}[]} [keys] what goes before the editor's own keys
 */

/** What is at a line is shown, and chosen. @param {View | null} view @param {number} line */
export function showLineOf(view, line) {
  if (!view || line < 1 || line > view.state.doc.lines) return;
  const { from } = view.state.doc.line(line);
  view.dispatch({ selection: { anchor: from }, scrollIntoView: true });
  view.focus();
}

/**
 * @param {Shown & {problems?: readonly Trouble[], typing?: () => boolean, onType: (text: string) => void, onView?: (view: View | null) => void}} props
 *   `typing` tells whether what is typed is newer than the text, where that comes back later, or never
 */
export function YamlEditor({ problems, typing, onType, onView, ...shown }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const view = useRef(/** @type {View | null} */ (null));
  const latest = useRef({ onType, onView });
  latest.current = { onType, onView };
  const [ready, setReady] = useState(false);
  const { text } = shown;
  const newest = useRef(shown);
  newest.current = shown;
  /** The text before, and texts that were typed and have not come back as the text. */
  const known = useRef({ before: text, typed: new Set() });
  useEffect(() => {
    let gone = false;
    void import("./vendor/codemirror.js").then((library) => {
      if (gone || !place.current) return;
      const keys = newest.current.keys?.map(({ key }, at) => ({ key, run: () => newest.current.keys?.[at].run() ?? false }));
      view.current = made(library, place.current, { ...newest.current, keys }, (now) => {
        known.current.typed.add(now);
        latest.current.onType(now);
      });
      latest.current.onView?.(view.current);
      setReady(true);
    });
    return () => {
      gone = true;
      latest.current.onView?.(null);
      view.current?.destroy();
      view.current = null;
    };
  }, []);
  useEffect(() => {
    const found = view.current;
    if (!found) return;
    const now = found.state.doc.toString();
    const { before, typed } = known.current;
    known.current.before = text;
    if (now === text) typed.clear();
    // A text that comes back may be older than what was typed since.
    else if (!(typing ? typing() : before === text || typed.has(text))) found.dispatch({ changes: difference(now, text) });
  });
  const isOlder = Boolean(typing?.());
  useEffect(() => {
    if (problems && !isOlder) void import("./vendor/codemirror.js").then((library) => {
      if (view.current) mark(library, view.current, problems);
    });
  }, [problems, ready, isOlder]);
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
 * @param {Shown} shown
 * @param {(text: string) => void} typed
 */
function made(library, place, { text, label, plain = false, keys = [] }, typed) {
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
        ...(plain ? [] : [library.yaml(), library.syntaxHighlighting(style), library.autocompletion({ override: [complete], icons: false, interactionDelay: 0 })]),
        library.keymap.of([...keys, ...library.completionKeymap, ...library.defaultKeymap, ...library.historyKeymap]),
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          const typing = update.transactions.some((/** @type {any} */ each) => each.isUserEvent("input") || each.isUserEvent("delete") || each.isUserEvent("undo") || each.isUserEvent("redo") || each.isUserEvent("move"));
          if (update.docChanged && typing) typed(update.state.doc.toString());
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
