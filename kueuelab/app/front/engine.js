// The engine that decides: on this machine, behind a WebSocket.

/** @typedef {import("./protocol.js").Commands} Commands */
/** @typedef {import("./protocol.js").Answers} Answers */
/** @typedef {import("./protocol.js").Failure} Failure */
/** @typedef {{send: (text: string) => void, onText: (text: string) => void, onState: (state: EngineState) => void}} Wire */
/** @typedef {"starting" | "ready" | "lost"} EngineState */

/** What is wrong with a command, as data. */
export class EngineError extends Error {
  /** @param {Failure} failure */
  constructor(failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Milliseconds until a lost connection is tried again. */
const AGAIN = 1_000;

/** @returns {Wire} */
function socketWire() {
  const reader = (sessionStorage["kueuelab-reader"] ??= crypto.randomUUID());
  /** @type {Wire} */
  const wire = { send: () => {}, onText: () => {}, onState: () => {} };
  const connect = () => {
    const address = new URL(`engine?reader=${reader}`, location.href.split("#")[0]);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address);
    wire.send = (text) => socket.send(text);
    socket.onopen = () => wire.onState("ready");
    socket.onmessage = (event) => wire.onText(event.data);
    socket.onclose = () => {
      wire.onState("lost");
      setTimeout(connect, AGAIN);
    };
  };
  connect();
  return wire;
}

export class Engine {
  constructor() {
    /** @type {(state: EngineState) => void} */
    this.onState = () => {};
    /** @type {Map<number, {resolve: (answer: any) => void, reject: (error: Error) => void}>} */
    this.open = new Map();
    this.count = 0;
    this.wire = socketWire();
    this.ready = new Promise((resolve) => {
      this.wire.onState = (state) => {
        if (state === "ready") resolve(undefined);
        else this.#failAll();
        this.onState(state);
      };
    });
    this.wire.onText = (text) => this.#heard(text);
  }

  /**
   * Asks for something.
   * @template {keyof Commands & keyof Answers} K
   * @param {K} command
   * @param {Commands[K]} [fields]
   * @returns {Promise<Answers[K]>}
   */
  async ask(command, fields) {
    await this.ready;
    this.count += 1;
    const id = this.count;
    return new Promise((resolve, reject) => {
      this.open.set(id, { resolve, reject });
      this.wire.send(JSON.stringify({ ...fields, do: command, id }));
    });
  }

  /** @param {string} text */
  #heard(text) {
    const { id, answer, error } = JSON.parse(text);
    const waiting = this.open.get(id);
    this.open.delete(id);
    if (error) waiting?.reject(new EngineError(error));
    else waiting?.resolve(answer);
  }

  #failAll() {
    for (const { reject } of this.open.values()) reject(new Error());
    this.open.clear();
  }
}
