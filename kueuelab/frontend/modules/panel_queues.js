// The queues: what is pending where, in which order and why. Each queue opens by a button.

import { amountText, shortName } from "./amount.js";
import { takenApart } from "./chip_groups.js";
import { freshId, h, keyed, put, write } from "./dom.js";

/** @typedef {import("./stepping.js").Stepping} Stepping */

/** Up to so many queues are open from the start. */
const FEW = 6;
/** So many rows of a queue are shown. */
const MOST = 60;

export class QueuesPanel {
  /** @param {Stepping} stepping */
  constructor(stepping) {
    this.stepping = stepping;
    this.say = stepping.say;
    /** The queues that are open. @type {Set<string> | null} */
    this.open = null;
    this.element = h("div", { class: "kl-queues" });
    stepping.onSelect(() => this.show(stepping.frame));
  }

  /** @param {Frame} frame */
  show(frame) {
    const { tree = {}, queues = {} } = frame;
    const order = (/** @type {string} */ node) => tree[node]?.order ?? 0;
    const all = Object.keys(queues).sort((one, other) => order(one) - order(other));
    this.open ??= new Set(all.length <= FEW ? all : []);
    // A queue that is selected is the only one that is shown.
    const { selection } = this.stepping;
    const only = selection?.kind === "ClusterQueue" && all.find((node) => tree[node]?.name === selection.name);
    const nodes = only ? [only] : all;
    if (only) this.open.add(only);
    const pending = this.open.size ? pendingChips(frame) : new Map();
    keyed(
      this.element,
      nodes.map((node) => [node, queues[node]]),
      (_, node) => this.#section(node),
      (section, queue, node) =>
        this.#fill(section, queue, tree[node]?.name ?? node, node, pending.get(node) ?? []),
    );
  }

  /** @param {string} node */
  #section(node) {
    const id = freshId();
    const head = h("button", { type: "button", class: "kl-fold", "aria-controls": id });
    head.addEventListener("click", () => {
      if (!this.open?.delete(node)) this.open?.add(node);
      this.show(this.stepping.frame);
    });
    return h("section", {}, h("h2", {}, head), h("div", { id }));
  }

  /**
   * @param {HTMLElement} section
   * @param {Queue} queue
   * @param {string} name
   * @param {string} node
   * @param {Chip[]} chips
   */
  #fill(section, queue, name, node, chips) {
    const head = /** @type {HTMLElement} */ (section.firstElementChild?.firstElementChild);
    const body = /** @type {HTMLElement} */ (section.lastElementChild);
    const open = this.open?.has(node) ?? false;
    put(section, { "aria-label": name });
    put(head, { "aria-expanded": String(open) });
    const id = queue.inactive ? "frontend.queues.inactive" : "frontend.queues.active";
    write(head, this.say(id, { queue: name, admitted: queue.admitted, pending: queue.pending }));
    body.hidden = !open;
    if (!open) return body.replaceChildren();
    if (!queue.pending)
      return body.replaceChildren(h("p", { class: "kl-soft", text: this.say("frontend.queues.none") }));
    const columns = ["position", "workload", "priority", "requests", "why"].map((each) =>
      h("th", { scope: "col", text: this.say(`frontend.queues.${each}`) }),
    );
    const rows = this.#rows(queue, chips.slice(0, MOST));
    const rest = queue.pending - rows.length;
    const table = h("table", { class: "kl-table" }, h("caption", { class: "kl-hidden", text: name }), h("thead", {}, h("tr", {}, ...columns)), h("tbody", {}, ...rows));
    return body.replaceChildren(
      table,
      ...(rest > 0 ? [h("p", { class: "kl-soft", text: this.say("frontend.table.rest", { count: rest }) })] : []),
    );
  }

  /** @param {Queue} queue @param {Chip[]} chips */
  #rows(queue, chips) {
    const { selection } = this.stepping;
    let position = 0;
    return inOrder(chips, queue.first).map((chip) => {
      const { workload, place = "" } = chip;
      const queued = place === "active" || place === "inflight";
      if (queued) position += 1;
      const asks = Object.entries(chip.asks ?? {}).map(
        ([resource, amount]) => `${amountText(resource, amount)} ${resource}`,
      );
      const where = this.say(`frontend.queues.place.${place || "none"}`);
      const first = workload === queue.first && queued;
      const says = first ? this.say("frontend.queues.place.first", { place: where }) : where;
      const picked = selection?.kind === "Workload" && selection.name === workload;
      return h(
        "tr",
        { class: picked ? "kl-chosen" : null },
        h("td", { text: queued ? String(position) : "–" }),
        h("td", {}, this.#link(workload)),
        h("td", { text: String(chip.priority ?? "") }),
        h("td", { text: asks.join(", ") }),
        h("td", { text: [says, chip.why].filter(Boolean).join(": ") }),
      );
    });
  }

  /** @param {string} workload */
  #link(workload) {
    const text = shortName(workload);
    const select = () => this.stepping.select({ kind: "Workload", name: workload });
    return h("button", { type: "button", class: "kl-link", text, title: workload, onclick: select });
  }
}

/**
 * Returns the pending workloads by the ClusterQueue that their LocalQueue leads to.
 * @param {Frame} frame
 */
function pendingChips(frame) {
  /** @type {Map<string, Chip[]>} */
  const found = new Map();
  for (const chip of Object.values(frame.chips ?? {})) {
    if (!chip.queue || !chip.workload) continue;
    const parent = frame.tree?.[chip.queue]?.parent ?? "";
    const known = found.get(parent);
    if (known) known.push(...takenApart(chip));
    else found.set(parent, takenApart(chip));
  }
  return found;
}

const PLACES = ["inflight", "active", "inadmissible"];

/**
 * The order of a queue: the one that waits for what it preempted, those in the queue, the others.
 * @param {Chip[]} chips
 * @param {string} [first]
 */
function inOrder(chips, first) {
  const rank = (/** @type {Chip} */ { place = "" }) => (PLACES.indexOf(place) + 4) % 4;
  return chips.sort(
    (one, other) =>
      Number(other.workload === first) - Number(one.workload === first) ||
      rank(one) - rank(other) ||
      (other.priority ?? 0) - (one.priority ?? 0) ||
      (one.since ?? 0) - (other.since ?? 0) ||
      (one.workload < other.workload ? -1 : 1),
  );
}
