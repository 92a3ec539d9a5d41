// The timeline: the phases of each workload over time. A line follows the step that is shown.
// Its own SVG: it is there in every page at once, and a line that moves costs nothing.

import { button, freshId, h, keyed, put, s, write } from "./dom.js";
import { shortName } from "./amount.js";
import { Instants, durationText } from "./durations.js";

/** @typedef {import("./stepping.js").Stepping} Stepping */

const ROW = 24;
const AXIS = 22;
/** The least width of a phase in pixels: none is invisible. */
const LEAST = 3;
const PHASES = ["Pending", "QuotaReserved", "Admitted", "Evicted", "Finished"];
const NICE = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400];
const CLOSEST = 1;
const FARTHEST = 64;

export class TimelinePanel {
  /** @param {Stepping} stepping */
  constructor(stepping) {
    this.stepping = stepping;
    this.say = stepping.say;
    const { document } = stepping;
    this.data = /** @type {TimelineData} */ (
      document.timeline ?? { workloads: [], hidden: 0, phases: [], samples: {}, end: 0 }
    );
    this.instants = new Instants(document.clock ?? { step: [0], ms: [0] });
    this.zoom = CLOSEST;
    this.width = 0;
    this.id = freshId();
    this.names = h("div", { class: "kl-timeline-names" });
    const height = ROW * this.data.workloads.length + AXIS;
    const label = this.say("frontend.timeline.title");
    this.svg = s("svg", { role: "img", "aria-label": label, height });
    this.phases = s("g");
    this.axis = s("g", { class: "kl-timeline-axis" });
    this.now = s("line", { class: "kl-timeline-now", y1: 0, y2: height });
    this.svg.append(this.#patterns(), this.axis, this.phases, this.now);
    this.area = h(
      "div",
      { class: "kl-timeline-area", tabindex: 0, role: "region", "aria-label": label },
      this.svg,
    );
    this.note = h("p", { class: "kl-legend" });
    this.element = h(
      "div",
      { class: "kl-timeline" },
      h("div", { class: "kl-timeline-rows" }, this.names, this.area),
      this.#legend(),
      this.note,
      this.#table(),
    );
    this.#fillNames();
    this.svg.addEventListener("click", (event) => this.#clicked(event));
    new ResizeObserver(() => this.#resized()).observe(this.area);
    stepping.onSelect(() => this.selected());
  }

  /** @param {Frame} frame @param {Change} change */
  show(frame, change) {
    this.#follow();
  }

  selected() {
    this.#fillNames();
  }

  /** @param {number} ms */
  #x(ms) {
    return (ms / Math.max(this.data.end, 1)) * (this.width - 1);
  }

  #follow() {
    const ms = this.instants.timeOf(this.stepping.step);
    put(this.now, { transform: `translate(${this.#x(ms).toFixed(1)} 0)` });
    write(this.note, this.say("frontend.timeline.note", { time: durationText(ms) }));
    if (this.zoom === CLOSEST) return;
    const { scrollLeft, clientWidth } = this.area;
    const x = this.#x(ms);
    if (x < scrollLeft || x > scrollLeft + clientWidth) this.area.scrollLeft = x - clientWidth / 2;
  }

  #resized() {
    const width = Math.max(0, this.area.clientWidth) * this.zoom;
    if (!width || width === this.width) return;
    this.width = width;
    put(this.svg, { width });
    this.#draw();
    this.#follow();
  }

