// The search for a place: which domains it judges, in which order, and why not the others.

import { button, h, write } from "./dom.js";
import { signed } from "./icons.js";

/** @typedef {import("./panel_domains.js").DomainsPanel} DomainsPanel */
/** @typedef {import("./domain_tree.js").Domain} Domain */

/** How a verdict is drawn. */
const ROLES = /** @type {Record<string, string>} */ ({
  chosen: "chosen",
  "too-small": "rejected",
  "no-leader": "rejected",
  "less-tight": "candidate",
  "not-needed": "candidate",
});

/** The domains of a search, which can be gone through one by one. */
export class Judging {
  /** @param {DomainsPanel} panel */
  constructor(panel) {
    this.panel = panel;
    const { say } = panel;
    /** @type {JudgedDomain[]} */
    this.rows = [];
    /** So many of them are shown. */
    this.shown = 0;
    /** The last one of each domain that is shown. @type {Map<string, JudgedDomain>} */
    this.byDomain = new Map();
    const move = (/** @type {1 | -1} */ by) => () => this.#show(this.shown + by);
    const previous = say("frontend.domains.judged.previous");
    const next = say("frontend.domains.judged.next");
    this.previous = signed(button("", "", move(-1)), "previous", previous, previous);
    this.next = signed(button("", "", move(1)), "next", next, next);
    this.said = h("span", { "aria-live": "polite" });
    this.element = h("div", { class: "kl-judging", role: "group", "aria-label": say("frontend.domains.judged.name") }, this.previous, this.next, this.said);
  }

  /** @param {Frame} frame @param {string} flavor */
  read(frame, flavor) {
    this.rows = Object.values(frame.judged ?? {}).filter(({ domain }) => domain.startsWith(`${flavor}|`));
    this.#count(this.rows.length);
  }

  /** @param {number} count */
  #count(count) {
    this.shown = Math.max(1, Math.min(count, this.rows.length));
    this.byDomain = new Map(this.rows.slice(0, this.shown).map((row) => [row.domain, row]));
  }

  /** @param {number} count */
  #show(count) {
    this.#count(count);
    this.panel.draw();
  }

  draw() {
    const { rows, shown, panel } = this;
    this.element.hidden = !rows.length;
    if (!rows.length) return;
    const row = rows[shown - 1];
    const domain = panel.tree?.domains.get(row.domain);
    this.previous.disabled = shown <= 1;
    this.next.disabled = shown >= rows.length;
    const values = { number: shown, count: rows.length, domain: domain ? panel.nameOf(domain) : row.domain, verdict: this.#verdict(row) };
    write(this.said, panel.say("frontend.domains.judged", values));
  }

  /** @param {JudgedDomain} row */
  #verdict(row) {
    return this.panel.say(`frontend.domains.verdict.${row.verdict}`, { fits: row.fits, count: row.given ?? 0 });
  }

  /** @param {Domain} domain */
  of(domain) {
    return this.byDomain.get(domain.key);
  }

  /** @param {Domain} domain */
  role(domain) {
    return ROLES[this.of(domain)?.verdict ?? ""] ?? "";
  }

  /** What is said of a domain. @param {Domain} domain */
  text(domain) {
    const row = this.of(domain);
    return row ? this.#verdict(row) : "";
  }
}
