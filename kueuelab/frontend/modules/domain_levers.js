// What would admit the selected workload: the kernel tries changes of the run, for which it has to be there.

import { shortName } from "./amount.js";
import { button, h, write } from "./dom.js";

/** @typedef {import("./stepping.js").Stepping} Stepping */

export class DomainLevers {
  /** @param {Stepping} stepping */
  constructor(stepping) {
    this.stepping = stepping;
    this.workload = "";
    /** The step that the answer is about, -1 without one. */
    this.at = -1;
    /** The last question; older answers are dropped. */
    this.asked = 0;
    this.title = button("", "", () => void this.#toggle());
    this.title.classList.add("kl-reasons-title", "kl-levers-title");
    this.answer = h("div", { class: "kl-levers", "aria-live": "polite" });
    this.element = h("div", {}, this.title, this.answer);
    this.show("");
  }

  /** @param {string} workload the name of a pending workload; "" for none */
  show(workload) {
    this.element.hidden = !workload;
    if (workload !== this.workload || this.at !== this.stepping.step) this.#close();
    this.workload = workload;
    write(this.title, this.stepping.say("frontend.domains.levers", { workload: shortName(workload) }));
  }

  #close() {
    this.asked += 1;
    this.at = -1;
    this.answer.replaceChildren();
    this.title.setAttribute("aria-expanded", "false");
  }

  async #toggle() {
    if (this.at >= 0) return this.#close();
    const { stepping, workload } = this;
    const { say, step } = stepping;
    this.at = step;
    const asked = (this.asked += 1);
    this.title.setAttribute("aria-expanded", "true");
    this.#say([say("frontend.domains.levers.wait")]);
    /** @type {{lines?: string[]}} */
    const found = (await stepping.ask?.({ ask: "levers", workload, step }).catch(() => ({}))) ?? {};
    if (asked !== this.asked) return;
    this.#say(found.lines ?? [say("frontend.domains.levers.no-kernel")]);
  }

  /** @param {string[]} lines */
  #say(lines) {
    const [first = "", ...rest] = lines;
    const list = rest.length ? [h("ul", {}, ...rest.map((text) => h("li", { text })))] : [];
    this.answer.replaceChildren(h("p", { text: first }), ...list);
  }
}
