// Tabs: only the panel that is open is drawn.

import { freshId, h } from "./dom.js";

/** @typedef {{id: string, title: string, panel: Panel}} Tab */

export class Tabs {
  /**
   * @param {string} name
   * @param {Tab[]} tabs
   */
  constructor(name, tabs) {
    this.tabs = tabs;
    /** @type {Frame | null} */
    this.frame = null;
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
    this.bodies = tabs.map(({ panel }, place) =>
      h(
        "div",
        { role: "tabpanel", id: ids[place], tabindex: 0, "aria-labelledby": `${ids[place]}-tab` },
        panel.element,
      ),
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
    for (const { id, panel } of this.tabs)
      if (id === this.current) panel.show(frame, change);
      else this.stale.add(id);
  }

  /** @param {string} id */
  open(id) {
    const tab = this.tabs.find((each) => each.id === id);
    if (!tab) return;
    this.current = id;
    this.#mark();
    if (this.frame && this.stale.delete(id)) tab.panel.show(this.frame, { patches: null, moved: false });
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
