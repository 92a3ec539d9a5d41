// What is selected: its numbers, and why it is where it is.

import { amountText } from "./amount.js";
import { has, takenApart } from "./chip_groups.js";
import { h, write } from "./dom.js";
import { numbersOf } from "./picture_table.js";
import { WorkloadExplanation } from "./workload_explanation.js";

/** @typedef {import("./stepping.js").Stepping} Stepping */

export class DetailsPanel {
  /** @param {Stepping} stepping */
  constructor(stepping) {
    this.stepping = stepping;
    this.title = h("h2");
    this.numbers = h("dl", { class: "kl-numbers" });
    this.why = new WorkloadExplanation(stepping);
    this.element = h("div", { class: "kl-details" }, this.title, this.numbers, this.why.element);
    stepping.onSelect(() => this.show(stepping.frame));
  }

  /** @param {Frame} frame */
  show(frame) {
    const { selection, say } = this.stepping;
    if (!selection) {
      write(this.title, say("frontend.details.none"));
      this.numbers.replaceChildren();
      this.why.show("");
      return;
    }
    write(this.title, `${selection.kind} ${selection.name}`);
    const numbers = selection.kind === "Workload" ? this.#ofWorkload(frame, selection.name) : this.#ofNode(frame, selection);
    this.numbers.replaceChildren(
      ...numbers.map(([name, value]) => h("div", {}, h("dt", { text: name }), h("dd", { text: value }))),
    );
    this.why.show(selection.kind === "Workload" ? selection.name : "");
  }

  /**
   * @param {Frame} frame
   * @param {Selected} selected
   */
  #ofNode(frame, { kind, name, cluster = "" }) {
    const { say } = this.stepping;
    const found = Object.entries(frame.tree ?? {}).find(
      ([, node]) => node.kind === kind && node.name === name && (node.cluster ?? "") === cluster,
    );
    /** @type {[string, string][]} */
    const numbers = found ? numbersOf(frame, found[0], say) : [];
    const queue = found && frame.queues?.[found[0]];
    const node = found?.[1];
    if (node?.strategy) numbers.push([say("frontend.number.strategy"), node.strategy]);
    for (const [field, policy] of Object.entries(node?.policies ?? {})) numbers.push([field, policy]);
    if (queue) {
      numbers.push([say("frontend.number.admitted"), String(queue.admitted)]);
      numbers.push([say("frontend.number.pending"), String(queue.pending)]);
    }
    return numbers;
  }

  /** @param {Frame} frame @param {string} name */
  #ofWorkload(frame, name) {
    const { say } = this.stepping;
    const chips = Object.values(frame.chips ?? {})
      .filter((each) => has(each, name))
      .flatMap(takenApart)
      .filter((each) => each.workload === name);
    const candidate = Object.values(frame.candidates ?? {}).find((each) => each.workload === name);
    /** @type {[string, string][]} */
    const numbers = [];
    if (!chips.length) return [[say("frontend.details.missing"), ""]];
    const [first] = chips;
    if (first.phase) numbers.push([say("frontend.details.phase"), first.phase]);
    if (first.priority !== undefined) numbers.push([say("frontend.details.priority"), String(first.priority)]);
    for (const chip of chips) {
      const bar = frame.bars?.[chip.bar ?? ""];
      if (bar)
        numbers.push([
          `${frame.tree?.[bar.node]?.name ?? ""} · ${bar.flavor}/${bar.resource}`,
          amountText(bar.resource, chip.amount ?? 0),
        ]);
      for (const [resource, amount] of Object.entries(chip.asks ?? {}))
        numbers.push([say("frontend.details.requests", { resource }), amountText(resource, amount)]);
      if (chip.why) numbers.push([say("frontend.details.state"), chip.why]);
    }
    if (candidate) numbers.push([candidate.verdict, candidate.why]);
    return numbers;
  }
}
