// Where the lines of the picture are: the tree, laid out row by row.

import { shortName } from "./amount.js";
import { aboutWidthOf } from "./dom.js";

/**
 * A row: a node with its name, a lane of quota, or both.
 * @typedef {object} Row
 * @property {string} key
 * @property {string} node
 * @property {string} bar the bar that is in it, "" if none is
 * @property {boolean} named whether the name of the node is in it
 * @property {number} depth
 * @property {number} top
 * @property {number} height
 * @property {number} head how much of the height is above the bar, for the name: 0 beside it
 */

/** What is shown of a tree. @typedef {{resource: string, flavor: string, search: string}} Filter */

/** A step to the right in the tree, in pixels. */
export const INDENT = 14;

/**
 * Returns a node's name as it is shown in the tree, with its cluster where there are several.
 * @param {TreeNode} node
 */
export function shownName({ kind, name, cluster }) {
  const short = kind === "LocalQueue" ? shortName(name) : name;
  return cluster ? `${cluster}: ${short}` : short;
}

const HEIGHTS = { bar: 28, name: 24, queue: 26 };
/** A line for a name above its bar, where they have no room beside each other. */
const HEAD = 20;

/**
 * Returns the usual height of a row.
 * @param {string} kind of its node
 * @param {boolean} bar whether a bar is in it
 */
export const rowHeight = (kind, bar) =>
  kind === "LocalQueue" ? HEIGHTS.queue : bar ? HEIGHTS.bar : HEIGHTS.name;

export class Layout {
  /**
   * @param {Frame} frame
   * @param {Set<string>} collapsed
   * @param {Filter} filter
   * @param {number} scale of the heights
   * @param {boolean} stacked whether names are above their bars
   */
  constructor(frame, collapsed, filter, scale, stacked) {
    const tree = frame.tree ?? {};
    /** @type {Row[]} */
    this.rows = [];
    /** @type {Map<string, Row>} the row of each bar */
    this.bars = new Map();
    /** @type {Map<string, Row>} the row with the name of each node */
    this.nodes = new Map();
    /** @type {Map<string, string[]>} */
    this.children = new Map();
    this.resources = new Set();
    this.flavors = new Set();
    this.tree = tree;
    this.scale = scale;

    const order = Object.keys(tree).sort((a, b) => tree[a].order - tree[b].order);
    for (const node of order) {
      const { parent } = tree[node];
      const siblings = this.children.get(parent);
      if (siblings) siblings.push(node);
      else this.children.set(parent, [node]);
    }
    const lanes = this.#lanes(frame, filter);
    const found = this.#found(order, filter.search);
    let top = 4;
    const hidden = new Set();
    for (const node of order) {
      const { parent, kind, depth } = tree[node];
      if (hidden.has(parent) || (collapsed.has(parent) && !filter.search)) {
        hidden.add(node);
        continue;
      }
      if (found && !found.has(node)) continue;
      const bars = lanes.get(node) ?? [];
      const add = (/** @type {string} */ bar, /** @type {boolean} */ named) => {
        const head = stacked && (bar || kind === "LocalQueue") ? HEAD * scale : 0;
        const height = rowHeight(kind, bar !== "") * scale + head;
        const row = { key: bar || node, node, bar, named, depth, top, height, head };
        this.rows.push(row);
        if (bar) this.bars.set(bar, row);
        if (named) this.nodes.set(node, row);
        top += height;
      };
      if (bars.length === 1) add(bars[0], true);
      else {
        add("", true);
        for (const bar of bars) add(bar, false);
      }
    }
    this.height = top + 4;
    /** How much room the longest name takes. */
    this.names = 0;
    for (const { node, named, bar, depth } of this.rows) {
      const lane = frame.bars?.[bar];
      const text = named ? shownName(tree[node]) : `${lane?.flavor} · ${lane?.resource}`;
      this.names = Math.max(this.names, aboutWidthOf(text, 12) + depth * INDENT + 46);
    }
  }

  /**
   * Returns the rows between two heights.
   * @param {number} top
   * @param {number} bottom
   */
  between(top, bottom) {
    const { rows } = this;
    let low = 0;
    let high = rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rows[middle].top + rows[middle].height <= top) low = middle + 1;
      else high = middle;
    }
    let end = low;
    while (end < rows.length && rows[end].top < bottom) end += 1;
    return rows.slice(low, end);
  }

  /**
   * Returns the node itself, or what is drawn of it: the nearest node above it.
   * @param {string} node
   */
  shown(node) {
    let at = node;
    while (at && !this.nodes.has(at)) at = this.tree[at]?.parent ?? "";
    return at;
  }

  /** @param {Frame} frame @param {Filter} filter */
  #lanes(frame, filter) {
    /** @type {Map<string, string[]>} */
    const lanes = new Map();
    const bars = frame.bars ?? {};
    for (const key of Object.keys(bars)) {
      const { node, flavor, resource } = bars[key];
      this.resources.add(resource);
      this.flavors.add(flavor);
      if (filter.resource && resource !== filter.resource) continue;
      if (filter.flavor && flavor !== filter.flavor) continue;
      const known = lanes.get(node);
      if (known) known.push(key);
      else lanes.set(node, [key]);
    }
    for (const found of lanes.values()) found.sort((a, b) => bars[a].order - bars[b].order);
    return lanes;
  }

  /**
   * Returns the nodes whose names match, with those above and below them; null for all.
   * @param {string[]} order
   * @param {string} search
   */
  #found(order, search) {
    if (!search) return null;
    const wanted = search.toLowerCase();
    const { tree } = this;
    const found = new Set();
    const matching = new Set();
    for (const node of order) {
      const { parent, name } = tree[node];
      if (!name.toLowerCase().includes(wanted) && !matching.has(parent)) continue;
      matching.add(node);
      for (let at = node; at && !found.has(at); at = tree[at]?.parent ?? "") found.add(at);
    }
    return found;
  }
}
