// The libraries of the front end, and one way to write elements: el("div.card", {…}, …).

import { h, render } from "./vendor/preact.js";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "./vendor/preact-hooks.js";
import { batch, computed, effect, signal } from "./vendor/signals.js";

export { batch, computed, effect, h, render, signal, useEffect, useLayoutEffect, useMemo, useRef, useState };

/** @typedef {import("./vendor/preact.js").Child} Child */
/** @typedef {import("./vendor/preact.js").VNode} VNode */

/**
 * Returns an element; its children are shown as text, and are never markup.
 * @param {string} spec its tag, with classes: "div.card"
 * @param {Record<string, any> | null} [props]
 * @param {...Child} children
 * @returns {VNode}
 */
export function el(spec, props = null, ...children) {
  const [tag, ...classes] = spec.split(".");
  const named = [...classes, ...(props?.class ? [props.class] : [])].join(" ");
  return h(tag || "div", named ? { ...props, class: named } : props, ...children);
}
