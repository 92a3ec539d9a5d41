// The picture by keyboard: the tree is one tab stop, arrows move in it and in a row's chips.

/** @typedef {import("./picture.js").Picture} Picture */
/** @typedef {import("./layout.js").Row} Row */

export class PictureKeys {
  /** @param {Picture} picture */
  constructor(picture) {
    this.picture = picture;
    /** The row that has the tab stop. */
    this.row = "";
    /** Whether a chip has the focus: only then are all texts of chips written. */
    this.inChips = false;
    /** The layout that has the row. @type {import("./layout.js").Layout | null} */
    this.checked = null;
    const { svg } = picture;
    svg.addEventListener("keydown", (event) => this.#pressed(event));
    svg.addEventListener("click", (event) => this.#clicked(event));
    svg.addEventListener("focusin", (event) => this.#entered(event));
    svg.addEventListener("focusout", () => (this.inChips = false));
  }

  /** @param {string} key */
  isStop(key) {
    const { layout } = this.picture;
    if (layout !== this.checked) {
      this.checked = layout;
      if (!layout?.rows.some((row) => row.key === this.row)) this.row = layout?.rows[0]?.key ?? "";
    }
    return key === this.row;
  }

  /**
   * Adds the row with the tab stop where it is not visible: else it would lose the focus.
   * @param {Row[]} rows
   */
  withFocused(rows) {
    const { layout } = this.picture;
    if (!layout || rows.some((row) => row.key === this.row)) return rows;
    const row = layout.rows.find((each) => each.key === this.row);
    return row ? [...rows, row] : rows;
  }

  /** @param {FocusEvent} event */
  #entered(event) {
    const target = /** @type {SVGElement} */ (event.target);
    const item = target.closest("[role=treeitem]");
    this.inChips = target.closest("[data-chip]") !== null;
    const row = item ? /** @type {SVGElement} */ (item).dataset.key ?? "" : this.row;
    const moved = row !== this.row;
    this.row = row;
    if (moved || this.inChips) this.picture.draw();
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    const { picture } = this;
    const target = /** @type {SVGElement} */ (event.target);
    const chip = /** @type {SVGElement | null} */ (target.closest("[data-chip]"));
    const part = /** @type {SVGElement | null} */ (target.closest("[data-part]"));
    if (chip) return this.#choose(chip.dataset.chip ?? "", part?.dataset.part);
    const row = /** @type {SVGElement | null} */ (target.closest("[data-key]"));
    const found = picture.layout?.rows.find((each) => each.key === row?.dataset.key);
    if (!found) return;
    if (target.classList.contains("kl-toggle")) picture.toggle(found.node);
    else this.#select(found.node);
  }

  /** @param {string} node */
  #select(node) {
    const { picture } = this;
    const { kind, name, cluster } = picture.frame.tree?.[node] ?? { kind: "", name: "" };
    picture.stepping.select(cluster ? { kind, name, cluster } : { kind, name });
  }

  /** @param {string} key @param {string} [part] the slice or variant in it */
  #choose(key, part) {
    const { picture } = this;
    for (const [row, placed] of picture.placed)
      for (const each of placed)
        if (each.key === key) {
          if (each.workloads.length === 1 && each.chip.workload) {
            const cluster = picture.frame.tree?.[this.#node(row)]?.cluster;
            const found = { kind: "Workload", name: part ?? each.chip.workload };
            picture.stepping.select(cluster ? { ...found, cluster } : found);
          } else this.#select(this.#node(row));
          return;
        }
  }

  /** @param {string} row */
  #node(row) {
    return this.picture.layout?.rows.find((each) => each.key === row)?.node ?? "";
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {SVGElement} */ (event.target);
    const chip = /** @type {SVGElement | null} */ (target.closest("[data-chip]"));
    const handled = chip ? this.#onChip(event.key, chip) : this.#onRow(event.key);
    if (handled) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  /** @param {string} key */
  #onRow(key) {
    const { picture } = this;
    const rows = picture.layout?.rows ?? [];
    const at = rows.findIndex((each) => each.key === this.row);
    const row = rows[at];
    if (!row) return false;
    const has = picture.layout?.children.has(row.node);
    const open = !picture.collapsed.has(row.node);
    switch (key) {
      case "ArrowDown":
        return this.#focusRow(rows[at + 1]);
      case "ArrowUp":
        return this.#focusRow(rows[at - 1]);
      case "Home":
        return this.#focusRow(rows[0]);
      case "End":
        return this.#focusRow(rows[rows.length - 1]);
      case "ArrowRight":
        if (has && !open) picture.toggle(row.node);
        else if (!this.#focusChip(picture.placed.get(row.key)?.[0]?.key)) this.#focusRow(rows[at + 1]);
        return true;
      case "ArrowLeft":
        if (has && open && row.named) picture.toggle(row.node);
        else this.#focusRow(picture.layout?.nodes.get(picture.frame.tree?.[row.node]?.parent ?? ""));
        return true;
      case "Enter":
      case " ":
        this.#select(row.node);
        return true;
      default:
        return false;
    }
  }

  /** @param {string} key @param {SVGElement} chip */
  #onChip(key, chip) {
    const { picture } = this;
    const id = chip.dataset.chip ?? "";
    const row = [...picture.placed].find(([, placed]) => placed.some((each) => each.key === id));
    const placed = row?.[1] ?? [];
    const at = placed.findIndex((each) => each.key === id);
    const rows = picture.layout?.rows ?? [];
    const line = rows.findIndex((each) => each.key === row?.[0]);
    switch (key) {
      case "ArrowRight":
        this.#focusChip(placed[at + 1]?.key);
        return true;
      case "ArrowLeft":
        return at > 0 ? this.#focusChip(placed[at - 1].key) : this.#focusRow(rows[line]);
      case "ArrowDown":
        return this.#focusRow(rows[line + 1]);
      case "ArrowUp":
        return this.#focusRow(rows[line - 1]);
      case "Escape":
        return this.#focusRow(rows[line]);
      case "Enter":
      case " ":
        this.#choose(id);
        return true;
      default:
        return false;
    }
  }

  /** @param {Row | undefined} row */
  #focusRow(row) {
    if (!row) return true;
    const { picture } = this;
    this.row = row.key;
    picture.scrollTo(row);
    picture.draw();
    for (const each of picture.layers.names.children)
      if (/** @type {SVGElement} */ (each).dataset.key === row.key)
        /** @type {SVGElement} */ (each).focus({ preventScroll: true });
    return true;
  }

  /** @param {string | undefined} key */
  #focusChip(key) {
    for (const each of this.picture.layers.chips.children)
      if (key !== undefined && /** @type {SVGElement} */ (each).dataset.chip === key) {
        /** @type {SVGElement} */ (each).focus({ preventScroll: true });
        return true;
      }
    return false;
  }
}
