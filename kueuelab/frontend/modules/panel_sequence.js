// The lifecycle of one job across clusters: a lifeline for each cluster, an arrow for each message.

import { fitted, h, put, s } from "./dom.js";

/** @typedef {import("./stepping.js").Stepping} Stepping */

const LANE = 250;
const ROW = 26;
const LEFT = 70;
const TOP = 40;

export class SequencePanel {
  /** @param {Stepping} stepping */
  constructor(stepping) {
    this.stepping = stepping;
    this.sequences = { ...stepping.document.sequences };
    /** The jobs whose lifecycles were asked for. @type {Set<string>} */
    this.asked = new Set();
    this.prompt = h("p", { text: stepping.say("frontend.sequence.prompt") });
    this.area = h("div", { class: "kl-scroller", tabindex: 0, role: "region" });
    this.element = h("div", { class: "kl-sequence" }, this.prompt, this.area);
    /** The sequence that is drawn. @type {SequenceData | null} */
    this.data = null;
    /** @type {SVGElement[]} */
    this.rows = [];
    stepping.onSelect(() => this.selected());
  }

  /** @param {Frame} _ @param {Change} _change */
  show(_, _change) {
    this.selected();
    this.#follow();
  }

  selected() {
    const { selection } = this.stepping;
    const only = Object.values(this.sequences);
    const found =
      this.stepping.document.view === "sequence"
        ? only[0]
        : selection?.kind === "Workload"
          ? (this.sequences[selection.name] ?? null)
          : null;
    if (!found && selection?.kind === "Workload") void this.#ask(selection.name);
    if (found === this.data) return;
    this.data = found;
    this.prompt.hidden = Boolean(found);
    this.rows = [];
    this.area.replaceChildren(...(found ? [this.#drawn(found)] : []));
    put(this.area, { "aria-label": found?.title ?? this.prompt.textContent });
    this.#follow();
  }

  /**
   * Asks for the lifecycle of a job that the document does not tell of.
   * @param {string} workload
   */
  async #ask(workload) {
    if (this.asked.has(workload) || !this.stepping.ask) return;
    this.asked.add(workload);
    const { sequence } = await this.stepping.ask({ ask: "sequence", workload }).catch(() => ({}));
    if (!sequence) return;
    this.sequences[workload] = sequence;
    this.selected();
  }

  /** Marks the last message up to the step that is shown. */
  #follow() {
    const { step } = this.stepping;
    const at = (this.data?.messages ?? []).findLastIndex((each) => each.step <= step);
    this.rows.forEach((row, place) =>
      put(row, {
        class: place === at ? "kl-message kl-message-now" : place > at ? "kl-message kl-message-later" : "kl-message",
        "aria-current": place === at ? "step" : null,
      }),
    );
  }

  /** @param {SequenceData} data */
  #drawn(data) {
    const width = LEFT + LANE * data.clusters.length;
    const height = TOP + ROW * (data.messages.length + 1);
    const places = new Map(data.clusters.map((name, at) => [name, LEFT + 20 + LANE * at]));
    const lines = [...places].flatMap(([name, x]) => [
      s("line", { x1: x, y1: 24, x2: x, y2: height, class: "kl-lifeline" }),
      text(x, 16, name, "middle", "kl-cluster-name"),
    ]);
    this.rows = data.messages.map((message, row) =>
      this.#message(message, places, TOP + ROW * row + ROW / 2, width),
    );
    const size = { width, height, viewBox: `0 0 ${width} ${height}` };
    return s(
      "svg",
      { role: "group", "aria-label": data.title, class: "kl-sequence-svg", ...size },
      ...lines,
      ...this.rows,
    );
  }

  /**
   * @param {SequenceData["messages"][number]} message
   * @param {Map<string, number>} places
   * @param {number} y
   * @param {number} width
   */
  #message(message, places, y, width) {
    const start = places.get(message.source) ?? 0;
    const end = places.get(message.target) ?? 0;
    const way = start === end ? message.source : `${message.source} → ${message.target}`;
    const whole = `${message.at} ${way}: ${message.text}`;
    const parts = [
      s("title", { text: whole }),
      s("rect", { x: 0, y: y - ROW / 2, width, height: ROW, class: "kl-message-ground" }),
      text(LEFT - 12, y + 4, message.at, "end"),
    ];
    if (start === end) {
      parts.push(
        s("circle", { cx: start, cy: y, r: 4 }),
        text(start + 10, y + 4, fitted(message.text, LANE - 20, 12), "start"),
      );
    } else {
      const tip = end - 9 * Math.sign(end - start);
      parts.push(
        s("line", { x1: start, y1: y, x2: end, y2: y, class: "kl-message-line" }),
        s("polygon", { points: `${end},${y} ${tip},${y - 5} ${tip},${y + 5}` }),
        text((start + end) / 2, y - 7, fitted(message.text, Math.abs(end - start) - 20, 12), "middle"),
      );
    }
    const row = s("g", { tabindex: 0, role: "button", "aria-label": whole }, ...parts);
    const go = () => void this.stepping.go(message.step);
    row.addEventListener("click", go);
    row.addEventListener("keydown", (event) => {
      if (event.key === "Enter") go();
    });
    return row;
  }
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} words
 * @param {string} anchor
 * @param {string} [className]
 */
const text = (x, y, words, anchor, className) =>
  s("text", { x, y, "text-anchor": anchor, class: className, text: words });
