// The lanes of the MultiKueue board: each cluster with its queues and the copies that it has.

import { h, keyed, put, write } from "./dom.js";
import { shortName } from "./amount.js";

/** @typedef {import("./stepping.js").Stepping} Stepping */

/** Up to so many chips of a lane are shown with words. */
const ROOMY = 8;

/**
 * The entries of an object in their order.
 * @template {{order: number}} T
 * @param {Record<string, T> | undefined} found
 * @returns {[string, T][]}
 */
export const ordered = (found) =>
  Object.entries(found ?? {}).sort((one, other) => one[1].order - other[1].order);

/** @param {string} text */
const capital = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);

export class LanesPanel {
  /** @param {Stepping} stepping */
  constructor(stepping) {
    this.stepping = stepping;
    this.say = stepping.say;
    /** @type {Frame | null} */
    this.frame = null;
    /** The lanes that were drawn, by cluster, with what of the selection they show.
     * @type {Map<string, string>} */
    this.drawn = new Map();
    this.lanes = h("div", { class: "kl-lanes" });
    this.notes = h("ul", { class: "kl-notes", "aria-label": this.say("frontend.clusters.notes") });
    this.told = h("p", { class: "kl-problem", role: "alert" });
    this.element = h("div", { class: "kl-clusters" }, this.lanes, this.told, this.#legend(), this.notes);
    stepping.onSelect(() => this.selected());
  }

  /** @param {Frame} frame @param {Change} change */
  show(frame, change) {
    this.frame = frame;
    /** @type {Set<string> | null} the clusters in which something changed */
    let touched = null;
    if (change.patches) {
      touched = new Set();
      for (const patch of change.patches)
        for (const name of Object.keys(patch.lanes ?? {})) touched.add(name);
    }
    if (!touched || touched.size) this.#draw(touched);
    if (!change.patches || change.patches.some((patch) => "notes" in patch)) this.#note(frame);
  }

  selected() {
    if (this.frame) this.#draw(null);
  }

  #legend() {
    const items = ["waits", "reserved", "admitted", "won", "removed", "evicted", "twice", "finished"];
    return h(
      "p",
      { class: "kl-legend" },
      ...items.flatMap((kind, at) => [
        at ? " · " : "",
        h("span", { text: this.say(`frontend.clusters.mark.${kind}`) }),
      ]),
    );
  }

