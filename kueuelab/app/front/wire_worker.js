// The engine in this page: a worker with Python. A worker that is stopped or lost is followed by
// another one, which gets every command again that changed what is open.

import { Journal } from "./journal.js";

/** So often a worker is started without having answered anything. */
const MOST_STARTS = 3;

/** From the second visit on, the site needs no network. It does not slow the first start. */
function keepFiles() {
  void navigator.serviceWorker?.register(new URL("../offline.js", import.meta.url));
}

/** @returns {import("./engine.js").Wire} */
export function workerWire() {
  const journal = new Journal();
  /** @type {Worker} */
  let worker;
  /** It keeps compiled code in memory for the next worker. @type {WebAssembly.Module | undefined} */
  let compiled;
  let started = false;
  /** Answers to commands of the journal that are still to come; null before these are sent. @type {number | null} */
  let replaying = null;
  let starts = 0;

  const begin = async () => {
    const mine = new Worker(new URL("engine_worker.js", import.meta.url), { type: "module" });
    mine.onmessage = ({ data }) => (typeof data === "string" ? answered(data) : noted(data));
    mine.onerror = () => noted({ state: "lost" });
    [worker, started, replaying, starts] = [mine, false, null, starts + 1];
    await journal.ready;
    if (worker !== mine) return;
    replaying = journal.entries.length;
    journal.replay(wire.send, wire.sendFile);
    settle();
  };

  const settle = () => {
    if (started && replaying != null) wire.onState(replaying ? "restoring" : "ready");
  };

  /** @param {import("./engine_worker.js").Note} note */
  const noted = ({ state, module, text }) => {
    compiled = module ?? compiled;
    if (text) return wire.onText(text);
    if (state === "ready") {
      started = true;
      settle();
      keepFiles();
    }
    if (state !== "lost") return;
    worker.terminate();
    // The worker was lost by the command that it had not answered.
    if (started && replaying) journal.cut(journal.entries.length - replaying);
    wire.onState("lost");
    if (starts < MOST_STARTS) void begin();
  };

  /** @param {string} text */
  const answered = (text) => {
    starts = 0;
    if (!replaying) return wire.onText(text);
    replaying -= 1;
    if (!replaying) settle();
  };

  /** @type {import("./engine.js").Wire & {sendFile: (id: string, file: Blob) => void}} */
  const wire = {
    place: "page",
    send: (text) => worker.postMessage(text),
    sendFile: (id, file) => worker.postMessage({ id, file }),
    done: (...done) => journal.done(...done),
    onText: () => {},
    onState: () => {},
    stop: () => {
      worker.terminate();
      starts = 0;
      // What is being restored, and what follows from it, is not tried again.
      if (replaying) journal.cut(journal.entries.length - replaying);
      wire.onState("starting");
      void begin();
    },
    greeting: async () => (await fetch(new URL("../greeting.json", import.meta.url))).json(),
    restores: async () => {
      await journal.ready;
      return journal.entries.length > 0;
    },
  };
  void begin();
  return wire;
}
