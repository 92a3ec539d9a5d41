// Plays a run: moves again and again, until it ends or a breakpoint stops it.

/** @typedef {import("./stepping.js").Stepping} Stepping */
/** @typedef {import("./moves.js").Condition} Condition */

/** Milliseconds between two moves, by the name of the speed. */
export const SPEEDS = { slow: 1600, normal: 700, fast: 150, fastest: 0 };

export class Player {
  /** @param {Stepping} stepping */
  constructor(stepping) {
    this.stepping = stepping;
    /** @type {keyof typeof SPEEDS} */
    this.speed = "normal";
    /** @type {() => Condition[]} */
    this.conditions = () => [];
    this.timer = 0;
    this.playing = false;
    /** @type {() => void} */
    this.changed = () => {};
  }

  toggle() {
    if (this.playing) this.stop();
    else this.start();
  }

  start() {
    if (this.playing || this.stepping.atEnd) return;
    this.playing = true;
    this.changed();
    this.#wait();
  }

  stop() {
    clearTimeout(this.timer);
    if (!this.playing) return;
    this.playing = false;
    this.changed();
  }

  #wait() {
    // A hidden page draws no frames: it waits until it is looked at again.
    this.timer = window.setTimeout(
      () => requestAnimationFrame(() => void this.#move()),
      SPEEDS[this.speed],
    );
  }

  async #move() {
    if (!this.playing) return;
    const { stepping } = this;
    const conditions = this.conditions();
    const stop = conditions.length ? await stepping.find(conditions, 1) : -1;
    const by = stepping.by;
    const next = stepping.index.move(by, stepping.wanted, 1);
    const passes = stop >= 0 && (next === null || next < 0 || next >= stop);
    const moved = passes ? await stepping.go(stop) : await stepping.move(1);
    if (!this.playing) return;
    if (!moved || passes || stepping.atEnd) this.stop();
    else this.#wait();
  }
}
