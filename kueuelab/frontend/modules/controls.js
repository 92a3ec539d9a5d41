// The controls: step, play, slider, what to step by, go to a step, cycle or time.

import { button, choice, freshId, h, put, write } from "./dom.js";
import { signed } from "./icons.js";
import { SPEEDS } from "./player.js";

/** @typedef {import("./stepping.js").Stepping} Stepping */
/** @typedef {import("./player.js").Player} Player */

/** So many cycles are marked on the slider. */
const MARKS_SHOWN = 120;

export class Controls {
  /**
   * @param {Stepping} stepping
   * @param {Player} player
   * @param {HTMLElement} [more] controls that fold away where there is little room
   */
  constructor(stepping, player, more) {
    this.stepping = stepping;
    this.player = player;
    const { say } = stepping;
    const make = (/** @type {import("./icons.js").IconName} */ id, /** @type {() => void} */ act) =>
      signed(button("", "", act), id, say(`frontend.${id}`), say(`frontend.${id}.hover`));
    this.first = make("first", () => void stepping.go(0));
    this.back = make("previous", () => void stepping.move(-1));
    this.play = make("play", () => player.toggle());
    this.next = make("next", () => void stepping.move(1));
    this.last = make("last", () => void stepping.go(stepping.document.steps - 1));
    this.next.classList.add("kl-primary");
    this.slider = h("input", {
      type: "range",
      min: 0,
      max: stepping.document.steps - 1,
      step: 1,
      "aria-label": say("frontend.slider"),
      oninput: () => void stepping.go(Number(this.slider.value)),
    });
    this.marks = this.#marks();
    this.where = h("output", { class: "kl-where" });
    this.by = choice(
      say("frontend.by"),
      say("frontend.by.hover"),
      stepping.moves.map((each) => [each, say(`frontend.by.${each}`)]),
      (value) => (stepping.by = value),
    );
    this.speed = choice(
      say("frontend.speed"),
      say("frontend.speed.hover"),
      Object.keys(SPEEDS).map((each) => [each, say(`frontend.speed.${each}`)]),
      (value) => (player.speed = /** @type {keyof typeof SPEEDS} */ (value)),
    );
    this.speed.select.value = player.speed;
    const moves = h(
      "div",
      { class: "kl-moves", role: "group", "aria-label": say("frontend.moves") },
      this.first,
      this.back,
      this.play,
      this.next,
      this.last,
    );
    const line = h("div", { class: "kl-line" }, moves, this.by.element, this.#toPreemption(), h("div", { class: "kl-slider" }, this.slider, this.marks), this.where);
    const id = freshId();
    this.rest = h("div", { class: "kl-rest", id }, this.#goTo(), this.speed.element, more);
    this.fold = h("button", { type: "button", class: "kl-more", "aria-controls": id, "aria-expanded": "false", text: say("frontend.more") });
    this.fold.addEventListener("click", () => {
      const open = this.rest.classList.toggle("kl-open");
      this.fold.setAttribute("aria-expanded", String(open));
    });
    line.append(this.fold);
    this.element = h("section", { class: "kl-controls", "aria-label": say("frontend.controls") }, line, this.rest);
    player.changed = () => this.played();
  }

  #marks() {
    const { document } = this.stepping;
    const cycles = this.stepping.index.of("move", "cycle") ?? [];
    const marks = document.marks ?? cycles.map((step) => /** @type {[number, string]} */ ([step, "cycle"]));
    const every = Math.max(1, Math.ceil(marks.length / MARKS_SHOWN));
    const last = Math.max(1, document.steps - 1);
    return h(
      "div",
      { class: "kl-marks", "aria-hidden": "true" },
      ...marks
        .filter((_, place) => place % every === 0)
        .map(([step, kind]) => h("i", { class: `kl-mark-${/^\w+$/.test(kind) ? kind : "other"}`, style: `left: ${(100 * step) / last}%` })),
    );
  }

  #toPreemption() {
    const { say, document } = this.stepping;
    const { preemption } = document;
    if (preemption === undefined) return null;
    const made = button(say("frontend.to-preemption"), say("frontend.to-preemption.hover"), () => void this.stepping.go(preemption));
    made.classList.add("kl-to-preemption");
    return made;
  }

  #goTo() {
    const { stepping } = this;
    const { say } = stepping;
    this.wish = h("input", { type: "text", size: 8, placeholder: say("frontend.go-to.placeholder"), title: say("frontend.go-to.hover"), "aria-label": say("frontend.go-to") });
    const form = h("form", { class: "kl-field" }, h("label", {}, h("span", { text: say("frontend.go-to") }), this.wish));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const to = this.meant(this.wish?.value ?? "");
      this.wish?.setAttribute("aria-invalid", String(to < 0));
      if (to >= 0) void stepping.go(to);
    });
    return form;
  }

  /**
   * Returns the step that is meant: "58", "cycle 3" or "c3", a time: "5s" or "1m30s"; -1 for none.
   * @param {string} text
   */
  meant(text) {
    const { index, document } = this.stepping;
    const wish = text.trim().toLowerCase();
    const step = /^#?(\d+)$/.exec(wish);
    if (step) return Math.min(Number(step[1]), document.steps) - 1;
    const cycle = /^[a-zü]+\.?\s*(\d+)$/.exec(wish) ?? /^(\d+)\s*番?目?$/.exec(wish);
    if (cycle) return (index.of("move", "cycle") ?? [])[Number(cycle[1]) - 1] ?? -1;
    const seconds = secondsOf(wish);
    if (seconds < 0 || !index.times.length) return -1;
    const found = index.times.findLast(([, time]) => secondsOf(time) <= seconds);
    return found ? found[0] : 0;
  }

  /** @param {Frame} frame */
  show(frame) {
    const { stepping, slider } = this;
    const { say, document, step } = stepping;
    if (slider.value !== String(step)) slider.value = String(step);
    put(slider, { "aria-valuetext": `${stepping.place}. ${frame.sentence}` });
    write(this.where, say("frontend.where", { step: step + 1, steps: document.steps }));
    for (const each of [this.first, this.back]) disable(each, stepping.atStart);
    for (const each of [this.next, this.last]) disable(each, stepping.atEnd);
    disable(this.play, stepping.atEnd && !this.player.playing);
  }

  played() {
    const { playing } = this.player;
    const { say } = this.stepping;
    const id = playing ? "pause" : "play";
    signed(this.play, id, say(`frontend.${id}`), say(`frontend.${id}.hover`));
    disable(this.play, this.stepping.atEnd && !playing);
  }
}

/**
 * A button that cannot be used keeps its focus.
 * @param {HTMLElement} element
 * @param {boolean} off
 */
function disable(element, off) {
  put(element, { "aria-disabled": off ? "true" : null });
}

/** @param {string} text a duration as Go prints it; -1 if it is none */
export function secondsOf(text) {
  const found = /^(?:(\d+)h)?(?:(\d+)m)?(?:([\d.]+)s)?(?:([\d.]+)ms)?$/.exec(text);
  if (!text || !found) return -1;
  const [, hours = 0, minutes = 0, seconds = 0, thousandths = 0] = found;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(thousandths) / 1000;
}
