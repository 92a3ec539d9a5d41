// The sentence of the step. It has the height of the longest one; screen readers hear each step.

import { h, write } from "./dom.js";

/** @typedef {import("./stepping.js").Stepping} Stepping */

export class SentencePanel {
  /** @param {Stepping} stepping */
  constructor(stepping) {
    this.stepping = stepping;
    this.at = h("span", { class: "kl-at" });
    this.title = h("span", { class: "kl-title" });
    this.text = h("p", { class: "kl-said" });
    this.problem = h("p", { class: "kl-problem", role: "alert" });
    this.scrolled = false;
    const place = h("p", { class: "kl-place" }, this.at, this.title);
    this.live = h("div", { "aria-live": "polite", "aria-atomic": "true" }, place, this.text);
    // It is never seen: it keeps the room free.
    const longest = h("p", { class: "kl-longest", "aria-hidden": "true", "data-text": stepping.document.longest ?? "" });
    this.element = h(
      "section",
      { class: "kl-sentence", tabindex: 0, "aria-label": stepping.say("frontend.sentence.name") },
      this.live,
      longest,
      this.problem,
    );
    this.element.addEventListener("scroll", () => (this.scrolled = true));
  }

  /** @param {Frame} frame */
  show(frame) {
    write(this.at, this.stepping.place);
    write(this.title, frame.title);
    const more = [frame.sentence, frame.difference, ...Object.values(frame.findings ?? {})];
    write(this.text, more.filter(Boolean).join(" "));
    write(this.problem, this.stepping.problem);
    // Each time it is set, all is laid out at once.
    if (this.scrolled) this.element.scrollTop = 0;
    this.scrolled = false;
  }

  /** @param {boolean} playing at each step of playing nothing is said */
  quiet(playing) {
    this.live.setAttribute("aria-live", playing ? "off" : "polite");
  }
}
