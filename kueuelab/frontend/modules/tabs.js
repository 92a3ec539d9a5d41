// Tabs: a panel is made when it is opened first, and only the open one is drawn.

import { freshId, h } from "./dom.js";

/** @typedef {{id: string, title: string, make: () => Panel}} Tab */

export class Tabs {
  /**
   * @param {string} name
   * @param {Tab[]} tabs
   */
  constructor(name, tabs) {
    this.tabs = tabs;
    /** @type {Frame | null} */
    this.frame = null;
    /** The panels that were opened. @type {Map<string, Panel>} */
    this.panels = new Map();
    /** @type {Set<string>} tabs that do not show this frame */
    this.stale = new Set();
    const ids = tabs.map(() => freshId());
    this.heads = tabs.map(({ id, title }, place) =>
      h("button", {
        type: "button",
        role: "tab",
        id: `${ids[place]}-tab`,
        "aria-controls": ids[place],
        "data-tab": id,
        text: title,
        onclick: () => this.open(id),
      }),
    );
    this.bodies = ids.map((id) =>
      h("div", { role: "tabpanel", id, tabindex: 0, "aria-labelledby": `${id}-tab` }),
    );
    const list = h("div", { role: "tablist", "aria-label": name }, ...this.heads);
    list.addEventListener("keydown", (event) => this.#pressed(event));
    this.element = h("section", { class: "kl-tabs", "aria-label": name }, list, ...this.bodies);
    this.current = tabs[0]?.id ?? "";
    this.#mark();
  }

  /**
   * @param {Frame} frame
   * @param {Change} change
   */
  show(frame, change) {
    this.frame = frame;
    for (const { id } of this.tabs)
      if (id === this.current) this.#panel(id).show(frame, change);
      else this.stale.add(id);
  }

  /** @param {string} id */
  open(id) {
    if (!this.tabs.some((each) => each.id === id)) return;
    this.current = id;
    this.#mark();
    const panel = this.#panel(id);
    if (this.frame && this.stale.delete(id)) panel.show(this.frame, { patches: null, moved: false });
  }

  /** @param {string} id */
  #panel(id) {
    const known = this.panels.get(id);
    if (known) return known;
    const place = this.tabs.findIndex((each) => each.id === id);
    const made = this.tabs[place].make();
    this.panels.set(id, made);
    this.bodies[place].append(made.element);
    return made;
  }

  #mark() {
    this.heads.forEach((head, place) => {
      const open = this.tabs[place].id === this.current;
      head.setAttribute("aria-selected", String(open));
      head.tabIndex = open ? 0 : -1;
      this.bodies[place].hidden = !open;
    });
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    const at = this.tabs.findIndex((each) => each.id === this.current);
    const count = this.tabs.length;
    const to = {
      ArrowRight: (at + 1) % count,
      ArrowLeft: (at + count - 1) % count,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.open(this.tabs[to].id);
    this.heads[to].focus();
  }
}
