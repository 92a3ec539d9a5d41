// The panels of several clusters, of a job's lifecycle, of queues, timelines and comparisons.

import { Chart } from "./chart.js";
import { h } from "./dom.js";
import { DecisionPanel } from "./panel_decision.js";
import { comparison } from "./panel_comparison.js";
import { DomainsPanel } from "./panel_domains.js";
import { JobsPanel } from "./panel_jobs.js";
import { LanesPanel } from "./panel_lanes.js";
import { QueuesPanel } from "./panel_queues.js";
import { SequencePanel } from "./panel_sequence.js";
import { TimelinePanel } from "./panel_timeline.js";
import { Tabs } from "./tabs.js";

/** @typedef {import("./stepping.js").Stepping} Stepping */

/** The timeline with its charts. */
class TimelineWithCharts {
  /** @param {Stepping} stepping */
  constructor(stepping) {
    this.stepping = stepping;
    this.element = h("div", { class: "kl-timeline-panel" });
    /** @type {TimelinePanel | null} */
    this.panel = null;
    /** @type {Chart[]} */
    this.charts = [];
    this.asked = false;
  }

  /** @param {Frame} frame @param {Change} change */
  show(frame, change) {
    const { document } = this.stepping;
    if (!this.panel && document.timeline) this.#make();
    if (this.panel) {
      this.panel.show(frame, change);
      const ms = this.panel.instants.timeOf(this.stepping.step);
      for (const chart of this.charts) chart.follow(ms);
    } else if (!this.asked) void this.#ask(frame, change);
  }

  #make() {
    this.panel = new TimelinePanel(this.stepping);
    this.charts = (this.stepping.document.charts ?? []).map((each) => new Chart(each, this.stepping));
    this.element.replaceChildren(this.panel.element, ...this.charts.map((each) => each.element));
  }

  /**
   * Asks for the timeline of a long run.
   * @param {Frame} frame
   * @param {Change} change
   */
  async #ask(frame, change) {
    const { stepping } = this;
    this.asked = true;
    try {
      if (!stepping.ask) throw new Error();
      Object.assign(stepping.document, await stepping.ask({ ask: "timeline" }));
      this.show(frame, change);
    } catch {
      this.element.replaceChildren(h("p", { text: stepping.say("frontend.timeline.no-kernel") }));
    }
  }
}

/** Charts alone, or a comparison with its charts: nothing of it depends on the step. */
class Still {
  /** @param {Stepping} stepping */
  constructor(stepping) {
    const { document } = stepping;
    this.element = h("div", { class: "kl-still-panel" });
    if (document.comparison) this.element.append(comparison(document.comparison));
    for (const each of document.charts ?? []) this.element.append(new Chart(each, stepping).element);
  }

  show() {}
}

/** The makers of panels by name. */
export const PANELS = /** @type {Record<string, (stepping: Stepping) => Panel>} */ ({
  lanes: (stepping) => new LanesPanel(stepping),
  domains: (stepping) => new DomainsPanel(stepping),
  queues: (stepping) => new QueuesPanel(stepping),
  timeline: (stepping) => new TimelineWithCharts(stepping),
  sequence: (stepping) => new SequencePanel(stepping),
  still: (stepping) => new Still(stepping),
  jobs: (stepping) =>
    new Tabs(stepping.say("frontend.tabs"), [
      { id: "jobs", title: stepping.say("frontend.tab.jobs"), make: () => new JobsPanel(stepping) },
      { id: "decision", title: stepping.say("frontend.tab.decision"), make: () => new DecisionPanel(stepping) },
      { id: "sequence", title: stepping.say("frontend.tab.sequence"), make: () => new SequencePanel(stepping) },
    ]),
});
