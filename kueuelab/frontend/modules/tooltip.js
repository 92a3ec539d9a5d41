// What is said at the pointer, and at a chip or row that has the focus. It stays in the picture, and
// below or above the row: neither the row nor a table beside the picture is covered.

import { aboutChip } from "./chips.js";
import { barText } from "./drawing.js";
import { h } from "./dom.js";

/** @typedef {import("./picture.js").Picture} Picture */
/** @typedef {import("./layout.js").Row} Row */

/** Pixels between it and the row, and to the edges of the picture. */
const GAP = 4;

export class Tooltip {
  /** @param {Picture} picture */
  constructor(picture) {
    this.picture = picture;
    this.element = h("div", { class: "kl-tooltip", role: "tooltip", hidden: true });
    const { svg } = picture;
    svg.addEventListener("pointermove", (event) => this.#at(event.target, event.clientX));
    svg.addEventListener("pointerleave", () => this.hide());
    svg.addEventListener("focusout", () => this.hide());
    svg.addEventListener("focusin", (event) => {
      const target = /** @type {SVGElement} */ (event.target);
      if (!target.matches(":focus-visible")) return;
      const box = target.getBoundingClientRect();
      this.#at(target, box.left + Math.min(40, box.width));
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
   */
  #at(target, x) {
    const [row, text] = this.#about(/** @type {SVGElement} */ (target));
    if (!row || !text) return this.hide();
    const { element, picture } = this;
    const { svg, geometry, size } = picture;
    const panel = (svg.closest(".kl-picture") ?? svg).getBoundingClientRect();
    element.textContent = text;
    element.style.maxWidth = `min(26rem, ${panel.width - 2 * GAP}px)`;
    element.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = element;
    const right = Math.min(panel.right, window.innerWidth) - GAP;
    const bottom = Math.min(panel.bottom, window.innerHeight) - GAP;
    const start = svg.getBoundingClientRect().top + (row.top - geometry.top) * size;
    const below = start + row.height * size + GAP;
    const top = below + height <= bottom ? below : start - GAP - height;
    // In JupyterLab "fixed" is not counted from the corner of the window.
    element.style.left = element.style.top = "0";
    const origin = element.getBoundingClientRect();
    element.style.left = `${Math.max(GAP, Math.min(x + 12, right - width)) - origin.left}px`;
    element.style.top = `${Math.max(GAP, top) - origin.top}px`;
  }

  /**
   * Returns the row in which something is, and what there is to say of it.
   * @param {SVGElement} target
   * @returns {[Row | undefined, string]}
   */
  #about(target) {
    const { picture } = this;
    const { frame, say } = picture;
    const rowOf = (/** @type {string | undefined} */ key) => picture.layout?.rows.find((each) => each.key === key);
    const chip = /** @type {SVGElement | null} */ (target.closest("[data-chip]"))?.dataset.chip;
    if (chip)
      for (const [key, placed] of picture.placed)
        for (const each of placed) if (each.key === chip) return [rowOf(key), aboutChip(each, frame, say)];
    const row = rowOf(/** @type {SVGElement | null} */ (target.closest("[data-key]"))?.dataset.key);
    if (!row) return [row, ""];
    const node = frame.tree?.[row.node];
    const bar = frame.bars?.[row.bar];
    const parts = [
      node ? `${node.kind} ${node.name}` : "",
      frame.queues?.[row.node]?.inactive ? say("frontend.queue.inactive") : "",
      bar ? `${bar.flavor}/${bar.resource}` : "",
      bar ? barText(bar, say).join(", ") : "",
    ];
    return [row, parts.filter(Boolean).join(" · ")];
  }
}
