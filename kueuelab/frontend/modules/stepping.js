// Stepping through one run: the step, the selection, moves, playing.

import { boardOf } from "./board.js";
import { StepIndex } from "./moves.js";
import { Store } from "./store.js";

/** @typedef {import("./moves.js").Condition} Condition */

/** So many steps are read at once while a message is searched for. */
const SLICE = 4000;

export class Stepping {
  /**
   * @param {FrameDocument} document
   * @param {{ask?: Ask, board?: string, step?: number, selected?: Selected | null, elapsed?: number}} [options]
   */
  constructor(document, options = {}) {
    this.document = document;
    this.say = speaker(document.words);
    this.ask = options.ask;
    /** Opens a run of a sweep, where there is one.
     * @type {((run: number) => Promise<void>) | undefined} */
    this.open = undefined;
    this.store = new Store(document, options.ask);
    this.index = new StepIndex(document);
    /** What can be stepped by. */
    this.moves = [...(document.index ? this.index.names("move") : ["decision", "entry", "cycle"]), "step"];
    this.by = this.moves[0];
    /** @type {Selected | null} */
    this.selection = options.selected ?? null;
    /** Milliseconds that have gone by since the step, where a clock is shown. */
    this.elapsed = options.elapsed ?? 0;
    /** @type {Set<() => void>} */
    this.clocks = new Set();
    /** What went wrong with the last wish, in words; "" if nothing did. */
    this.problem = "";
    /** @type {Set<(change: Change) => void>} */
    this.listeners = new Set();
    /** @type {Set<(selected: Selected | null) => void>} */
    this.selectors = new Set();
    this.board = boardOf(options.board ?? "");
    this.wanted = this.store.bounded(options.step ?? document.start);
    if (this.board.place.step >= 0) {
      this.wanted = this.store.bounded(this.board.place.step);
      this.selection = this.board.place.selected;
    }
    this.leave = this.board.join((place) => {
      if (place.step >= 0) void this.#show(this.store.bounded(place.step));
      this.#selected(place.selected);
    });
  }

  get step() {
    return this.store.step;
  }

  get frame() {
    return this.store.frame;
  }

  /** Where in the run the step is, in words. */
  get place() {
    const { at } = this.frame;
    const { steps, cycles = 0 } = this.document;
    const { step, cycle, time } = at;
    return this.say(cycle ? "frontend.at.cycle" : "frontend.at", { step: step + 1, steps, cycle, cycles, time });
  }

  get atStart() {
    return this.wanted <= 0;
  }

  get atEnd() {
    return this.wanted >= this.document.steps - 1;
  }

  /** Shows the first step. */
  start() {
    return this.document.steps ? this.#show(this.wanted) : Promise.resolve();
  }

  /**
   * @param {(change: Change) => void} listener
   */
  onStep(listener) {
    this.listeners.add(listener);
  }

  /**
   * @param {(selected: Selected | null) => void} listener
   */
  onSelect(listener) {
    this.selectors.add(listener);
  }

  /**
   * Goes to a step, in all views of the run; tells whether it moved.
   * @param {number} step
   */
  async go(step) {
    const to = this.store.bounded(step);
    const before = this.store.step;
    await this.#show(to);
    this.board.set({ step: this.wanted, selected: this.selection });
    return before !== this.store.step;
  }

  /**
   * Moves by what was chosen, or by "step", "entry", "cycle", "decision".
   * @param {1 | -1} direction
   * @param {string} [by]
   */
  async move(direction, by = this.by) {
    const to = await this.#answered(this.index.move(by, this.wanted, direction), direction, { by });
    if (to >= 0) return this.go(to);
    // After the last decision come its consequences: the ends of the run can be reached.
    const end = direction > 0 ? this.document.steps - 1 : 0;
    return this.wanted === end ? false : this.go(end);
  }

  /**
   * Goes to the next step where one of the conditions holds; tells whether there is one.
   * @param {Condition[]} conditions
   * @param {1 | -1} direction
   */
  async until(conditions, direction) {
    const to = await this.find(conditions, direction);
    if (to >= 0) await this.go(to);
    return to >= 0;
  }

