// The topology by keyboard and mouse: one tab stop, arrows move between domains, Enter zooms in.

/** @typedef {import("./panel_domains.js").DomainsPanel} DomainsPanel */
/** @typedef {import("./domain_tree.js").Domain} Domain */
/** @typedef {import("./domain_layout.js").Area} Area */

export class DomainKeys {
  /** @param {DomainsPanel} panel */
  constructor(panel) {
    this.panel = panel;
    /** The domain that has the tab stop. */
    this.stop = "";
    /** The domain that is pointed to. @type {Domain | null} */
    this.at = null;
    const { svg } = panel;
    svg.addEventListener("keydown", (event) => this.#pressed(event));
    svg.addEventListener("click", (event) => this.#clicked(event));
    svg.addEventListener("focusin", (event) => this.#entered(event));
    svg.addEventListener("pointermove", (event) => this.#point(this.#areaOf(event.target)?.domain ?? null));
    svg.addEventListener("pointerleave", () => this.#point(null));
  }

  /** Gives the tab stop to a domain that is drawn. */
  check() {
    const { areas } = this.panel;
    if (!areas.some(({ domain }) => domain.key === this.stop)) this.stop = areas[1]?.domain.key ?? areas[0]?.domain.key ?? "";
    if (this.at && !areas.some(({ domain }) => domain === this.at)) this.at = null;
  }

  /** @param {EventTarget | null} target */
  #areaOf(target) {
    const element = /** @type {SVGElement | null} */ (/** @type {Element} */ (target).closest("[data-domain]"));
    return this.panel.areas.find(({ domain }) => domain.key === element?.dataset.domain);
  }

  /** @param {Domain | null} domain */
  #point(domain) {
    if (this.at === domain) return;
    this.at = domain;
    this.panel.pointed();
  }

  /** @param {FocusEvent} event */
  #entered(event) {
    const area = this.#areaOf(event.target);
    if (!area) return;
    this.stop = area.domain.key;
    this.#point(area.domain);
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    const { panel } = this;
    const pods = /** @type {SVGElement | null} */ (/** @type {Element} */ (event.target).closest("[data-workload]"));
    if (pods) return panel.stepping.select({ kind: "Workload", name: pods.dataset.workload ?? "" });
    const area = this.#areaOf(event.target);
    if (area) this.#enter(area.domain);
  }

  /** Zooms in, or selects a host. @param {Domain} domain */
  #enter(domain) {
    const { panel } = this;
    if (domain === panel.focus) return panel.zoomOut();
    if (domain.children.length) return panel.zoomTo(domain.key);
    return panel.stepping.select({ kind: "Node", name: domain.name });
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const area = this.#areaOf(event.target);
    if (!area || !this.#moves(event.key, area)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {string} key @param {Area} area */
  #moves(key, { domain, open }) {
    const { areas } = this.panel;
    const row = domain.parent && domain !== this.panel.focus ? domain.parent.children : [domain];
    const place = row.indexOf(domain);
    switch (key) {
      case "ArrowRight":
        return this.focus(row[place + 1] ?? this.#across(domain, 1));
      case "ArrowLeft":
        return this.focus(row[place - 1] ?? this.#across(domain, -1));
      case "ArrowDown":
        return this.focus(open ? domain.children[0] : undefined);
      case "ArrowUp":
        return this.focus(domain === this.panel.focus ? undefined : (domain.parent ?? undefined));
      case "Home":
        return this.focus(areas[0].domain);
      case "End":
        return this.focus(areas[areas.length - 1].domain);
      case "Enter":
      case " ":
        this.#enter(domain);
        return this.focus(this.panel.areas.find((each) => each.domain.key === this.stop)?.domain);
      case "Escape":
      case "Backspace":
        if (this.panel.focus.parent) this.stop = this.panel.focus.key;
        this.panel.zoomOut();
        return this.focus(this.panel.areas.find((each) => each.domain.key === this.stop)?.domain);
      default:
        return false;
    }
  }

  /** The next domain of the same level, in another parent. @param {Domain} domain @param {1 | -1} direction */
  #across(domain, direction) {
    const level = this.panel.areas.filter((each) => each.domain.level === domain.level);
    return level[level.findIndex((each) => each.domain === domain) + direction]?.domain;
  }

  /** @param {Domain | undefined} domain */
  focus(domain) {
    if (!domain) return true;
    this.stop = domain.key;
    this.panel.draw();
    /** @type {SVGElement | null} */ (this.panel.elementOf(domain.key))?.focus({ preventScroll: true });
    return true;
  }
}
