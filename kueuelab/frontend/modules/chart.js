// Charts that people zoom and export. plotly draws them: it is loaded once a page, when the first
// chart comes into view. Where it can't be loaded, lines over time are drawn by the modules; any
// other chart says so and shows its table.

import { h, put } from "./dom.js";
import { areLines, lineDrawing } from "./line_drawing.js";

/** @typedef {import("./stepping.js").Stepping} Stepping */

const LOADED = Symbol.for("kueuelab plotly");

/**
 * Returns plotly: the page's, or the one that the page holds as text, or the kernel's.
 * @param {Ask} [ask]
 * @returns {Promise<any>}
 */
function plotly(ask) {
  const page = /** @type {any} */ (globalThis);
  if (page.Plotly?.newPlot) return Promise.resolve(page.Plotly);
  // Each widget has its own copy of the modules: the promise is kept where all copies find it.
  page[LOADED] ??= loaded(ask).catch((error) => {
    delete page[LOADED];
    throw error;
  });
  return page[LOADED];
}

/** @param {Ask} [ask] */
async function loaded(ask) {
  const held = document.querySelector("script[data-kueuelab-plotly]")?.textContent;
  const source = held || (ask ? (await ask({ ask: "plotly" })).source : "");
  if (!source) throw new Error("no plotly");
  const script = document.createElement("script");
  script.text = `(function (define, module, exports) {${source}\n})();`;
  document.head.append(script);
  script.remove();
  return /** @type {any} */ (globalThis).Plotly;
}

export class Chart {
  /**
   * @param {ChartData} data
   * @param {Stepping} stepping
   */
  constructor(data, stepping) {
    this.data = data;
    this.stepping = stepping;
    this.say = stepping.say;
    this.place = h("div", { class: "kl-chart-place" });
    this.told = h("p", { class: "kl-chart-told", role: "status" });
    this.table = h(
      "details",
      {},
      h("summary", { text: this.say("frontend.as-table") }),
      this.#table(),
    );
    this.element = h(
      "section",
      { class: "kl-chart", "aria-label": data.title, "data-state": "waits" },
      this.place,
      this.told,
      this.table,
    );
    this.ms = 0;
    /** @type {ReturnType<typeof lineDrawing> | null} */
    this.lines = null;
    /** @type {any} */
    this.drawn = null;
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some((each) => each.isIntersecting)) return;
      seen.disconnect();
      void this.#draw();
    });
    seen.observe(this.element);
  }

  /**
   * Moves the line that says where the run is.
   * @param {number} ms
   */
  follow(ms) {
    if (ms === this.ms) return;
    this.ms = ms;
    this.lines?.follow(ms);
    if (!this.drawn) return;
    cancelAnimationFrame(this.timer ?? 0);
    // After the picture of the step is painted: plotly takes longer than a line deserves.
    this.timer = requestAnimationFrame(() =>
      setTimeout(() => this.drawn?.relayout(this.place, { shapes: this.#shapes() })),
    );
  }

  #shapes() {
    const x = this.ms / 1000;
    const line = { color: "#aa4499", width: 2 };
    return [{ type: "line", xref: "x", yref: "paper", x0: x, x1: x, y0: 0, y1: 1, line }];
  }

  async #draw() {
    try {
      const drawing = await plotly(this.stepping.ask);
      const color = getComputedStyle(this.element).color;
      const layout = {
        paper_bgcolor: "rgba(0,0,0,0)",
        plot_bgcolor: "rgba(0,0,0,0)",
        height: 260,
        margin: { l: 50, r: 50, t: 36, b: 36 },
        font: { color, size: 12 },
        title: { text: this.data.title, font: { size: 13 } },
        legend: { orientation: "h", y: -0.2 },
        ...structuredClone(this.data.layout),
      };
      if (this.stepping.document.steps) /** @type {any} */ (layout).shapes = this.#shapes();
      const config = { responsive: true, displaylogo: false };
      await drawing.newPlot(this.place, structuredClone(this.data.traces), layout, config);
      this.drawn = drawing;
      /** @type {any} */ (this.place).on("plotly_click", (/** @type {any} */ event) => {
        const run = event.points?.[0]?.customdata;
        if (Number.isInteger(run)) void this.stepping.open?.(run);
      });
      put(this.element, { "data-state": "drawn" });
    } catch {
      const { traces, title, columns } = this.data;
      if (areLines(traces)) {
        // Names of traces are written as plotly reads them.
        const named = traces.map((each, place) => ({ ...each, name: columns[place + 1] ?? each.name }));
        this.lines = lineDrawing(named, title, this.say("frontend.chart.seconds"));
        this.lines.follow(this.ms);
        this.place.replaceChildren(h("p", { class: "kl-chart-title", text: title }), this.lines.element);
        put(this.element, { "data-state": "lines" });
        return;
      }
      put(this.told, { text: this.say("frontend.chart.no-plotly") });
      this.table.open = true;
      put(this.element, { "data-state": "table" });
    }
  }

  /**
   * Returns a button that opens a run: what a click on its point does.
   * @param {number} run
   */
  #opener(run) {
    const button = h("button", { type: "button", text: this.say("frontend.chart.open", { run }) });
    button.addEventListener("click", () => void this.stepping.open?.(run));
    return button;
  }

  #table() {
    const { title, columns, rows, runs } = this.data;
    return h(
      "table",
      { class: "kl-table" },
      h("caption", { text: title }),
      h("thead", {}, h("tr", {}, ...columns.map((text) => h("th", { scope: "col", text })), runs && h("td"))),
      h(
        "tbody",
        {},
        ...rows.map((row, place) =>
          h(
            "tr",
            {},
            ...row.map((cell) => h("td", { text: String(cell) })),
            runs && h("td", {}, this.#opener(runs[place])),
          ),
        ),
      ),
    );
  }
}