  /**
   * @param {Condition[]} conditions
   * @param {1 | -1} direction
   * @returns {Promise<number>} -1 if there is none
   */
  async find(conditions, direction) {
    const from = this.wanted;
    const lists = conditions.filter((each) => !each.message);
    const texts = conditions.filter((each) => each.message);
    const found = [];
    if (lists.length)
      found.push(
        await this.#answered(this.index.until(lists, from, direction), direction, {
          conditions: /** @type {any} */ (lists),
        }),
      );
    for (const each of texts) found.push(await this.#withMessage(each, from, direction));
    const places = found.filter((step) => step >= 0);
    if (!places.length) return -1;
    return direction > 0 ? Math.min(...places) : Math.max(...places);
  }

  /**
   * Selects something in all views of the run; the same again takes the selection away.
   * @param {Selected | null} selected
   */
  select(selected) {
    const now = this.selection;
    const same =
      selected !== null &&
      now !== null &&
      now.kind === selected.kind &&
      now.name === selected.name &&
      (now.cluster ?? "") === (selected.cluster ?? "");
    const after = same ? null : selected;
    this.#selected(after);
    this.board.set({ step: this.wanted, selected: after });
  }

  /**
   * Lets time go by since the step.
   * @param {number} ms
   */
  pass(ms) {
    if (ms === this.elapsed) return;
    this.elapsed = ms;
    for (const listener of this.clocks) listener();
  }

  /** @param {Selected | null} selected */
  #selected(selected) {
    if (JSON.stringify(selected) === JSON.stringify(this.selection)) return;
    this.selection = selected;
    for (const listener of this.selectors) listener(selected);
  }

  /** @param {number} step */
  async #show(step) {
    this.wanted = step;
    this.problem = "";
    if (step === this.store.step) return;
    if (!this.store.has(step)) {
      try {
        await this.store.fetch(step);
      } catch {
        this.problem = this.say("frontend.no-kernel.step");
        this.wanted = this.store.step;
        this.#tell({ patches: [], moved: false });
        return;
      }
      // Another step may have been asked for meanwhile: the last wish counts.
      if (this.wanted !== step) return;
    }
    if (this.store.step >= 0) this.elapsed = 0;
    this.#tell({ patches: this.store.go(step), moved: true });
    this.store.ahead(step);
  }

  /** @param {Change} change */
  #tell(change) {
    for (const listener of this.listeners) listener(change);
  }

  /**
   * Returns an answer of the index, or the kernel's where the index does not say.
   * @param {number | null} known
   * @param {1 | -1} direction
   * @param {Record<string, Json>} question
   */
  async #answered(known, direction, question) {
    if (known !== null) return known;
    try {
      if (!this.ask) throw new Error();
      const found = await this.ask({ ask: "move", from: this.wanted, direction, ...question });
      return Number(found.step);
    } catch {
      this.problem = this.say("frontend.no-kernel.move");
      this.#tell({ patches: [], moved: false });
      return -1;
    }
  }

  /**
   * Reads step after step until a message matches: only texts know their words.
   * @param {Condition} condition
   * @param {number} from
   * @param {1 | -1} direction
   */
  async #withMessage(condition, from, direction) {
    const { message = "", ...rest } = condition;
    const pattern = new RegExp(message);
    const others = Boolean(rest.workload || rest.event || rest.queue);
    const reader = new Store(this.document, this.ask);
    reader.fetched = this.store.fetched;
    let read = 0;
    for (let step = from + direction; step >= 0 && step < reader.steps; step += direction) {
      if (others && !rest.any) {
        step = this.index.until([rest], step - direction, direction) ?? -1;
        if (step < 0) return -1;
      }
      if (!reader.has(step)) await reader.fetch(step).catch(() => {});
      if (!reader.has(step)) return -1;
      reader.go(step);
      const { frame } = reader;
      if (pattern.test(frame.sentence) || (frame.message && pattern.test(frame.message)))
        return step;
      if (others && rest.any && this.index.until([rest], step - direction, direction) === step)
        return step;
      if ((read += 1) % SLICE === 0) await new Promise((done) => setTimeout(done));
    }
    return -1;
  }
}
