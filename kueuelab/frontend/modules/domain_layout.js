// Where each domain is drawn: areas within areas, as deep as there is room for.

/** @typedef {import("./domain_tree.js").Domain} Domain */

/**
 * @typedef {object} Area
 * @property {Domain} domain
 * @property {number} x
 * @property {number} y
 * @property {number} width
 * @property {number} height
 * @property {number} depth
 * @property {boolean} open whether the domains in it are drawn
 */

const TITLE = 19;
const GAP = 4;
const SMALL_GAP = 2;
/** What is smaller is not drawn: its domain is shown as a whole. */
const LEAST = 9;
/** No more areas are drawn at once. */
const MOST = 1600;
/** How wide a host is, for its height. */
const SHAPE = 1.8;

/**
 * Lays out a domain and those in it.
 * @param {Domain} top
 * @param {number} width
 * @param {number} height
 * @returns {Area[]} parents before children
 */
export function layOut(top, width, height) {
  /** @type {Area[]} */
  const found = [];
  /** @type {Area[]} */
  let row = [{ domain: top, x: 0, y: 0, width, height, depth: 0, open: false }];
  // Level by level: if there are too many in one, none of that level is drawn.
  while (row.length) {
    found.push(...row);
    /** @type {Area[]} */
    const next = [];
    for (const area of row) {
      const inner = inside(area);
      area.open = inner.length > 0;
      next.push(...inner);
    }
    if (found.length + next.length > MOST) {
      for (const area of row) area.open = false;
      break;
    }
    row = next;
  }
  return found;
}

/** @param {Area} area @returns {Area[]} */
function inside({ domain, x, y, width, height, depth }) {
  const { children } = domain;
  if (!children.length) return [];
  const small = width < 90 || height < 60;
  const gap = small ? SMALL_GAP : GAP;
  const title = depth === 0 ? 0 : TITLE;
  const w = width - (depth ? 2 * gap : 0);
  const h = height - title - (depth ? gap : 0);
  if (w < LEAST || h < LEAST) return [];
  const isLeaf = !children[0].children.length;
  const cell = grid(children.length, w, h, gap, isLeaf ? SHAPE : 1.5);
  if (cell.width < LEAST || cell.height < LEAST) return [];
  const left = x + (depth ? gap : 0);
  const top = y + title;
  return children.map((child, place) => ({
    domain: child,
    x: left + (place % cell.columns) * (cell.width + gap),
    y: top + Math.floor(place / cell.columns) * (cell.height + gap),
    width: cell.width,
    height: cell.height,
    depth: depth + 1,
    open: false,
  }));
}

/**
 * Returns the columns that make cells most like a shape.
 * @param {number} count
 * @param {number} width
 * @param {number} height
 * @param {number} gap
 * @param {number} shape width by height
 */
function grid(count, width, height, gap, shape) {
  let best = { columns: 1, width: 0, height: 0 };
  let least = Infinity;
  for (let columns = 1; columns <= count; columns += 1) {
    const rows = Math.ceil(count / columns);
    const w = (width - gap * (columns - 1)) / columns;
    const h = (height - gap * (rows - 1)) / rows;
    if (w <= 0) break;
    if (h <= 0) continue;
    const cost = Math.abs(Math.log(w / h / shape)) + (rows * columns - count) / count;
    if (cost < least) {
      least = cost;
      best = { columns, width: w, height: h };
    }
  }
  // A few hosts are not drawn as large as a screen.
  return { ...best, height: Math.min(best.height, Math.max(90, best.width * 1.2)) };
}
