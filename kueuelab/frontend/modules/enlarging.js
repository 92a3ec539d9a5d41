// How much larger the picture of a few rows is drawn, so that its panel is used.

import { rowHeight } from "./layout.js";

/** @typedef {import("./layout.js").Filter} Filter */

const MOST_LARGER = 1.7;
/** Names, bars and numbers of their usual size have room in such a width. */
const WIDE_ENOUGH = 560;
/** What is free above and below the rows, and for a scroll bar. */
const MARGINS = 8;
const SPARE = 16;

/** The same at every step: it counts the rows of the whole run, as far as they are here. */
export class Enlarging {
  /** @param {FrameDocument} document */
  constructor(document) {
    /** The kind of each node. @type {Map<string, string>} */
    this.nodes = new Map();
    /** @type {Map<string, {node: string, flavor: string, resource: string}>} */
    this.bars = new Map();
    /** The height of all rows, by the resource and flavor that are shown. @type {Map<string, number>} */
    this.heights = new Map();
    for (const { key, patches } of Object.values(document.chunks ?? {}))
      for (const each of [key, ...patches]) this.#add(each);
  }

  /**
   * Returns by which factor all is larger, 1 if there are many rows or little room.
   * @param {number} width of the picture, in pixels
   * @param {number} height
   * @param {Filter} filter
   */
  factor(width, height, filter) {
    const most = Math.min(MOST_LARGER, width / WIDE_ENOUGH, (height - SPARE) / this.#height(filter));
    return Math.max(1, most);
  }

  /** @param {Tree} part a frame, or a patch */
  #add({ tree, bars }) {
    for (const [node, found] of Object.entries(tree ?? {})) {
      const { kind } = /** @type {{kind?: string}} */ (Object(found));
      if (kind) this.nodes.set(node, kind);
    }
    for (const [key, found] of Object.entries(bars ?? {})) {
      const { node, flavor, resource } = /** @type {Bar} */ (Object(found));
      if (node) this.bars.set(key, { node, flavor, resource });
    }
  }

  /** @param {Filter} filter */
  #height({ resource, flavor }) {
    const chosen = JSON.stringify([resource, flavor]);
    let height = this.heights.get(chosen);
    if (height === undefined) {
      const lanes = new Map([...this.nodes.keys()].map((node) => [node, 0]));
      for (const bar of this.bars.values())
        if ((!resource || bar.resource === resource) && (!flavor || bar.flavor === flavor))
          lanes.set(bar.node, (lanes.get(bar.node) ?? 0) + 1);
      height = MARGINS;
      for (const [node, count] of lanes) {
        const kind = this.nodes.get(node) ?? "";
        height += count === 1 ? 0 : rowHeight(kind, false);
        height += count * rowHeight(kind, true);
      }
      this.heights.set(chosen, height);
    }
    return height;
  }
}
