// The picture: the tree of cohorts and queues, bars of quota, workloads, borrowing. Of a large
// tree only what is visible is drawn.

import { ChipIndex, Placing } from "./chips.js";
import { h, put, s } from "./dom.js";
import { drawArrows, drawBars, drawChips, drawLabels, drawNames, patterns } from "./drawing.js";
import { Enlarging } from "./enlarging.js";
import { Layout } from "./layout.js";
import { PictureKeys } from "./picture_keys.js";
import { Slides } from "./slides.js";

/** @typedef {import("./stepping.js").Stepping} Stepping */
/** @typedef {import("./layout.js").Row} Row */
/** @typedef {import("./chips.js").Placed} Placed */

/**
 * Where what is, in units of the drawing: `size` pixels each.
 * @typedef {object} Geometry
 * @property {number} width
 * @property {number} height
 * @property {number} names width of the column of names
 * @property {number} labels width of the column of numbers
 * @property {number} bars width of the visible bars
 * @property {number} wide width of all bars, zoomed
 * @property {number} left how far the bars are scrolled
 * @property {number} top
 */

/** @typedef {{outerWidth: number, outerHeight: number, width: number, height: number, left: number, top: number}} Box */

/** Rows are drawn so far beyond what is visible. */
const MARGIN = 60;
const ZOOMS = { least: 1, most: 60 };
/** In a narrower picture names are above their bars, so that neither is cut. */
const STACKED = 430;
/** Where bars begin there. */
const EDGE = 10;
/** Where the largest amount of a resource ends, in parts of the width. */
const FULL = 0.94;

/** @param {Geometry} one @param {Geometry} other */
const alike = (one, other) =>
  Object.entries(one).every(([name, value]) => other[/** @type {keyof Geometry} */ (name)] === value);

export class Picture {
  /** @param {Stepping} stepping */
  constructor(stepping) {
    this.stepping = stepping;
    this.say = stepping.say;
    this.chips = new ChipIndex();
    /** @type {Set<string>} */
    this.collapsed = new Set();
    this.filter = { resource: "", flavor: "", search: "" };
    this.zoom = 1;
    this.rowScale = 1;
    this.enlarging = new Enlarging(stepping.document);
    /** Pixels of a unit of the drawing. */
    this.size = 1;
    /** How much taller the rows of a small tree are; texts keep their size. */
    this.tall = 1;
    /** Whether names are above their bars. */
    this.stacked = false;
    /** @type {Layout | null} */
    this.layout = null;
    /** @type {Geometry} */
    this.geometry = { width: 0, height: 0, names: 0, labels: 0, bars: 0, wide: 0, left: 0, top: 0 };
    /** What is drawn of chips, by row. @type {Map<string, Placed[]>} */
    this.placed = new Map();
    /** The rows that changed since they were drawn; null for all. @type {Set<string> | null} */
    this.dirty = null;
    /** What was drawn last: the layout, and where. */
    this.drawn = { layout: /** @type {Layout | null} */ (null), geometry: this.geometry };
    /** Its size, and how far it is scrolled, in pixels. @type {Box | null} */
    this.box = null;
    this.layers = {
      bars: s("g", { "aria-hidden": "true" }),
      chips: s("g", { role: "group", "aria-label": this.say("frontend.picture.workloads") }),
      arrows: s("g", { class: "kl-arrows", "aria-hidden": "true" }),
      names: s("g", { role: "tree", "aria-label": this.say("frontend.picture.tree") }),
      labels: s("g", { class: "kl-labels", "aria-hidden": "true" }),
    };
    const { pattern, clip, id } = patterns();
    this.ids = id;
    this.clip = clip;
    const { bars, chips, arrows, names, labels } = this.layers;
    this.moving = s("g", {}, bars, chips, arrows);
    this.fixed = s("g", {}, names, labels);
    this.clipped = s("g", { "clip-path": `url(#${id.clip})` }, this.moving);
    this.svg = s("svg", { class: "kl-svg", role: "group" }, pattern, this.clipped, this.fixed);
    put(this.svg, { "aria-label": this.say("frontend.picture.name") });
    this.room = h("div", { class: "kl-room" });
    this.element = h("div", { class: "kl-scroll" }, this.room);
    this.room.append(this.svg);
    this.slides = new Slides(this.layers.chips);
    this.keys = new PictureKeys(this);
    this.waiting = 0;
    /** @type {() => void} */
    this.laidOut = () => {};
    this.element.addEventListener("scroll", () => this.later());
    this.element.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.#drag();
    new ResizeObserver(() => this.resized()).observe(this.element);
    stepping.onSelect(() => this.draw());
  }

  get frame() {
    return this.stepping.frame;
  }