  /** @param {Set<string> | null} touched */
  #draw(touched) {
    keyed(
      this.lanes,
      ordered(this.frame?.lanes),
      (_, name) => this.#made(name),
      (element, lane, name) => {
        if (!touched || touched.has(name)) this.#fill(element, lane, name);
      },
    );
  }

  /** @param {string} name */
  #made(name) {
    const parts = {
      role: h("span", { class: "kl-soft" }),
      good: h("div"),
      buttons: h("div", { class: "kl-lane-buttons" }),
      queues: h("div", { class: "kl-lane-queues" }),
      chips: h("div", { class: "kl-lane-chips" }),
      more: h("span", { class: "kl-soft" }),
      bad: h("div", { class: "kl-lane-bad" }),
    };
    const title = h("div", { class: "kl-lane-title" }, h("strong", { text: name }), parts.role);
    const element = h(
      "section",
      { class: "kl-lane", "aria-label": this.say("frontend.clusters.lane", { cluster: name }) },
      h("div", { class: "kl-lane-head" }, title, parts.good, parts.buttons),
      parts.queues,
      h("div", { class: "kl-lane-chips-and-more" }, parts.chips, parts.more),
      parts.bad,
    );
    /** @type {any} */ (element).parts = parts;
    return element;
  }

  /** @param {any} element @param {Lane} lane @param {string} name */
  #fill(element, lane, name) {
    const { parts } = element;
    put(element, { class: `kl-lane kl-${lane.kind}` });
    write(parts.role, lane.role);
    keyed(
      parts.buttons,
      Object.entries(lane.faults ?? {}),
      (_, place) => this.#fault(name, place),
      (node, fault) => {
        const hover = this.say("frontend.clusters.fault", { fault, cluster: name });
        put(node, { text: capital(fault.replace(/^(drain|resume) .*/, "$1 queue")), title: hover, "aria-label": hover });
      },
    );
    const statuses = Object.entries(lane.statuses ?? {});
    const line = (/** @type {boolean} */ ok) =>
      statuses.filter(([, status]) => status.ok === ok);
    const status = (/** @type {Element} */ node, /** @type {{text: string}} */ each) =>
      write(node, each.text);
    keyed(parts.good, line(true), () => h("div", { class: "kl-status" }), status);
    keyed(parts.bad, line(false), () => h("div", { class: "kl-status kl-bad" }), status);
    keyed(
      parts.queues,
      ordered(lane.queues),
      () => h("div", { class: "kl-lane-queue" }, h("div"), h("div", {}, h("div"))),
      (node, queue) => this.#queue(node, queue),
    );
    const chips = ordered(lane.chips);
    const short = chips.length > ROOMY;
    keyed(
      parts.chips,
      chips,
      (_, workload) => this.#chip(name, workload),
      (node, chip, workload) => this.#mark(node, chip, workload, short),
    );
    write(parts.more, lane.more ?? "");
  }

  /** @param {string} cluster @param {string} place */
  #fault(cluster, place) {
    const node = h("button", { type: "button" });
    node.addEventListener("click", () => void this.#inject(cluster, place));
    return node;
  }

  /**
   * A fault starts another run: the kernel does that, where there is one.
   * @param {string} cluster
   * @param {string} place
   */
  async #inject(cluster, place) {
    const fault = this.frame?.lanes?.[cluster]?.faults?.[place] ?? "";
    write(this.told, "");
    try {
      if (!this.stepping.ask) throw new Error();
      // The kernel may not have heard yet where the view is.
      const { step, elapsed, selection } = this.stepping;
      const selected = /** @type {Tree} */ ({ ...selection });
      const question = { ask: "inject", fault, cluster, step, elapsed, selected };
      const { problem = "" } = await this.stepping.ask(question);
      write(this.told, problem);
    } catch {
      write(this.told, this.say("frontend.clusters.no-kernel"));
    }
  }

  /** @param {Element} node @param {LaneQueue} queue */
  #queue(node, queue) {
    const [text, bar] = [...node.children];
    const { used, nominal } = queue;
    const share = nominal > 0 ? (100 * used) / nominal : used > 0 ? 100 : 0;
    put(text, { class: queue.stopped ? "kl-bad" : "", text: queue.text });
    put(bar, { class: share > 100 ? "kl-bar kl-over" : "kl-bar", "aria-hidden": "true" });
    put(bar.children[0], { style: `width:${Math.min(Math.floor(share), 100)}%` });
  }

  /** @param {string} cluster @param {string} workload */
  #chip(cluster, workload) {
    const node = h("button", { type: "button" });
    node.addEventListener("click", () => {
      const chip = this.frame?.lanes?.[cluster]?.chips?.[workload];
      if (chip) this.stepping.select({ kind: "Workload", name: workload, cluster: chip.cluster });
    });
    return node;
  }

  /** @param {Element} node @param {LaneChip} chip @param {string} workload @param {boolean} short */
  #mark(node, chip, workload, short) {
    const chosen = this.stepping.selection;
    const picked = chosen?.name === workload && (chosen.cluster ?? "") === chip.cluster;
    const name = shortName(workload);
    const label = `${chip.mark} ${name}: ${chip.text}`;
    const hover = this.say("frontend.clusters.select-chip", { label, name });
    put(node, {
      class: `kl-lane-chip kl-lane-chip-${chip.kind}${picked ? " kl-picked" : ""}`,
      "aria-pressed": String(picked),
      "aria-label": hover,
      title: hover,
      text: short ? `${chip.mark} ${name}` : label,
    });
  }

  /** @param {Frame} frame */
  #note(frame) {
    keyed(
      this.notes,
      Object.entries(frame.notes ?? {}),
      () => h("li"),
      (node, note) =>
        put(node, {
          class: `kl-note-${note.kind}`,
          text: (note.kind === "hazard" ? "⚠ " : "⇄ ") + note.text,
        }),
    );
    this.notes.hidden = !this.notes.childElementCount;
  }
}
