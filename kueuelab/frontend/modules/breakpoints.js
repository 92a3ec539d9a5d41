// Where to stop: a workload to follow, an event, a queue, a message; several are kept.

import { button, choice, freshId, h, write } from "./dom.js";

/** @typedef {import("./stepping.js").Stepping} Stepping */
/** @typedef {import("./player.js").Player} Player */
/** @typedef {import("./moves.js").Condition} Condition */

/** So many workloads are offered; others are typed. */
const OFFERED = 500;

export class Breakpoints {
  /**
   * @param {Stepping} stepping
   * @param {Player} player
   */
  constructor(stepping, player) {
    this.stepping = stepping;
    const { say, index, document } = stepping;
    /** @type {Condition[]} */
    this.kept = (document.stops ?? []).map((event) => ({ event }));
    const any = /** @type {[string, string]} */ (["", say("frontend.breakpoint.anything")]);
    const named = (/** @type {string[]} */ names) => names.map((each) => /** @type {[string, string]} */ ([each, each]));
    const list = freshId();
    this.follow = h("input", {
      type: "text",
      list,
      size: 14,
      title: say("frontend.follow.hover"),
      placeholder: say("frontend.breakpoint.anything"),
      "aria-label": say("frontend.follow"),
      onchange: () => this.#followed(),
    });
    const workloads = (document.workloads ?? index.names("workload")).slice(0, OFFERED);
    this.offered = h("datalist", { id: list });
    const offer = () => this.offered.append(...workloads.map((value) => h("option", { value })));
    this.follow.addEventListener("focus", offer, { once: true });
    // Of more workloads than are offered the kernel knows the others.
    if (stepping.ask && workloads.length === OFFERED)
      this.follow.addEventListener("input", () => void this.#search(this.follow.value.trim()));
    const events = index.names("event");
    const sayEvent = (/** @type {string} */ name) => {
      const slug = name.toLowerCase().replace(/[^a-z]+/g, "-");
      const id = `frontend.event.${slug}`;
      return id in document.words.messages ? say(id) : name;
    };
    this.eventText = sayEvent;
    this.event = choice(say("frontend.stop-at"), say("frontend.stop-at.hover"), [any, ...events.map((each) => /** @type {[string, string]} */ ([each, sayEvent(each)]))], () => this.refresh());
    this.queue = choice(say("frontend.breakpoint.queue"), say("frontend.breakpoint.queue.hover"), [any, ...named(index.names("queue"))], () => this.refresh());
    this.message = h("input", {
      type: "text",
      size: 12,
      placeholder: say("frontend.breakpoint.message.placeholder"),
      title: say("frontend.breakpoint.message.hover"),
      "aria-label": say("frontend.breakpoint.message"),
      oninput: () => this.refresh(),
    });
    this.match = choice(
      say("frontend.breakpoint.match"),
      say("frontend.breakpoint.match.hover"),
      [
        ["all", say("frontend.breakpoint.all")],
        ["any", say("frontend.breakpoint.any")],
      ],
      () => this.refresh(),
    );
    this.keep = button(say("frontend.breakpoint.keep"), say("frontend.breakpoint.keep.hover"), () => this.#keep());
    this.said = h("p", { class: "kl-soft", role: "status" });
    this.chips = h("div", { class: "kl-kept" });
    const runBack = button(say("frontend.run-back"), say("frontend.run-back.hover"), () => void this.run(-1));
    const runOn = button(say("frontend.run-on"), say("frontend.run-on.hover"), () => void this.run(1));
    const id = freshId();
    const more = h(
      "div",
      { class: "kl-breakpoints", id, hidden: true },
      this.queue.element,
      h("label", { class: "kl-field" }, h("span", { text: say("frontend.breakpoint.message") }), this.message),
      this.match.element,
      this.keep,
      this.said,
      this.chips,
    );
    const fold = h("button", { type: "button", "aria-controls": id, "aria-expanded": "false", title: say("frontend.breakpoints.hover"), text: say("frontend.breakpoints") });
    fold.addEventListener("click", () => {
      more.hidden = !more.hidden;
      fold.setAttribute("aria-expanded", String(!more.hidden));
    });
    this.element = h(
      "div",
      { class: "kl-stops", role: "group", "aria-label": say("frontend.breakpoints.name") },
      h("label", { class: "kl-field" }, h("span", { text: say("frontend.follow") }), this.follow, this.offered),
      this.event.element,
      runBack,
      runOn,
      fold,
      more,
    );
    // Following a workload is no reason to stop at each step about it while playing.
    player.conditions = () => this.conditions(this.#typed(false) !== null);
    stepping.onSelect((selected) => {
      this.follow.value = selected?.kind === "Workload" ? selected.name : "";
      this.refresh();
    });
    this.refresh();
  }

  /** @param {boolean} [followed] whether the workload is a condition */
  conditions(followed = true) {
    const typed = this.#typed(followed);
    return typed ? [typed, ...this.kept] : this.kept;
  }

  /** @param {1 | -1} direction */
  async run(direction) {
    const { stepping } = this;
    const conditions = this.conditions();
    if (!conditions.length) return void stepping.move(direction, "step");
    const found = await stepping.until(conditions, direction);
    if (!found && !stepping.problem) write(this.said, stepping.say("frontend.breakpoint.none-left"));
    else this.refresh();
  }

  /** @param {boolean} followed @returns {Condition | null} */
  #typed(followed) {
    /** @type {Condition} */
    const found = {};
    if (followed && this.follow.value) found.workload = this.follow.value;
    if (this.event.select.value) found.event = this.event.select.value;
    if (this.queue.select.value) found.queue = this.queue.select.value;
    if (this.message.value && !this.#mistake()) found.message = this.message.value;
    if (!Object.keys(found).length) return null;
    if (this.match.select.value === "any") found.any = true;
    return found;
  }

  #mistake() {
    try {
      new RegExp(this.message.value);
      return "";
    } catch (error) {
      return String(/** @type {Error} */ (error).message);
    }
  }

  /**
   * Offers the workloads whose names hold a text.
   * @param {string} text
   */
  async #search(text) {
    const answer = await this.stepping.ask?.({ ask: "find", text }).catch(() => null);
    if (!answer?.found || this.follow.value.trim() !== text) return;
    const options = answer.found.map((/** @type {string} */ value) => h("option", { value }));
    this.offered.replaceChildren(...options);
  }

  #followed() {
    const name = this.follow.value.trim();
    const { selection } = this.stepping;
    const before = selection?.kind === "Workload" ? selection.name : "";
    if (name !== before) this.stepping.select(name ? { kind: "Workload", name } : null);
  }

