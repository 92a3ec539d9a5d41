// The engine that decides: on this machine, behind a WebSocket; in this page, in a worker; or in the
// kernel of a notebook.

import { isChange } from "./journal.js";
import { randomName } from "./names.js";
import { model } from "./notebook.js";
import { kernelWire } from "./wire_kernel.js";
import { socketWire } from "./wire_socket.js";
import { workerWire } from "./wire_worker.js";

/** @typedef {import("./protocol.js").Commands} Commands */
/** @typedef {import("./protocol.js").Answers} Answers */
/** @typedef {import("./protocol.js").Failure} Failure */
/** @typedef {import("./protocol.js").Greeting} Greeting */
/** @typedef {"starting" | "restoring" | "ready" | "lost"} EngineState */

/**
 * What carries texts between the page and an engine.
 * @typedef {object} Wire
 * @property {"page" | "machine" | "notebook"} place where the engine is
 * @property {(text: string) => void} send
 * @property {(id: string, file: Blob) => void} [sendFile] sends a file, which a command opens by its id; without it, its text is sent
 * @property {(text: string) => void} onText
 * @property {(state: EngineState) => void} onState
 * @property {() => void} [onStopped] called when what was under way was stopped elsewhere
 * @property {(command: string, text: string, answer: any, sent: Sent | null) => void} [done] called when a command has its answer
 * @property {() => void} [stop] ends what is under way, and keeps what is open
 * @property {boolean} [comesBack] whether a connection that is lost is tried again, and questions wait for it
 * @property {() => Promise<Greeting>} [greeting] what is known before the engine is ready
 * @property {() => Promise<boolean>} [restores] whether something is opened again that the greeting does not have
 */

/** A file that was sent before its command. @typedef {{id: string, file: Blob}} Sent */

/** What is wrong with a command, as data. */
export class EngineError extends Error {
  /** @param {Failure} failure */
  constructor(failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** What was under way when it was stopped. */
export class StoppedError extends Error {}

/** For these a page shows no progress. */
const QUIET = ["preview"];
/** Milliseconds after which a question counts as one that takes long. */
const LONG = 700;

export class Engine {
  constructor() {
    /** @type {(state: EngineState) => void} */
    this.onState = () => {};
    /** Called when a question takes long, and when none does any more. @type {(long: boolean) => void} */
    this.onLong = () => {};
    /** Called with how far a command is. @type {(progress: import("./protocol.js").Working | null) => void} */
    this.onProgress = () => {};
    /** Called with what is open, if a command decided or loaded an input on its way. @type {(opened: import("./protocol.js").Opened) => void} */
    this.onOpened = () => {};
    /** @type {Map<number, {command: string, text: string, sent: Sent | null, resolve: (answer: any) => void, reject: (error: Error) => void}>} */
    this.open = new Map();
    this.count = 0;
    /** Whether commands wait for the engine. */
    this.waits = false;
    /** Ends the waiting of commands. */
    this.isReady = () => {};
    /** @type {Promise<unknown>} */
    this.ready = Promise.resolve();
    const inPage = document.documentElement.dataset.engine === "page";
    this.wire = model ? kernelWire(model) : inPage ? workerWire() : socketWire();
    this.#wait();
    this.wire.onState = (state) => {
      if (state === "ready") this.#begin();
      else if (state === "lost") this.#lose();
      this.onState(state);
    };
    this.wire.onText = (text) => this.#heard(text);
    this.wire.onStopped = () => this.#failAll(new StoppedError());
  }

  /** Lets commands wait until the engine is ready. */
  #wait() {
    if (this.waits) return;
    this.waits = true;
    this.ready = new Promise((resolve) => (this.isReady = () => resolve(undefined)));
  }

  #begin() {
    // What was asked before the connection was lost; the first time there is none.
    for (const { text } of this.open.values()) this.wire.send(text);
    this.waits = false;
    this.isReady();
  }

  /** A command that changes something may have been carried out: only the others are sent again. */
  #lose() {
    if (!this.wire.comesBack) return this.#failAll(new Error());
    this.#wait();
    for (const [id, { command, reject }] of this.open) {
      if (!isChange(command)) continue;
      this.open.delete(id);
      reject(new Error());
    }
    return undefined;
  }

  /** Whether what is under way can be stopped. */
  get canStop() {
    return Boolean(this.wire.stop);
  }

  /** Stops what is under way. What is open stays so. */
  stop() {
    this.wire.stop?.();
    this.#failAll(new StoppedError());
  }

  /** What a page is drawn with; the engine may not be ready yet. @returns {Promise<Greeting>} */
  async hello() {
    return this.wire.greeting ? this.wire.greeting() : this.ask("hello", {});
  }

  /** Whether something is opened again that the greeting does not have. */
  async restores() {
    return this.wire.restores ? this.wire.restores() : false;
  }

  /**
   * Asks for something.
   * @template {keyof Commands & keyof Answers} K
   * @param {K} command
   * @param {Commands[K]} [fields]
   * @param {Blob} [file] what the command opens
   * @returns {Promise<Answers[K]>}
   */
  async ask(command, fields, file) {
    const { sendFile } = this.wire;
    const sent = file && sendFile ? { id: randomName(), file } : null;
    const content = sent ? { file: sent.id } : file ? { text: await file.text() } : {};
    await this.ready;
    this.count += 1;
    const id = this.count;
    const text = JSON.stringify({ ...fields, ...content, do: command, id });
    return new Promise((resolve, reject) => {
      this.open.set(id, { command, text, sent, resolve, reject });
      if (!QUIET.includes(command)) setTimeout(() => this.open.has(id) && this.onLong(true), LONG);
      if (sent && sendFile) sendFile(sent.id, sent.file);
      this.wire.send(text);
    });
  }

  /** @param {string} text */
  #heard(text) {
    const { id, answer, error, progress, opened } = JSON.parse(text);
    if (progress) return this.onProgress(progress);
    const waiting = this.open.get(id);
    this.open.delete(id);
    this.onProgress(null);
    if (!this.open.size) this.onLong(false);
    if (opened) this.onOpened(opened);
    if (!waiting) return;
    if (error) return waiting.reject(new EngineError(error));
    this.wire.done?.(waiting.command, waiting.text, answer, waiting.sent);
    waiting.resolve(answer);
  }

  /** @param {Error} error */
  #failAll(error) {
    for (const { reject } of this.open.values()) reject(error);
    this.open.clear();
    this.onProgress(null);
    this.onLong(false);
  }
}