  /** @param {number} factor */
  #zoomed(factor) {
    this.zoom = Math.min(FARTHEST, Math.max(CLOSEST, factor));
    this.#resized();
    this.area.scrollLeft =
      this.#x(this.instants.timeOf(this.stepping.step)) - this.area.clientWidth / 2;
  }

  #draw() {
    keyed(
      this.phases,
      this.data.phases.map((each, at) => [String(at), each]),
      () => s("g", {}, s("rect"), s("rect"), s("title")),
      (group, [row, phase, from, to, step]) => {
        const place = {
          x: this.#x(from).toFixed(1),
          y: row * ROW + 3,
          width: Math.max(LEAST, this.#x(to) - this.#x(from)).toFixed(1),
          height: ROW - 6,
        };
        put(group, { "data-step": step, "data-row": row, class: "kl-timeline-phase" });
        put(group.children[0], { ...place, class: `kl-phase-${phase}` });
        put(group.children[1], { ...place, fill: `url(#${this.id}-${phase})` });
        const workload = this.data.workloads[row];
        const values = { workload, phase, start: durationText(from), end: durationText(to) };
        write(group.children[2], this.say("frontend.timeline.phase", values));
      },
    );
    keyed(
      this.axis,
      this.#ticks().map((ms) => [String(ms), ms]),
      () => s("g", {}, s("line", { y1: 0 }), s("text")),
      (group, ms) => {
        const x = this.#x(ms);
        const bottom = ROW * this.data.workloads.length;
        put(group.children[0], { x1: x, x2: x, y2: bottom + 4 });
        const anchor = x < 20 ? "start" : x > this.width - 20 ? "end" : "middle";
        put(group.children[1], { x, y: bottom + 16, "text-anchor": anchor });
        write(group.children[1], durationText(ms));
      },
    );
  }

  #ticks() {
    const wanted = Math.max(1, Math.floor(this.width / 90));
    const seconds = this.data.end / 1000 / wanted;
    const every = 1000 * (NICE.find((each) => each >= seconds) ?? Math.ceil(seconds / 86400) * 86400);
    const found = [];
    for (let ms = 0; ms <= this.data.end; ms += every) found.push(ms);
    return found;
  }

  #patterns() {
    const pattern = (/** @type {string} */ phase, /** @type {string} */ d) =>
      s(
        "pattern",
        { id: `${this.id}-${phase}`, width: 6, height: 6, patternUnits: "userSpaceOnUse" },
        s("path", { d, stroke: "#333", "stroke-opacity": 0.55, fill: "none" }),
      );
    return s(
      "defs",
      {},
      pattern("Pending", "M0 6L6 0"),
      pattern("QuotaReserved", "M0 0"),
      pattern("Admitted", "M0 0"),
      pattern("Evicted", "M0 6L6 0M0 0L6 6"),
      pattern("Finished", "M3 2v1"),
    );
  }

  #legend() {
    const shown = new Set(this.data.phases.map((each) => each[1]));
    const icon = (/** @type {string} */ phase) =>
      s(
        "svg",
        { width: 14, height: 12, "aria-hidden": "true" },
        s("rect", { class: `kl-phase-${phase}`, width: 14, height: 12 }),
        s("rect", { fill: `url(#${this.id}-${phase})`, width: 14, height: 12 }),
      );
    const items = PHASES.filter((phase) => shown.has(phase)).map((phase) =>
      h("span", {}, icon(phase), ` ${phase}`),
    );
    const zoom = (/** @type {string} */ id, /** @type {() => number} */ factor) =>
      button(this.say(`frontend.timeline.${id}`), this.say(`frontend.timeline.${id}.hover`), () =>
        this.#zoomed(factor()),
      );
    return h(
      "div",
      { class: "kl-legend kl-timeline-legend" },
      ...items,
      zoom("in", () => this.zoom * 2),
      zoom("out", () => this.zoom / 2),
      zoom("fit", () => CLOSEST),
      this.data.hidden
        ? h("span", { text: this.say("frontend.timeline.hidden", { count: this.data.hidden }) })
        : null,
    );
  }

  #fillNames() {
    const chosen = this.stepping.selection;
    keyed(
      this.names,
      this.data.workloads.map((name) => [name, name]),
      (name) =>
        button("", this.say("frontend.select", { name: shortName(name) }), () =>
          this.stepping.select({ kind: "Workload", name }),
        ),
      (node, name) => {
        const picked = chosen?.kind === "Workload" && chosen.name === name;
        write(node, (picked ? "◆ " : "") + shortName(name));
        put(node, { "aria-pressed": String(picked) });
      },
    );
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    const group = /** @type {Element} */ (event.target).closest("[data-step]");
    if (group) this.#jump(Number(group.getAttribute("data-step")), Number(group.getAttribute("data-row")));
  }

  /** @param {number} step @param {number} row */
  #jump(step, row) {
    const name = this.data.workloads[row];
    const chosen = this.stepping.selection;
    void this.stepping.go(step);
    if (chosen?.kind !== "Workload" || chosen.name !== name)
      this.stepping.select({ kind: "Workload", name });
  }

  #table() {
    const { workloads, phases } = this.data;
    const names = ["workload", "phase", "from", "to"].map((each) =>
      h("th", { scope: "col", text: this.say(`frontend.timeline.column.${each}`) }),
    );
    const body = h("tbody");
    const details = h(
      "details",
      {},
      h("summary", { text: this.say("frontend.as-table") }),
      h("table", { class: "kl-table" }, h("caption", { text: this.say("frontend.timeline.title") }), h("thead", {}, h("tr", {}, ...names)), body),
    );
    details.addEventListener("toggle", () => {
      if (!details.open || body.childElementCount) return;
      for (const [row, phase, from, to, step] of phases) {
        const name = shortName(workloads[row]);
        const link = button(name, this.say("frontend.timeline.go", { step: step + 1 }), () =>
          this.#jump(step, row),
        );
        link.classList.add("kl-link");
        const cells = [phase, durationText(from), durationText(to)];
        body.append(h("tr", {}, h("td", {}, link), ...cells.map((text) => h("td", { text }))));
      }
    });
    return details;
  }
}
