// Why a workload is where it is, at the step that is shown.

import { h } from "./dom.js";
import { nearest } from "./moves.js";
import { Store } from "./store.js";
import { unpacked } from "./unpacking.js";

/** @typedef {import("./stepping.js").Stepping} Stepping */

export class WorkloadExplanation {
  /**
   * @param {Stepping} stepping
   * @param {["h2", "h3"] | ["h3", "h4"]} [headings]
   */
  constructor(stepping, headings = ["h3", "h4"]) {
    this.stepping = stepping;
    this.headings = headings;
    this.element = h("div", { class: "kl-why" });
    /** The last question; older answers are dropped. */
    this.asked = 0;
    /** The explanations that the document has. @type {Promise<Whys | undefined> | null} */
    this.whys = null;
  }

  /** @param {string} workload its name; "" for none */
  show(workload) {
    this.asked += 1;
    if (workload) void this.#explain(workload);
    else this.element.replaceChildren();
  }

  /** @param {string} workload */
  async #explain(workload) {
    const { asked } = this;
    const { stepping } = this;
    const { say, document, step } = stepping;
    const whys = await (this.whys ??= unpacked(document.whys));
    if (asked !== this.asked) return;
    const known = whys?.of[workload];
    if (!known && !stepping.ask) return this.#said(workload);
    /** @type {Why | undefined} */
    let why;
    if (known) why = whyAt(whys, known, step);
    else if (stepping.ask)
      try {
        why = await stepping.ask({ ask: "why", workload, step });
      } catch {
        why = undefined;
      }
    if (asked !== this.asked) return;
    if (!why?.sections) return this.#said(workload, say("frontend.no-kernel.why"));
    this.element.replaceChildren(
      h(this.headings[0], { text: why.title }),
      ...why.sections.flatMap(({ title, lines }) => [
        title && title !== why.title ? h(this.headings[1], { text: title }) : "",
        h("ul", {}, ...lines.map((line) => this.#line(line))),
      ]),
    );
  }

  /**
   * Lists what the last cycle that mentions a workload says of it, up to this step.
   * @param {string} workload
   * @param {string} [note]
   */
  #said(workload, note) {
    const { index, store, step, say, document } = this.stepping;
    const about = (index.of("workload", workload) ?? []).filter((each) => each <= step);
    const last = about[about.length - 1] ?? -1;
    const cycles = index.of("move", "cycle") ?? [];
    const first = nearest(cycles, last + 1, -1);
    const reader = new Store(document);
    reader.fetched = store.fetched;
    const lines = [];
    let cycle = 0;
    for (const each of about.filter((at) => at >= first && reader.has(at))) {
      reader.go(each);
      lines.push({ text: reader.frame.sentence, step: each });
      cycle = reader.frame.at.cycle;
    }
    const title = say(cycle ? "frontend.details.cycle" : "frontend.details.said", { cycle });
    this.element.replaceChildren(
      ...(note ? [h("p", { class: "kl-soft", text: note })] : []),
      ...(lines.length ? [h(this.headings[0], { text: title })] : []),
      h("ul", {}, ...lines.map((line) => this.#line(line))),
    );
  }

  /** @param {{text: string, step?: number}} line */
  #line({ text, step }) {
    const { stepping } = this;
    if (step === undefined) return h("li", { text });
    const link = h("button", {
      type: "button",
      class: "kl-link",
      text: stepping.say("frontend.details.step", { step: step + 1 }),
      onclick: () => void stepping.go(step),
    });
    const here = step === stepping.step;
    return h("li", { class: here ? "kl-here" : null }, `${text} `, link);
  }
}

/**
 * Returns the explanation of a workload that holds at a step.
 * @param {Whys} whys
 * @param {[number, PooledWhy][]} known
 * @param {number} step
 * @returns {Why | undefined}
 */
function whyAt(whys, known, step) {
  const found = known.findLast(([from]) => from <= step)?.[1];
  const { texts } = whys;
  if (!found) return undefined;
  const [title, sections] = found;
  return {
    title: texts[title],
    sections: sections.map(([head, lines]) => ({
      title: texts[head],
      lines: lines.map(([text, from]) => ({ text: texts[text], step: from })),
    })),
  };
}
