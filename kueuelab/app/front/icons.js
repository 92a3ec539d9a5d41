// Icons: paths drawn by hand on a grid of 24, and the logo.

import { h } from "./lib.js";

const PATHS = /** @type {Record<string, string>} */ ({
  home: "M3 11l9-8 9 8M5 9.5V21h14V9.5M10 21v-6h4v6",
  overview: "M3 3h7v9H3zM14 3h7v5h-7zM14 12h7v9h-7zM3 16h7v5H3z",
  workloads: "M4 6h16M4 12h16M4 18h10",
  levers: "M4 7h9M19 7h1M16 4v6M4 17h1M11 17h9M8 14v6",
  "try-job": "M4 4h11v5M4 4v16h7M8 9h4M8 13h3M14 15l5 3-5 3z",
  steps: "M6 4v16M6 8h9l3-2-3-2M6 16h7",
  clusters: "M12 8a2.5 2.5 0 100-5 2.5 2.5 0 000 5zM5 21a2.5 2.5 0 100-5 2.5 2.5 0 000 5zM19 21a2.5 2.5 0 100-5 2.5 2.5 0 000 5zM12 8v4M12 12l-6 4M12 12l6 4",
  topology: "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z",
  exercises: "M3 8l9-4 9 4-9 4zM7 10v5c3 2 7 2 10 0v-5M21 8v6",
  lock: "M6 11h12v9H6zM9 11V8a3 3 0 016 0v3",
  compare: "M8 3v18M16 3v18M4 8h8M12 16h8",
  capacity: "M4 20V10h4v10M10 20V4h4v16M16 20v-7h4v7M3 20h18",
  upgrade: "M12 20V5M6 11l6-6 6 6M5 21h14",
  settings: "M4 7h10M18 7h2M14 4.5v5M4 17h2M10 17h10M6 14.5v5",
  link: "M10 14a4 4 0 006 0l3-3a4 4 0 00-6-6l-1 1M14 10a4 4 0 00-6 0l-3 3a4 4 0 006 6l1-1",
  build: "M12 3v6M6 21v-6M18 21v-6M6 15h12M12 9v6",
  search: "M11 4a7 7 0 100 14 7 7 0 000-14zM16 16l5 5",
  close: "M6 6l12 12M18 6L6 18",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  undo: "M9 14L4 9l5-5M4 9h10a6 6 0 010 12h-3",
  redo: "M15 14l5-5-5-5M20 9H10a6 6 0 000 12h3",
  sun: "M12 8a4 4 0 100 8 4 4 0 000-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5",
  down: "M6 9l6 6 6-6",
  right: "M9 6l6 6-6 6",
  check: "M5 12l5 5L20 7",
  alert: "M12 4l9 16H3zM12 10v4M12 17v.5",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
});

/** @param {string} name */
export function icon(name) {
  return h("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, h("path", { d: PATHS[name] ?? "" }));
}

export function logo() {
  const bar = (/** @type {number} */ y, /** @type {number} */ width, /** @type {string} */ kind) =>
    h("rect", { x: 2, y, width, height: 4, rx: 2, class: `fill-${kind}` });
  return h("svg", { viewBox: "0 0 24 24", class: "mark", "aria-hidden": "true" }, bar(4, 20, "own"), bar(10, 13, "borrowed"), bar(16, 8, "lent"));
}
