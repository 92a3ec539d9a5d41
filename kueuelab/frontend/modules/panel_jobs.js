// The jobs of the manager with their rounds, the clock of the round that goes on, and why the
// selected one is where it is.

import { button, h, keyed, put, write } from "./dom.js";
import { shortName } from "./amount.js";
import { Instants, tenthsText } from "./durations.js";
import { ordered } from "./panel_lanes.js";

/** @typedef {import("./stepping.js").Stepping} Stepping */

export class JobsPanel {
  /** @param {Stepping} stepping */
  constructor(stepping) {
    this.stepping = stepping;
    this.say = stepping.say;
    this.instants = new Instants(stepping.document.clock ?? { step: [0], ms: [0] });
    /** @type {Frame | null} */
    this.frame = null;
    const by = (/** @type {string} */ id, /** @type {number} */ ms) =>
      button(this.say(`frontend.clusters.${id}`), this.say(`frontend.clusters.${id}.hover`), () =>
        void this.pass(ms),
      );
    this.now = h("span", { class: "kl-now", role: "status" });
    this.clock = h(
      "div",
      { class: "kl-clock-row" },
      by("minute-back", -60000),
      by("second-back", -1000),
      this.now,
      by("second-on", 1000),
      by("minute-on", 60000),
    );
    this.title = h("div", { class: "kl-caption" });
    this.lines = h("dl");
    this.why = h("section", { class: "kl-clusters-why" }, this.title, this.lines);
    this.head = h("tr");
    this.body = h("tbody");
    const caption = h("caption", { text: this.say("frontend.clusters.jobs") });
    const table = h("table", { class: "kl-jobs" }, caption, h("thead", {}, this.head), this.body);
    this.element = h(
      "div",
      { class: "kl-clusters" },
      this.clock,
      this.why,
      h("div", { class: "kl-scroller", tabindex: 0, role: "region", "aria-label": this.say("frontend.clusters.jobs") }, table),
    );
    stepping.onSelect(() => this.selected());
    stepping.clocks.add(() => this.selected());
  }

  /** @param {Frame} frame */
  show(frame) {
    this.frame = frame;
    this.#draw();
  }

  selected() {
    if (this.frame) this.#draw();
  }

  /** What the clock shows: the time of the step, or later. */
  get time() {
    return this.instants.timeOf(this.stepping.step) + this.stepping.elapsed;
  }

  /**
   * Lets time go by, or back: to the last step by then, and the clock.
   * @param {number} span milliseconds
   */
  async pass(span) {
    const { stepping } = this;
    if (span > 0 && stepping.atEnd) return;
    const when = Math.max(0, this.time + span);
    const step = stepping.store.bounded(this.instants.stepBy(when, stepping.document.steps));
    await stepping.go(step);
    stepping.pass(step === stepping.document.steps - 1 ? 0 : when - this.instants.timeOf(step));
  }

