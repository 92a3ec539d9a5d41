// What views of one run in one page share: the step and the selection. No kernel is needed.

/** @typedef {{step: number, selected: Selected | null}} Place */

export class Board {
  constructor() {
    /** @type {Place} */
    this.place = { step: -1, selected: null };
    /** @type {Set<(place: Place) => void>} */
    this.views = new Set();
  }

  /**
   * @param {Partial<Place>} change
   */
  set(change) {
    this.place = { ...this.place, ...change };
    for (const view of [...this.views]) view(this.place);
  }

  /**
   * @param {(place: Place) => void} view
   * @returns {() => void} leaves the board
   */
  join(view) {
    this.views.add(view);
    return () => this.views.delete(view);
  }
}

/**
 * Returns the board of an id, the same for all views of the page: each widget has its own copy
 * of the modules, so it is kept where all copies find it.
 * @param {string} id
 * @returns {Board}
 */
export function boardOf(id) {
  if (!id) return new Board();
  const page = /** @type {any} */ (globalThis);
  const key = Symbol.for("kueuelab.boards");
  /** @type {Map<string, Board>} */
  const boards = (page[key] ??= new Map());
  const found = boards.get(id) ?? new Board();
  boards.set(id, found);
  return found;
}