  /**
   * @param {Frame} frame
   * @param {Change} change
   */
  show(frame, { patches, moved }) {
    this.chips.update(frame, patches);
    if (!this.layout || patches === null || patches.some((each) => this.#changesRows(each)))
      this.layOut();
    if (moved) this.#reveal(frame);
    this.draw(moved && patches !== null, patches);
  }

  /** @param {Tree} patch */
  #changesRows({ tree, bars }) {
    if (tree !== undefined || bars === null) return true;
    return Object.values(bars ?? {}).some((each) => each === null || "node" in Object(each));
  }

  /**
   * Returns the rows in which patches changed something; null if a whole part is gone.
   * @param {Tree[]} patches
   * @param {Layout} layout
   */
  #changed(patches, layout) {
    /** @type {Set<string>} */
    const found = new Set();
    if (patches.some(({ bars, chips, queues }) => [bars, chips, queues].includes(null))) return null;
    const places = patches.flatMap(({ bars, queues }) => [bars, queues].flatMap((each) => Object.keys(each ?? {})));
    for (const place of [...places, ...this.chips.changed]) {
      const row = layout.bars.get(place) ?? layout.nodes.get(place);
      if (row) found.add(row.key);
    }
    return found;
  }

  /**
   * Whether a row is as it was drawn.
   * @param {string} key
   */
  stays(key) {
    return this.dirty !== null && !this.dirty.has(key);
  }

  layOut() {
    const scale = this.rowScale * this.tall;
    this.layout = new Layout(this.frame, this.collapsed, this.filter, scale, this.stacked);
    this.laidOut();
  }

  /** Lays out and draws again, after another filter or scale was chosen. */
  again() {
    this.layOut();
    this.draw();
  }

  resized() {
    this.box = null;
    const { width, height } = this.#box();
    const { geometry, size, drawn } = this;
    if (drawn.layout && width / size === geometry.width && height / size === geometry.height) return;
    this.draw();
  }

  later() {
    this.box = null;
    this.waiting ||= requestAnimationFrame(() => {
      this.waiting = 0;
      this.draw();
    });
  }

  /** @param {string} resource @param {number} amount */
  length(resource, amount) {
    const scale = this.stepping.document.scales?.[resource] || 1;
    return Math.min(amount / scale, 1.04 / FULL) * FULL * this.geometry.wide;
  }

