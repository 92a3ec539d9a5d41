// The YAML of the draft: what is typed is sent after a moment, and what comes back has its problems.

import { h, useEffect, useRef, useState } from "./lib.js";
import { draft, edit } from "./build_draft.js";
import { say } from "./words.js";
import { YamlEditor, showLineOf } from "./yaml_editor.js";

/** @typedef {import("./vendor/codemirror.js").EditorView} View */

/** Milliseconds without a key after which a text is sent. */
const PAUSE = 300;

/** The editor that is shown; what a problem is at is shown in it. @type {View | null} */
let shown = null;

/** @param {number} line */
export function showLine(line) {
  showLineOf(shown, line);
}

export function Editor() {
  const typed = useRef({ timer: 0, waiting: 0, text: "" });
  /** How many texts were answered. */
  const [, setAnswered] = useState(0);
  const now = typed.current;
  const send = async () => {
    now.timer = 0;
    now.waiting += 1;
    await edit("buildText", { text: now.text });
    now.waiting -= 1;
    setAnswered((count) => count + 1);
  };
  useEffect(() => () => {
    if (!now.timer) return;
    clearTimeout(now.timer);
    void send();
  }, []);
  return h(YamlEditor, {
    text: draft.value?.text ?? "",
    label: say("app.build.yaml"),
    problems: draft.value?.problems ?? [],
    typing: () => Boolean(now.timer || now.waiting),
    onType: (/** @type {string} */ text) => {
      clearTimeout(now.timer);
      now.text = text;
      now.timer = window.setTimeout(() => void send(), PAUSE);
    },
    onView: (/** @type {View | null} */ view) => (shown = view),
  });
}
