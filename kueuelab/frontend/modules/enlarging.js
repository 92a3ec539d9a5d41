// How much taller the rows of a small tree are, so that its panel is used. Texts keep their size.

import { rowHeight } from "./layout.js";

/** @typedef {import("./layout.js").Filter} Filter */

const MOST_LARGER = 1.7;
/** Names, bars and numbers of their usual size have room in such a width. */
const WIDE_ENOUGH = 560;
/** What is free above and below the rows, and for a scroll bar. */
const MARGINS = 8;
const SPARE = 16;

/** The same at every step: the document counts the rows of the whole run. */
export class Enlarging {
  /** @param {FrameDocument} document */
  constructor(document) {
    this.rows = document.rows ?? [];
    /** The height of all rows, by the resource and flavor that are shown. @type {Map<string, number>} */
    this.heights = new Map();
  }

  /**
   * Returns by which factor rows are taller, 1 if there are many rows or little room.
   * @param {number} width of the picture, in pixels
   * @param {number} height
   * @param {Filter} filter
   */
  factor(width, height, filter) {
    const most = Math.min(MOST_LARGER, width / WIDE_ENOUGH, (height - SPARE) / this.#height(filter));
    return Math.max(1, most);
  }

  /** @param {Filter} filter */
  #height({ resource, flavor }) {
    const chosen = JSON.stringify([resource, flavor]);
    let height = this.heights.get(chosen);
    if (height === undefined) {
      height = MARGINS;
      for (const [count, kind, bars] of this.rows) {
        const shown = bars.filter(
          ([of, amount]) => (!resource || amount === resource) && (!flavor || of === flavor),
        ).length;
        const name = shown === 1 ? 0 : rowHeight(kind, false);
        height += count * (name + shown * rowHeight(kind, true));
      }
      this.heights.set(chosen, height);
    }
    return height;
  }
}
