// The frames of a run: goes to any step, forwards and backwards, from chunks of patches.

import { merge, opened } from "./patch.js";
import { unpacked } from "./unpacking.js";

/** So many chunks that were unpacked or asked for are kept; what the document holds always is. */
const KEPT = 8;

/** A chunk is not here, and nothing can send it. */
export class MissingChunk extends Error {}

export class Store {
  /**
   * @param {FrameDocument} document
   * @param {Ask} [ask]
   */
  constructor(document, ask) {
    this.document = document;
    this.ask = ask;
    /** @type {Frame} */
    this.frame = /** @type {any} */ (Object.create(null));
    this.step = -1;
    /** @type {Map<number, Chunk>} */
    this.fetched = new Map();
    /** The first step of the chunk that is fetched ahead, -1 for none. */
    this.coming = -1;
    /** @type {Chunk | null} */
    this.chunk = null;
    /** The undo patches of the steps between the key frame of the chunk and here.
     * @type {Tree[]} */
    this.undo = [];
  }

  get steps() {
    return this.document.steps;
  }

  /** @param {number} step */
  bounded(step) {
    return Math.max(0, Math.min(this.steps - 1, Math.round(step) || 0));
  }

  /**
   * Whether going there needs no kernel.
   * @param {number} step
   */
  has(step) {
    return this.#at(step) !== undefined;
  }

  /**
   * Goes to a step that is here; returns the patches from the last frame to this one, or null
   * if anything may have changed.
   * @param {number} step
   * @returns {Tree[] | null}
   */
  go(step) {
    const chunk = this.#at(step);
    if (!chunk) throw new MissingChunk();
    const number = this.#number(step);
    // Those that were shown last are kept longest.
    if (this.fetched.delete(number)) this.fetched.set(number, chunk);
    /** @type {Tree[] | null} */
    let applied = [];
    if (chunk !== this.chunk || this.step < 0) {
      this.chunk = chunk;
      this.frame = /** @type {any} */ (opened(chunk));
      this.undo = [];
      this.step = chunk.first;
      applied = null;
    }
    const frame = /** @type {Tree} */ (/** @type {unknown} */ (this.frame));
    while (this.step < step) {
      const patch = chunk.patches[this.step - chunk.first] ?? {};
      this.undo.push(merge(frame, patch));
      applied?.push(patch);
      this.step += 1;
    }
    while (this.step > step) {
      const patch = /** @type {Tree} */ (this.undo.pop());
      merge(frame, patch);
      applied?.push(patch);
      this.step -= 1;
    }
    return applied;
  }

  /**
   * Fetches the chunk of a step if it is not here: it is packed in the document, or asked for.
   * @param {number} step
   */
  async fetch(step) {
    if (this.has(step)) return;
    const number = this.#number(step);
    const kept = this.document.chunks[String(number)];
    if (!kept && !this.ask) throw new MissingChunk();
    const chunk = await (kept ? unpacked(kept) : this.ask?.({ ask: "chunk", number }));
    this.fetched.delete(number);
    this.fetched.set(number, chunk);
    for (const old of this.fetched.keys()) {
      if (this.fetched.size <= KEPT) break;
      this.fetched.delete(old);
    }
  }

  /**
   * Fetches the chunk after that of a step before it is needed.
   * @param {number} step
   */
  ahead(step) {
    const { chunk } = this.document;
    const next = (this.#number(step) + 1) * chunk;
    if (next >= this.steps || this.has(next) || next - step > chunk / 2) return;
    if (this.coming === next || !(this.ask || this.document.chunks[next / chunk])) return;
    this.coming = next;
    void this.fetch(next).catch(() => {}).finally(() => (this.coming = -1));
  }

  /** @param {number} step */
  #number(step) {
    return Math.floor(step / this.document.chunk);
  }

  /** @param {number} step @returns {Chunk | undefined} */
  #at(step) {
    const number = this.#number(step);
    // The chunk that is shown may have been dropped from those that are kept.
    if (this.chunk?.first === number * this.document.chunk) return this.chunk;
    const kept = this.document.chunks[String(number)];
    return typeof kept === "object" ? kept : this.fetched.get(number);
  }
}
