// Two runs side by side: what differs, and both to be stepped, each by itself.

import { h } from "./dom.js";
import { PANELS } from "./more_panels.js";
import { Stepping } from "./stepping.js";
import { View } from "./views.js";

/** @typedef {import("./views.js").Options} Options */

class ComparisonView {
  /**
   * @param {HTMLElement} element
   * @param {FrameDocument} document
   * @param {Options} [options]
   */
  constructor(element, document, options = {}) {
    const whole = new Stepping({ ...document, steps: 0 }, { ask: options.ask });
    const still = PANELS.still(whole);
    const sides = h("div", { class: "kl-sides" });
    /** @type {string[]} */
    this.titles = [];
    this.views = Object.entries(document.sides ?? {}).map(([side, run]) => {
      const place = h("div");
      const title = whole.say(`frontend.comparison.${side}`);
      sides.append(h("section", { class: "kl-side", "aria-label": title }, h("h2", { text: title }), place));
      const { ask } = options;
      /** @type {Ask | undefined} */
      const asked = ask && ((question) => ask({ ...question, side }));
      const named = `${title}: ${run.title || run.name}`;
      this.titles.push(title);
      return new View(place, { ...run, title: named, words: document.words }, { ask: asked });
    });
    this.outer = h("div", { class: "kl-outer" }, h("div", { class: "kl-compared" }, options.page && h("h1", { text: document.title || document.name }), still.element, sides));
    this.element = this.outer;
    element.replaceChildren(this.outer);
  }

  /** The run that came second: what a notebook or the address of a page follows. */
  get stepping() {
    return this.views[this.views.length - 1].stepping;
  }

  async start() {
    await Promise.all(this.views.map((view) => view.start()));
    // The same panels are there twice: a screen reader says of which run each is.
    const landmarks = "section[aria-label], [role='region'][aria-label]";
    this.views.forEach(({ element }, place) => {
      for (const each of element.querySelectorAll(landmarks))
        each.setAttribute("aria-label", `${this.titles[place]}: ${each.getAttribute("aria-label")}`);
    });
  }

  end() {
    for (const view of this.views) view.end();
    this.outer.remove();
  }
}

/**
 * Shows a document.
 * @param {HTMLElement} element
 * @param {FrameDocument} document
 * @param {Options} [options]
 * @returns {View | ComparisonView}
 */
export const shown = (element, document, options) =>
  document.view === "comparison"
    ? new ComparisonView(element, document, options)
    : new View(element, document, options);
