// Icons: the shapes of Lucide, on a grid of 24, and the logo.

import { h } from "./lib.js";
import { LUCIDE } from "./vendor/lucide.js";

/** @param {string} name */
export function icon(name) {
  return h("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, ...(LUCIDE[name] ?? []).map(([tag, props]) => h(tag, props)));
}

export function logo() {
  const bar = (/** @type {number} */ y, /** @type {number} */ width, /** @type {string} */ kind) =>
    h("rect", { x: 2, y, width, height: 4, rx: 2, class: `fill-${kind}` });
  return h("svg", { viewBox: "0 0 24 24", class: "mark", "aria-hidden": "true" }, bar(4, 20, "own"), bar(10, 13, "borrowed"), bar(16, 8, "lent"));
}
