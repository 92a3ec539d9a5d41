// The keys of the app, page by page, and the dialog that lists them (?).

import { el, useLayoutEffect, useRef } from "./lib.js";
import { icon } from "./icons.js";
import { keysShown } from "./store.js";
import { say } from "./words.js";

/** The keys of each page, and what each does. Those of a drawing are listed by the drawing itself. */
const KEYS = /** @type {[page: string, keys: [name: string, ...keys: string[]][]][]} */ ([
  ["anywhere", [["palette", "Ctrl", "K"], ["keys", "?"], ["undo", "Ctrl", "Z"], ["redo", "Ctrl", "Y"], ["close", "Esc"]]],
  ["home", [["paste", "Ctrl", "V"]]],
  ["workloads", [["search", "/"], ["next", "j"], ["previous", "k"], ["choose", "x"]]],
  ["steps", [["decisions", "←", "→"], ["ends", "Home", "End"]]],
  ["topology", [["domains", "←", "↑", "→", "↓"], ["in", "Enter"], ["out", "Esc"]]],
  ["build", [["objects", "↑", "↓"], ["rename", "F2"], ["delete", "Delete"], ["arrival", "←", "→"], ["complete", "Ctrl", "Space"]]],
  ["drawing", [["step", "←", "→"], ["play", "Space"], ["all", "?"]]],
]);
const TITLES = /** @type {Record<string, string>} */ ({ anywhere: "app.keys.anywhere", drawing: "app.keys.drawing" });

/** Whether a key is a part of a text, and no shortcut. @param {KeyboardEvent} event */
export function isTyping(event) {
  // An editor is in a tree of its own.
  const [target] = event.composedPath();
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("textarea,select,input:not([type=checkbox],[type=radio],[type=range])"));
}

/** Whether the keys of a drawing are shown, which hide all else. @param {EventTarget | null} target */
export function isInDrawingKeys(target) {
  return target instanceof Element && Boolean(target.closest("dialog"));
}

/** @param {readonly string[]} keys */
export function keysOf(keys) {
  return el("span.keys", null, ...keys.map((key) => el("kbd", { key }, key)));
}

export function KeysDialog() {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const before = useRef(document.activeElement);
  useLayoutEffect(() => {
    place.current?.querySelector("button")?.focus();
    return () => { if (before.current instanceof HTMLElement) before.current.focus(); };
  }, []);
  const close = () => (keysShown.value = false);
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // The page behind it hears no key.
    event.stopPropagation();
    if (event.key === "Escape" || event.key === "?") close();
    else if (event.key === "Tab") {
      // What takes the focus are two: the button and the list.
      const all = /** @type {HTMLElement[]} */ ([...(place.current?.querySelectorAll("button, [tabindex]") ?? [])]);
      all[(all.indexOf(/** @type {HTMLElement} */ (document.activeElement)) + 1) % all.length].focus();
    } else return;
    event.preventDefault();
  };
  return el("div.keys-dialog", { ref: place, role: "dialog", "aria-modal": "true", "aria-label": say("app.keys"), tabIndex: -1, onKeyDown: pressed },
    el("div.head", null, el("h2", null, say("app.keys")), el("button.quiet", { onClick: close, "aria-label": say("app.close") }, icon("close"))),
    el("div.keys-list", { role: "group", "aria-label": say("app.keys"), tabIndex: 0 }, ...KEYS.map(([page, keys]) =>
      el("section", { key: page },
        el("h3", null, say(TITLES[page] ?? `app.page.${page}`)),
        el("dl", null, ...keys.map(([name, ...each]) => el("div", { key: name }, el("dt", null, keysOf(each)), el("dd", null, say(`app.keys.${page}.${name}`)))))))));
}
