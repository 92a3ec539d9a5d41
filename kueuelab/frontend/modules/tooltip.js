// What is said at the pointer, and at a chip or row that has the focus.

import { aboutChip } from "./chips.js";
import { barText } from "./drawing.js";
import { h } from "./dom.js";

/** @typedef {import("./picture.js").Picture} Picture */

export class Tooltip {
  /** @param {Picture} picture */
  constructor(picture) {
    this.picture = picture;
    this.element = h("div", { class: "kl-tooltip", role: "tooltip", hidden: true });
    const { svg } = picture;
    svg.addEventListener("pointermove", (event) => this.#at(event.target, event.clientX, event.clientY));
    svg.addEventListener("pointerleave", () => this.hide());
    svg.addEventListener("focusout", () => this.hide());
    svg.addEventListener("focusin", (event) => {
      const target = /** @type {SVGElement} */ (event.target);
      if (!target.matches(":focus-visible")) return;
      const box = target.getBoundingClientRect();
      this.#at(target, box.left + Math.min(40, box.width), box.bottom);
    });
    // A tooltip can be dismissed without moving the pointer or the focus.
    svg.addEventListener("keydown", (event) => event.key === "Escape" && this.hide());
  }

  hide() {
    this.element.hidden = true;
  }

  /**
   * @param {EventTarget | null} target
   * @param {number} x
   * @param {number} y
   */
  #at(target, x, y) {
    const text = this.#text(/** @type {SVGElement} */ (target));
    if (!text) return this.hide();
    this.element.textContent = text;
    this.element.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const left = Math.min(x + 12, window.innerWidth - width - 8);
    const top = y + 18 + height > window.innerHeight ? y - height - 10 : y + 18;
    this.element.style.left = `${Math.max(4, left)}px`;
    this.element.style.top = `${Math.max(4, top)}px`;
  }

  /** @param {SVGElement} target */
  #text(target) {
    const { picture } = this;
    const { frame, say } = picture;
    const chip = /** @type {SVGElement | null} */ (target.closest("[data-chip]"))?.dataset.chip;
    if (chip)
      for (const placed of picture.placed.values())
        for (const each of placed) if (each.key === chip) return aboutChip(each, frame, say);
    const key = /** @type {SVGElement | null} */ (target.closest("[data-key]"))?.dataset.key;
    const row = picture.layout?.rows.find((each) => each.key === key);
    if (!row) return "";
    const node = frame.tree?.[row.node];
    const bar = frame.bars?.[row.bar];
    return [
      node ? `${node.kind} ${node.name}` : "",
      frame.queues?.[row.node]?.inactive ? say("frontend.queue.inactive") : "",
      bar ? `${bar.flavor}/${bar.resource}` : "",
      bar ? barText(bar, say).join(", ") : "",
    ]
      .filter(Boolean)
      .join(" · ");
  }
}