  #draw() {
    const frame = /** @type {Frame} */ (this.frame);
    const shows = tenthsText(this.time);
    write(
      this.now,
      this.say(this.stepping.elapsed ? "frontend.clusters.clock" : "frontend.clusters.time", { time: shows }),
    );
    this.#placement(frame);
    const jobs = ordered(frame.jobs);
    const rounds = Math.max(0, ...jobs.map(([, job]) => Object.keys(job.rounds ?? {}).length));
    const numbers = Array.from({ length: rounds }, (_, at) =>
      this.say("frontend.clusters.nomination", { number: at + 1 }),
    );
    const names = ["job", "where", "", "check", "conditions"].flatMap((each) =>
      each ? [this.say(`frontend.clusters.column.${each}`)] : numbers,
    );
    keyed(
      this.head,
      names.map((name, at) => [String(at), name]),
      () => h("th", { scope: "col" }),
      (cell, name) => write(cell, name),
    );
    keyed(
      this.body,
      jobs,
      (job, workload) => this.#row(job, workload),
      (row, job, workload) => this.#fill(row, job, workload, rounds),
    );
  }

  /** @param {Frame} frame */
  #placement(frame) {
    const chosen = this.stepping.selection;
    const lines = chosen?.kind === "Workload" ? frame.placements?.[chosen.name] : undefined;
    this.why.hidden = !chosen;
    if (!chosen) return;
    const workload = shortName(chosen.name);
    const title = this.say("frontend.clusters.why", { workload });
    write(this.title, title);
    put(this.why, { "aria-label": title });
    if (lines) this.#explained(lines);
    else void this.#ask(chosen.name);
  }

  /**
   * Asks why a workload is where it is that the frame does not tell of.
   * @param {string} workload
   */
  async #ask(workload) {
    const { step } = this.stepping;
    this.#explained({});
    /** @type {Record<string, [string, string]>} */
    let lines = { none: ["", this.say("frontend.clusters.no-why")] };
    try {
      if (!this.stepping.ask) throw new Error();
      ({ lines } = await this.stepping.ask({ ask: "placement", workload, step }));
    } catch {
      // No kernel: that is what is said.
    }
    if (this.stepping.step === step && this.stepping.selection?.name === workload)
      this.#explained(lines);
  }

  /** @param {Record<string, [string, string]>} lines */
  #explained(lines) {
    keyed(
      this.lines,
      Object.entries(lines),
      () => h("div", {}, h("dt"), h("dd")),
      (node, [cluster, sentence]) => {
        write(node.children[0], cluster);
        write(node.children[1], sentence);
      },
    );
  }

  /** @param {JobRow} job @param {string} workload */
  #row(job, workload) {
    const name = shortName(workload);
    const select = button(name, this.say("frontend.select", { name }), () =>
      this.stepping.select({ kind: "Workload", name: workload, cluster: job.cluster }),
    );
    select.classList.add("kl-link");
    return h("tr", {}, h("td", {}, select));
  }

  /** @param {HTMLTableRowElement} row @param {JobRow} job @param {string} workload @param {number} count */
  #fill(row, job, workload, count) {
    const chosen = this.stepping.selection;
    const picked = chosen?.name === workload && (chosen.cluster ?? "") === job.cluster;
    put(row, { class: picked ? "kl-selected" : null });
    put(row.cells[0].firstElementChild ?? row, { "aria-pressed": String(picked) });
    const rounds = Object.values(job.rounds ?? {});
    const texts = [job.state];
    for (let at = 0; at < count; at += 1) texts.push(rounds[at] ?? "");
    texts.push(job.check ?? "", job.conditions ?? "");
    while (row.cells.length - 1 > texts.length) row.deleteCell(-1);
    texts.forEach((text, at) => {
      const cell = row.cells[at + 1] ?? row.insertCell();
      if (job.clock && at === rounds.length) this.#timed(cell, text, job.clock);
      else write(cell, text);
    });
  }

  /** @param {Element} cell @param {string} text @param {{from: number, length?: number}} clock */
  #timed(cell, text, { from, length }) {
    if (!cell.querySelector(".kl-clock"))
      cell.replaceChildren(
        h("span"),
        h("div", { class: "kl-clock" }, h("div", { class: "kl-bar", "aria-hidden": "true" }, h("div")), h("span")),
      );
    const [words, row] = [...cell.children];
    const [bar, says] = /** @type {HTMLElement[]} */ ([...row.children]);
    write(words, text);
    const passed = this.time - from;
    bar.hidden = !length;
    if (length) {
      const share = Math.min(Math.max(passed / length, 0), 1);
      put(bar.children[0], { style: `width:${Math.round(100 * share)}%` });
    }
    write(
      says,
      length
        ? this.say("frontend.clusters.round", {
            passed: tenthsText(passed),
            length: tenthsText(length),
            end: tenthsText(from + length),
          })
        : this.say("frontend.clusters.open-round", { passed: tenthsText(passed) }),
    );
  }
}
