// What is selected: its numbers, and why it is where it is.

import { amountText } from "./amount.js";
import { h, write } from "./dom.js";
import { nearest } from "./moves.js";
import { numbersOf } from "./picture_table.js";
import { Store } from "./store.js";

/** @typedef {import("./stepping.js").Stepping} Stepping */

export class DetailsPanel {
  /** @param {Stepping} stepping */
  constructor(stepping) {
    this.stepping = stepping;
    this.title = h("h2");
    this.numbers = h("dl", { class: "kl-numbers" });
    this.why = h("div", { class: "kl-why" });
    this.element = h("div", { class: "kl-details" }, this.title, this.numbers, this.why);
    /** The last question of why; older answers are dropped. */
    this.asked = 0;
    stepping.onSelect(() => this.show(stepping.frame));
  }

  /** @param {Frame} frame */
  show(frame) {
    const { selection, say } = this.stepping;
    this.asked += 1;
    if (!selection) {
      write(this.title, say("frontend.details.none"));
      this.numbers.replaceChildren();
      this.why.replaceChildren();
      return;
    }
    write(this.title, `${selection.kind} ${selection.name}`);
    const numbers = selection.kind === "Workload" ? this.#ofWorkload(frame, selection.name) : this.#ofNode(frame, selection);
    this.numbers.replaceChildren(
      ...numbers.map(([name, value]) => h("div", {}, h("dt", { text: name }), h("dd", { text: value }))),
    );
    if (selection.kind === "Workload") void this.#explain(selection.name);
    else this.why.replaceChildren();
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
    const chips = Object.values(frame.chips ?? {}).filter((each) => each.workload === name);
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

  /** @param {string} workload */
  async #explain(workload) {
    const { asked } = this;
    const { stepping } = this;
    const { say, document, step } = stepping;
    const known = document.whys?.of[workload];
    if (!known && !stepping.ask) return this.#said(workload);
    /** @type {Why | undefined} */
    let why;
    if (known) why = whyAt(document, known, step);
    else if (stepping.ask)
      try {
        why = await stepping.ask({ ask: "why", workload, step });
      } catch {
        why = undefined;
      }
    if (asked !== this.asked) return;
    if (!why?.sections) return this.#said(workload, say("frontend.no-kernel.why"));
    this.why.replaceChildren(
      h("h3", { text: why.title }),
      ...why.sections.flatMap(({ title, lines }) => [
        title && title !== why.title ? h("h4", { text: title }) : "",
        h("ul", {}, ...lines.map((line) => this.#line(line))),
      ]),
    );
  }

  /**
   * Lists what the last cycle that mentions a workload says of it, up to this step.
   * @param {string} workload
   * @param {string} [note]
   */
  #said(workload, note) {
    const { index, store, step, say, document } = this.stepping;
    const about = (index.of("workload", workload) ?? []).filter((each) => each <= step);
    const last = about[about.length - 1] ?? -1;
    const cycles = index.of("move", "cycle") ?? [];
    const first = nearest(cycles, last + 1, -1);
    const reader = new Store(document);
    reader.fetched = store.fetched;
    const lines = [];
    let cycle = 0;
    for (const each of about.filter((at) => at >= first && reader.has(at))) {
      reader.go(each);
      lines.push({ text: reader.frame.sentence, step: each });
      cycle = reader.frame.at.cycle;
    }
    const title = say(cycle ? "frontend.details.cycle" : "frontend.details.said", { cycle });
    this.why.replaceChildren(
      ...(note ? [h("p", { class: "kl-soft", text: note })] : []),
      ...(lines.length ? [h("h3", { text: title })] : []),
      h("ul", {}, ...lines.map((line) => this.#line(line))),
    );
  }

  /** @param {{text: string, step?: number}} line */
  #line({ text, step }) {
    const { stepping } = this;
    if (step === undefined) return h("li", { text });
    const link = h("button", {
      type: "button",
      class: "kl-link",
      text: stepping.say("frontend.details.step", { step: step + 1 }),
      onclick: () => void stepping.go(step),
    });
    const here = step === stepping.step;
    return h("li", { class: here ? "kl-here" : null }, `${text} `, link);
  }
}

/**
 * Returns the explanation of a workload that holds at a step.
 * @param {FrameDocument} document
 * @param {[number, PooledWhy][]} known
 * @param {number} step
 * @returns {Why | undefined}
 */
function whyAt(document, known, step) {
  const found = known.findLast(([from]) => from <= step)?.[1];
  const texts = document.whys?.texts ?? [];
  if (!found) return undefined;
  const [title, sections] = found;
  return {
    title: texts[title],
    sections: sections.map(([head, lines]) => ({
      title: texts[head],
      lines: lines.map(([text, from]) => ({ text: texts[text], step: from })),
    })),
  };
}
