// Lines over time, drawn by the modules themselves: what a page without plotly shows.

import { h, put, s } from "./dom.js";

const SIZE = { width: 640, height: 220, left: 44, right: 48, top: 10, bottom: 26 };
/** Both axes have so many intervals: their ticks are at the same lines. */
const INTERVALS = 4;
const NICE = [1, 2, 5, 10];

/** @typedef {{name: string, x: number[], y: number[], yaxis?: string, type?: string, mode?: string, line?: {color?: string, dash?: string}}} Line */

/**
 * Returns whether traces are lines over time.
 * @param {any[]} traces
 * @returns {traces is Line[]}
 */
export const areLines = (traces) =>
  traces.length > 0 &&
  traces.every(({ type, mode, x }) => type === "scatter" && mode === "lines" && x.every(Number.isFinite));

/**
 * Returns the least nice number that is not smaller.
 * @param {number} value
 */
function nice(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9)));
  return power * (NICE.find((each) => each * power >= value) ?? 10);
}

/**
 * Draws lines, with one legend entry a line. The result follows the time of the step that is shown.
 * @param {Line[]} lines
 * @param {string} label
 * @param {string} unit of the time
 */
export function lineDrawing(lines, label, unit) {
  const { width, height, left, right, top, bottom } = SIZE;
  const inner = { width: width - left - right, height: height - top - bottom };
  const end = Math.max(1e-9, ...lines.flatMap((each) => each.x));
  const highest = (/** @type {boolean} */ share) =>
    Math.max(0, ...lines.filter((each) => (each.yaxis === "y2") === share).flatMap((each) => each.y));
  const most = {
    count: INTERVALS * Math.max(1, nice(highest(false) / INTERVALS)),
    share: INTERVALS * nice(Math.max(1, highest(true)) / INTERVALS),
  };
  if (highest(true) <= 1) most.share = 1;
  const x = (/** @type {number} */ seconds) => left + (seconds / end) * inner.width;
  const y = (/** @type {number} */ part) => top + (1 - part) * inner.height;
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, class: "kl-lines", role: "img", "aria-label": label });
  const text = (/** @type {number} */ at, /** @type {number} */ below, /** @type {string} */ shown, /** @type {string} */ anchor) => {
    const made = s("text", { x: at, y: below, "text-anchor": anchor });
    made.textContent = shown;
    svg.append(made);
  };
  const isShared = lines.some((each) => each.yaxis === "y2");
  for (let tick = 0; tick <= INTERVALS; tick += 1) {
    const at = y(tick / INTERVALS);
    svg.append(s("line", { class: "kl-grid", x1: left, x2: width - right, y1: at, y2: at }));
    text(left - 6, at + 4, `${(most.count * tick) / INTERVALS}`, "end");
    if (isShared) text(width - right + 6, at + 4, `${Math.round((100 * most.share * tick) / INTERVALS)} %`, "start");
  }
  const every = nice(end / 5);
  for (let tick = 0; tick <= end; tick += every)
    text(x(tick), height - 8, `${Number(tick.toFixed(3))} ${unit}`, "middle");
  for (const { x: times, y: values, yaxis, line } of lines) {
    const whole = yaxis === "y2" ? most.share : most.count;
    let path = "";
    times.forEach((time, at) => {
      path += at ? `H${x(time).toFixed(1)}V${y(values[at] / whole).toFixed(1)}` : `M${x(time).toFixed(1)} ${y(values[at] / whole).toFixed(1)}`;
    });
    svg.append(s("path", { d: `${path}H${x(end).toFixed(1)}`, class: "kl-series", stroke: line?.color ?? "currentColor", "stroke-dasharray": dash(line?.dash) }));
  }
  const now = s("line", { class: "kl-lines-now", y1: top, y2: height - bottom });
  svg.append(now);
  const legend = h(
    "ul",
    { class: "kl-legend kl-lines-legend" },
    ...lines.map(({ name, line }) =>
      h(
        "li",
        {},
        s("svg", { width: 22, height: 8, "aria-hidden": "true" }, s("path", { d: "M0 4H22", class: "kl-series", stroke: line?.color ?? "currentColor", "stroke-dasharray": dash(line?.dash) })),
        h("span", { text: name }),
      ),
    ),
  );
  return {
    element: h("div", {}, svg, legend),
    follow: (/** @type {number} */ ms) => put(now, { x1: x(Math.min(end, ms / 1000)), x2: x(Math.min(end, ms / 1000)) }),
  };
}

/** @param {string} [name] */
const dash = (name) => (name === "dot" ? "2 3" : name === "dash" ? "7 4" : name === "dashdot" ? "7 3 2 3" : "none");
