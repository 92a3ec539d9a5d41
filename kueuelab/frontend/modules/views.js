// A view: which panels a document is shown with, and how they follow its steps.

import { Breakpoints } from "./breakpoints.js";
import { Controls } from "./controls.js";
import { h, put } from "./dom.js";
import { Keys } from "./keys.js";
import { PANELS } from "./more_panels.js";
import { DecisionPanel } from "./panel_decision.js";
import { DetailsPanel } from "./panel_details.js";
import { SentencePanel } from "./panel_sentence.js";
import { Picture } from "./picture.js";
import { PicturePanel } from "./picture_tools.js";
import { Player } from "./player.js";
import { Stepping } from "./stepping.js";
import { Tabs } from "./tabs.js";
import { Tooltip } from "./tooltip.js";

/**
 * @typedef {object} Options
 * @property {Ask} [ask]
 * @property {string} [board]
 * @property {number} [step]
 * @property {Selected | null} [selected]
 * @property {number} [elapsed] milliseconds since the step
 * @property {boolean} [page] whether it is the whole page
 * @property {boolean} [bare] whether title and description are left out: what is around it has them
 * @property {number} [height] in pixels
 */

/** The parts of each view. */
const PARTS = /** @type {Record<string, string[]>} */ ({
  lab: ["sentence", "controls", "picture", "tabs"],
  stepper: ["sentence", "controls", "picture", "tabs"],
  topology: ["sentence", "controls", "domains"],
  cohorts: ["at", "picture"],
  decision: ["sentence", "decision"],
  why: ["at", "details"],
  queues: ["at", "queues"],
  timeline: ["timeline"],
  multikueue: ["still", "sentence", "controls", "lanes", "jobs"],
  sequence: ["sentence", "controls", "sequence"],
  side: ["sentence", "controls", "picture", "timeline"],
  chart: ["still"],
});

export class View {
  /**
   * @param {HTMLElement} element
   * @param {FrameDocument} document
   * @param {Options} [options]
   */
  constructor(element, document, options = {}) {
    this.stepping = new Stepping(document, options);
    /** @type {View | undefined} */
    this.run = undefined;
    this.player = new Player(this.stepping);
    const name = Object.hasOwn(PARTS, document.view) ? document.view : "lab";
    const parts = PARTS[name];
    const { say } = this.stepping;
    this.element = h("div", {
      class: `kl-view kl-view-${name}${options.page ? " kl-page" : ""}`,
      role: "region",
      tabindex: -1,
      // Keys pressed in here are not shortcuts of JupyterLab.
      "data-lm-suppress-shortcuts": "true",
      "aria-label": say("frontend.view", { title: document.title || document.name }),
    });
    if (options.height) this.element.style.setProperty("--kl-height", `${options.height}px`);
    /** @type {Panel[]} */
    this.panels = [];
    this.keys = new Keys(this.stepping, this.player);
    const headed = options.page || (name === "lab" && !options.bare);
    if (headed) this.element.append(this.#head(options.page ? "h1" : "h2"));
    const withDomains = Boolean(document.topologies) && parts.includes("picture") && parts.includes("tabs");
    this.element.classList.toggle("kl-with-domains", withDomains);
    for (const part of parts) {
      this.#add(part);
      if (part === "picture" && withDomains) this.#add("domains");
    }
    // Where there is little room, the description is below all else.
    if (headed) this.element.append(this.#description());
    this.element.append(this.keys.dialog);
    const listener = /** @type {EventListener} */ ((event) => this.keys.pressed(/** @type {KeyboardEvent} */ (event)));
    (options.page ? window.document : this.element).addEventListener("keydown", listener);
    this.stepping.onStep((change) => this.#show(change));
    this.opened = h("div", { class: "kl-opened" });
    this.stepping.open = (run) => this.#open(run);
    this.outer = h("div", { class: "kl-outer" }, this.element, this.opened);
    element.replaceChildren(this.outer);
  }

  /** Draws the first frame. */
  start() {
    return this.stepping.start();
  }

  /** Leaves the page: nothing is drawn any more. */
  end() {
    this.player.stop();
    this.stepping.leave();
    this.run?.end();
    this.outer.remove();
  }

  /**
   * Shows a run of a sweep below.
   * @param {number} run
   */
  async #open(run) {
    const { ask, say } = this.stepping;
    const told = h("p", { role: "status", text: say("frontend.chart.opening", { run }) });
    this.run?.end();
    this.run = undefined;
    this.opened.replaceChildren(told);
    try {
      if (!ask) throw new Error();
      const { document } = await ask({ ask: "open", run });
      if (!document) throw new Error();
      const place = h("div");
      this.opened.append(place);
      this.run = new View(place, document, { ask: (question) => ask({ ...question, run }) });
      await this.run.start();
      put(told, { text: say("frontend.chart.run", { run }) });
    } catch {
      put(told, { text: say("frontend.chart.no-run", { run }) });
    }
  }

  #description() {
    return h("p", { class: "kl-about", text: this.stepping.document.description ?? "" });
  }

  /** @param {"h1" | "h2"} level */
  #head(level) {
    const { document, say } = this.stepping;
    const help = h("button", { type: "button", class: "kl-keys", text: "?", title: say("frontend.keys"), "aria-label": say("frontend.keys") });
    help.addEventListener("click", () => this.keys.help());
    return h(
      level === "h1" ? "header" : "div",
      { class: "kl-head" },
      h(level, { text: document.title || document.name || say("frontend.untitled") }),
      h("span", { class: "kl-soft", text: say("frontend.about", { version: document.kueueVersion }) }),
      help,
      this.#description(),
    );
  }

