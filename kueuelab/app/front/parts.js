// Components that more than one page uses.

import { el, useEffect, useRef, useState } from "./lib.js";
import { icon } from "./icons.js";
import { branch, decide, engine, failureOf, isAsRead } from "./store.js";
import { say } from "./words.js";

/** @typedef {import("./lib.js").Child} Child */
/** @typedef {import("./protocol.js").Failure} Failure */

/**
 * Asks the engine whenever the inputs change; an answer to an older question is dropped.
 * @template T
 * @param {() => Promise<T> | null} ask
 * @param {readonly unknown[]} inputs
 * @returns {{found: T | null, failure: Failure | null}}
 */
export function useAnswer(ask, inputs) {
  const [state, setState] = useState(/** @type {{found: T | null, failure: Failure | null}} */ ({ found: null, failure: null }));
  const last = useRef(0);
  useEffect(() => {
    last.current += 1;
    const now = last.current;
    const asked = ask();
    if (!asked) return setState({ found: null, failure: null });
    asked.then(
      (found) => now === last.current && setState({ found, failure: null }),
      (error) => now === last.current && setState({ found: null, failure: failureOf(error) }),
    );
    return undefined;
  }, inputs);
  return state;
}

/**
 * Asks about the branch that is shown.
 * @template {"overview" | "workload" | "levers" | "why"} K
 * @param {K} command
 * @param {Omit<import("./protocol.js").Commands[K], "branch">} fields
 */
export function useBranchAnswer(command, fields) {
  const name = branch.value?.name ?? "";
  const steps = branch.value?.steps ?? 0;
  return useAnswer(
    () => (name ? engine.ask(command, /** @type {any} */ ({ ...fields, branch: name })) : null),
    [command, name, steps, ...Object.values(fields)],
  );
}

/** @param {{lines?: number}} props */
export function Skeleton({ lines = 4 }) {
  return el("div.skeleton", { role: "status", "aria-label": say("app.loading") }, ...Array.from({ length: lines }, () => el("i")));
}

/** @param {{title: string, text?: string, children?: Child}} props */
export function Empty({ title, text = "", children = null }) {
  return el("div.empty", null, el("h2", null, title), text ? el("p", null, text) : null, children);
}

/** @param {{failure: Failure}} props */
export function Trouble({ failure }) {
  return el("div.trouble", { role: "alert" },
    el("p.title", null, icon("alert"), failure.message),
    ...failure.problems.slice(0, 6).map((each) =>
      el("div.problem", null,
        each.place ? el("code", null, each.place.line ? `${each.place.file}:${each.place.line}` : each.place.file) : null,
        [each.object, each.field].some(Boolean) ? el("code", null, [each.object, each.field].filter(Boolean).join(" ")) : null,
        failure.problems.length > 1 ? el("span", null, each.message) : null,
        each.hint ? el("small", null, each.hint) : null,
      ),
    ),
    failure.more || failure.problems.length > 6
      ? el("small", null, say("app.more-problems", { count: failure.more + Math.max(0, failure.problems.length - 6) }))
      : null,
  );
}

/**
 * A bar of parts on one scale: [class, amount].
 * @param {{parts: [string, number][], scale: number, label?: string}} props
 */
export function Bar({ parts, scale, label = "" }) {
  const width = (/** @type {number} */ amount) => `${scale > 0 ? Math.min(100, (100 * amount) / scale) : 0}%`;
  return el("div.bar", label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" },
    ...parts.filter(([, amount]) => amount > 0).map(([kind, amount]) => el(`i.${kind}`, { style: { width: width(amount) } })),
  );
}

/** @param {{tone?: string, children?: Child}} props */
export function Tag({ tone = "", children = null }) {
  return el("span.tag", { class: tone ? `tone-${tone}` : "" }, children);
}

/** Says of a large input that it was only read, and offers to decide it. */
export function AsRead() {
  if (!branch.value || !isAsRead()) return null;
  return el("section.as-read", null,
    el("p", null, say("app.as-read", { total: branch.value.workloads.toLocaleString("en") })),
    el("button.btn.primary", { onClick: () => void decide() }, say("app.decide")));
}