  /** Reads the box where it may have changed: all is laid out for that at once. */
  #box() {
    const { element } = this;
    return (this.box ??= {
      outerWidth: element.offsetWidth,
      outerHeight: element.offsetHeight,
      width: element.clientWidth,
      height: element.clientHeight,
      left: element.scrollLeft,
      top: element.scrollTop,
    });
  }

  #measure() {
    const box = this.#box();
    // With the scroll bars: whether they are there depends on the size.
    const tall = this.enlarging.factor(box.outerWidth, box.outerHeight, this.filter);
    const stacked = box.outerWidth < STACKED;
    if (tall !== this.tall || stacked !== this.stacked) {
      this.tall = tall;
      this.stacked = stacked;
      this.layOut();
    }
    const [width, height, left, top] = [box.width, box.height, box.left, box.top].map(
      (each) => each / this.size,
    );
    const longest = this.layout?.names ?? 0;
    const names = stacked ? EDGE : Math.round(Math.max(96, Math.min(longest, width * 0.34, 280)));
    const labels = stacked ? EDGE : box.width < 640 ? 118 : 196;
    const bars = Math.max(60, width - names - labels - 4);
    return { width, height, names, labels, bars, wide: bars * this.zoom, left, top };
  }

  /**
   * @param {boolean} [animated]
   * @param {Tree[] | null} [patches] what changed since it was drawn; null if anything may have
   */
  draw(animated = false, patches = null) {
    const { drawn } = this;
    if (!this.layout || !this.#box().width) {
      this.drawn = { layout: null, geometry: this.geometry };
      return;
    }
    this.geometry = this.#measure();
    const { layout } = this;
    const { top, height } = this.geometry;
    const moved = layout !== drawn.layout || !alike(this.geometry, drawn.geometry);
    if (moved) this.#resize(layout);
    const all = moved || patches === null || this.keys.inChips;
    this.dirty = all ? null : this.#changed(patches, layout);
    this.drawn = { layout, geometry: this.geometry };
    const rows = this.keys.withFocused(layout.between(top - MARGIN, top + height + MARGIN));
    this.slides.before(animated);
    this.#place(rows);
    drawNames(this, rows);
    drawBars(this, rows);
    drawChips(this, rows);
    drawArrows(this, rows);
    drawLabels(this, rows);
    this.slides.after(animated);
  }

  /** @param {Layout} layout */
  #resize(layout) {
    const { size } = this;
    const { width: wholeWidth, height: wholeHeight } = this.#box();
    const { width, height, names, bars, labels, wide, left, top } = this.geometry;
    this.room.style.width = `${(names + labels + 4 + wide) * size}px`;
    this.room.style.height = `${layout.height * size}px`;
    put(this.svg, { width: wholeWidth, height: Math.max(wholeHeight, 1) });
    put(this.svg, { viewBox: `0 0 ${width} ${Math.max(height, 1)}` });
    put(this.clip, { x: names, y: 0, width: bars + 4, height });
    put(this.moving, { transform: `translate(${names - left} ${-top})` });
    put(this.fixed, { transform: `translate(0 ${-top})` });
  }

  /** @param {Row[]} rows */
  #place(rows) {
    const { selection, document } = this.stepping;
    const chosen = selection?.kind === "Workload" ? selection.name : "";
    const length = (/** @type {string} */ resource, /** @type {number} */ amount) => this.length(resource, amount);
    const placing = new Placing(document, length, this.say);
    const before = this.placed;
    this.placed = new Map();
    for (const row of rows) {
      const known = this.stays(row.key) && before.get(row.key);
      if (known) {
        this.placed.set(row.key, known);
        continue;
      }
      const chips = this.chips.at(row.bar || row.node);
      if (!chips.length) continue;
      const bar = this.frame.bars?.[row.bar];
      const room = this.geometry.wide;
      const frame = bar ? this.length(bar.resource, Math.max(bar.nominal, bar.used)) : room;
      this.placed.set(row.key, placing.placed(chips, bar?.resource ?? "", room, chosen, frame));
    }
  }

  /** Scrolls to what the step is about, if it is not visible. @param {Frame} frame */
  #reveal(frame) {
    const { layout } = this;
    const [top, height] = this.#visible();
    if (!layout || !frame.workload || layout.height <= height) return;
    const rows = this.chips
      .of(frame.workload)
      .map((place) => layout.bars.get(place) ?? layout.nodes.get(layout.shown(place)))
      .filter((row) => row !== undefined);
    if (!rows.length) return;
    const visible = (/** @type {Row} */ row) =>
      row.top >= top && row.top + row.height <= top + height;
    if (!rows.some(visible)) this.scrollTo(rows[0]);
  }

  /** Returns which part of the rows is visible: where it begins, and its height. */
  #visible() {
    const { top, height } = this.#box();
    return [top / this.size, height / this.size];
  }

  /** @param {Row} row */
  scrollTo(row) {
    const [top, height] = this.#visible();
    if (row.top < top || row.top + row.height > top + height)
      this.#scroll({ top: Math.max(0, row.top - (height - row.height) / 2) * this.size });
  }

  /** @param {{left?: number, top?: number}} to */
  #scroll(to) {
    this.element.scrollTo({ ...to, behavior: "instant" });
    this.box = null;
  }

  /** @param {string} node */
  toggle(node) {
    if (!this.collapsed.delete(node)) this.collapsed.add(node);
    this.again();
  }

  /** @param {boolean} collapse all below the top, or nothing */
  toggleAll(collapse) {
    const tree = this.frame.tree ?? {};
    this.collapsed = new Set(
      collapse ? Object.keys(tree).filter((each) => this.layout?.children.has(each)) : [],
    );
    this.again();
  }

  /**
   * @param {number} factor
   * @param {number} [x] what stays in its place: pixels from the left of the picture
   */
  zoomBy(factor, x) {
    const { names, bars, left } = this.geometry;
    const at = x === undefined ? bars / 2 : x / this.size - names;
    const before = this.zoom;
    this.zoom = Math.max(ZOOMS.least, Math.min(ZOOMS.most, before * factor));
    if (factor > 1 && this.rowScale < 1) {
      this.rowScale = Math.min(1, this.rowScale * factor);
      this.layOut();
    }
    this.draw();
    this.#scroll({ left: (((left + at) * this.zoom) / before - at) * this.size });
    this.draw();
  }

  /** Makes all rows fit into the height, as far as they stay visible. */
  fit() {
    this.zoom = 1;
    this.rowScale = 1;
    this.layOut();
    const { height } = /** @type {Layout} */ (this.layout);
    this.rowScale = Math.max(0.12, Math.min(1, (this.#visible()[1] - 8) / height));
    this.again();
  }

  /** Shows rows in their own height. */
  reset() {
    this.zoom = 1;
    this.rowScale = 1;
    this.again();
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const { left } = this.element.getBoundingClientRect();
    this.zoomBy(event.deltaY < 0 ? 1.25 : 0.8, event.clientX - left);
  }

  /** Lets the background be dragged. */
  #drag() {
    const { element } = this;
    /** @type {{x: number, y: number, left: number, top: number} | null} */
    let from = null;
    element.addEventListener("pointerdown", (event) => {
      const { scrollLeft: left, scrollTop: top } = element;
      if (event.pointerType === "mouse" && event.button === 0)
        from = { x: event.clientX, y: event.clientY, left, top };
    });
    element.addEventListener("pointermove", (event) => {
      if (!from || !(event.buttons & 1)) return;
      element.scrollLeft = from.left - (event.clientX - from.x);
      element.scrollTop = from.top - (event.clientY - from.y);
    });
    window.addEventListener("pointerup", () => (from = null));
  }
}
