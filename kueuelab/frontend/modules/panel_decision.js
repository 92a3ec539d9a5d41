// The decision of the step: its numbers, Kueue's words, the candidates for preemption, what it changes.

import { shortName } from "./amount.js";
import { MARKS } from "./chips.js";
import { h, keyed, put, write } from "./dom.js";

/** @typedef {import("./stepping.js").Stepping} Stepping */

export class DecisionPanel {
  /** @param {Stepping} stepping */
  constructor(stepping) {
    this.stepping = stepping;
    const { say } = stepping;
    this.title = h("h2");
    this.message = h("p", { class: "kl-kueue" });
    this.numbersOf = h("p", { class: "kl-soft" });
    this.numbers = h("dl", { class: "kl-numbers" });
    this.changed = h("ul", { class: "kl-changed" });
    this.rows = h("tbody");
    const heads = ["rank", "candidate", "verdict", "why"].map((each) =>
      h("th", { scope: "col", text: say(`frontend.candidates.${each}`) }),
    );
    this.candidates = h(
      "table",
      { class: "kl-table kl-candidates" },
      h("caption", { text: say("frontend.candidates") }),
      h("thead", {}, h("tr", {}, ...heads)),
      this.rows,
    );
    this.rest = h("p", { class: "kl-soft" });
    this.changes = h("p", { class: "kl-soft" });
    this.element = h(
      "div",
      { class: "kl-decision" },
      ...[this.title, this.message, this.numbersOf, this.numbers, this.candidates, this.rest, this.changes, this.changed],
    );
    stepping.onSelect(() => this.#select());
  }

  /** @param {Frame} frame */
  show(frame) {
    const { say } = this.stepping;
    write(this.title, frame.title);
    write(this.message, frame.message ? say("frontend.kueue-says", { message: frame.message }) : "");
    this.message.hidden = !frame.message;
    write(this.numbersOf, frame.numbersOf ?? "");
    this.numbersOf.hidden = !frame.numbersOf;
    const changed = (frame.changed ?? "").split("\n").filter(Boolean);
    write(this.changes, say(changed.length ? "frontend.decision.changed" : "frontend.decision.changes-nothing"));
    keyed(
      this.changed,
      changed.map((text, place) => [String(place), text]),
      () => h("li"),
      (element, text) => write(element, text),
    );
    const numbers = Object.entries(frame.numbers ?? {});
    keyed(
      this.numbers,
      numbers,
      () => h("div", {}, h("dt"), h("dd")),
      (element, [name, value]) => {
        write(element.firstChild, name);
        write(element.lastChild, value);
      },
    );
    const { more, ...listed } = frame.candidates ?? {};
    const candidates = Object.entries(listed);
    // Of very many candidates the last row only counts the others.
    const count = /** @type {{count?: number} | undefined} */ (/** @type {unknown} */ (more))?.count;
    write(this.rest, count ? say("frontend.candidates.rest", { count }) : "");
    this.candidates.hidden = !candidates.length;
    keyed(
      this.rows,
      candidates,
      () => this.#row(),
      (element, candidate) => this.#fill(element, candidate),
    );
    this.#select();
  }

  #row() {
    const link = h("button", { type: "button", class: "kl-link" });
    const row = h("tr", {}, h("td"), h("td", {}, link), h("td"), h("td"));
    link.addEventListener("click", () => {
      const { workload = "", queue = "" } = row.dataset;
      this.stepping.select(workload ? { kind: "Workload", name: workload } : { kind: "ClusterQueue", name: queue });
    });
    return row;
  }

  /** @param {HTMLTableRowElement} row @param {Candidate} candidate */
  #fill(row, { rank, workload, queue, verdict, role, why, step }) {
    const { say } = this.stepping;
    const [first, second, third, fourth] = row.cells;
    put(row, { "data-workload": workload || null, "data-queue": queue, "data-step": step });
    write(first, rank ? String(rank) : "");
    const link = /** @type {HTMLElement} */ (second.firstElementChild);
    write(link, workload ? shortName(workload) : say("frontend.candidates.all-of", { queue }));
    link.title = workload || queue;
    const mark = MARKS[/** @type {keyof typeof MARKS} */ (role ?? "")];
    write(third, mark ? `${mark} ${verdict}` : verdict);
    write(fourth, why);
  }

  #select() {
    const { selection } = this.stepping;
    for (const row of this.rows.rows)
      row.classList.toggle("kl-chosen", selection !== null && row.dataset.workload === selection.name);
  }
}