  #keep() {
    const typed = this.#typed(true);
    if (!typed) return;
    this.kept = [...this.kept, typed];
    this.event.select.value = this.queue.select.value = this.message.value = "";
    this.refresh();
  }

  refresh() {
    const { say } = this.stepping;
    const mistake = this.#mistake();
    this.message.setAttribute("aria-invalid", String(mistake !== ""));
    const conditions = this.conditions();
    this.keep.disabled = this.#typed(true) === null || mistake !== "";
    const or = ` ${say("frontend.breakpoint.or")} `;
    if (mistake) write(this.said, say("frontend.breakpoint.not-regular", { mistake }));
    else if (!conditions.length) write(this.said, say("frontend.breakpoint.none"));
    else write(this.said, say("frontend.breakpoint.stops", { condition: conditions.map((each) => this.text(each)).join(or) }));
    this.chips.replaceChildren(
      ...this.kept.map((kept) =>
        button(`${this.text(kept)} ✕`, say("frontend.breakpoint.remove"), () => {
          this.kept = this.kept.filter((each) => each !== kept);
          this.refresh();
        }),
      ),
    );
  }

  /** @param {Condition} condition */
  text(condition) {
    const { say } = this.stepping;
    const { any, ...parts } = condition;
    const joint = ` ${say(any ? "frontend.breakpoint.or" : "frontend.breakpoint.and")} `;
    return Object.entries(parts)
      .map(([what, name]) => say(`frontend.breakpoint.is.${what}`, { name: what === "event" ? this.eventText(String(name)) : String(name) }))
      .join(joint);
  }
}
