// Signs on buttons, as paths: no font has to have them.

import { s } from "./dom.js";

const PATHS = {
  first: "M4 3.5v9M12 3.5 7.5 8l4.5 4.5",
  previous: "M10 3.5 5.5 8l4.5 4.5",
  play: "M5 3v10l8-5z",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  next: "M6 3.5 10.5 8 6 12.5",
  last: "M12 3.5v9M4 3.5 8.5 8 4 12.5",
  less: "M3.5 8h9",
  more: "M3.5 8h9M8 3.5v9",
  fit: "M3 6.5V3h3.5M9.5 3H13v3.5M13 9.5V13H9.5M6.5 13H3V9.5",
  collapse: "M4 3h8M4 13h8M8 5v2M6 5.5 8 7.5l2-2M6 10.5 8 8.5l2 2",
  expand: "M4 8h8M6 5 8 3l2 2M6 11l2 2 2-2",
  table: "M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11M6.5 3.5v9",
  save: "M8 2.5v7M5 7l3 3 3-3M3 13h10",
};

/** @typedef {keyof typeof PATHS} IconName */

/** @param {IconName} name */
export function icon(name) {
  const path = s("path", { d: PATHS[name] });
  return s("svg", { class: `kl-icon kl-icon-${name}`, viewBox: "0 0 16 16", "aria-hidden": "true" }, path);
}

/**
 * Puts a sign and what it means on a button.
 * @template {HTMLElement} T
 * @param {T} element
 * @param {IconName} name
 * @param {string} label
 * @param {string} hover
 * @returns {T}
 */
export function signed(element, name, label, hover) {
  element.replaceChildren(icon(name));
  element.setAttribute("aria-label", label);
  element.title = hover;
  return element;
}