  /** @param {string} part */
  #add(part) {
    const { stepping, player } = this;
    const { say } = stepping;
    if (part === "sentence") {
      const sentence = new SentencePanel(stepping);
      this.#put(sentence);
      this.sentence = sentence;
    } else if (part === "at") {
      const at = h("p", { class: "kl-only-at" });
      this.#put({ element: at, show: () => void (at.textContent = stepping.place) });
    } else if (part === "controls") {
      const stops = new Breakpoints(stepping, player);
      const controls = new Controls(stepping, player, stops.element);
      const played = player.changed;
      player.changed = () => {
        played();
        this.sentence?.quiet(player.playing);
      };
      this.controls = controls;
      Object.assign(this.keys.actions, {
        g: () => {
          controls.rest.classList.add("kl-open");
          controls.wish?.focus();
        },
      });
      stepping.moves.forEach((by, place) => {
        this.keys.actions[String(place + 1)] = () => {
          stepping.by = by;
          controls.by.select.value = by;
        };
      });
      this.#put(controls);
    } else if (part === "picture") {
      const picture = new Picture(stepping);
      const panel = new PicturePanel(picture);
      const tooltip = new Tooltip(picture);
      this.picture = panel;
      this.#put(panel);
      this.element.append(tooltip.element);
      Object.assign(this.keys.actions, {
        "/": () => panel.search.focus(),
        t: () => panel.toggleTable(),
        "+": () => picture.zoomBy(1.25),
        "-": () => picture.zoomBy(0.8),
        0: () => picture.fit(),
      });
    } else if (part === "tabs") {
      this.tabs = new Tabs(say("frontend.tabs"), [
        { id: "decision", title: say("frontend.tab.decision"), make: () => new DecisionPanel(stepping) },
        { id: "details", title: say("frontend.tab.details"), make: () => new DetailsPanel(stepping) },
        { id: "queues", title: say("frontend.tab.queues"), make: () => PANELS.queues(stepping) },
        ...(stepping.document.view === "lab" ? [{ id: "timeline", title: say("frontend.tab.timeline"), make: () => PANELS.timeline(stepping) }] : []),
      ]);
      this.#put(this.tabs);
    } else if (part === "decision") this.#put(new DecisionPanel(stepping));
    else if (part === "details") this.#put(new DetailsPanel(stepping));
    else this.#put(PANELS[part](stepping));
  }

  /** @param {Panel} panel */
  #put(panel) {
    this.panels.push(panel);
    this.element.append(panel.element);
  }

  /** @param {Change} change */
  #show(change) {
    const { frame } = this.stepping;
    for (const panel of this.panels) panel.show(frame, change);
    this.element.dataset.step = String(this.stepping.step);
  }
}
