// The engine in this page: a worker with Python. A worker that is stopped or lost is followed by
// another one, which gets every command again that changed what is open.

/** Commands that change what is open. */
const CHANGES = ["open", "try", "edit", "run", "undo", "redo"];
/** So often a worker may be lost without a page having asked anything. */
const MOST_STARTS = 3;

/** From the second visit on, the site needs no network. It does not slow the first start. */
function keepFiles() {
  void navigator.serviceWorker?.register(new URL("../offline.js", import.meta.url));
}

/** @returns {import("./engine.js").Wire} */
export function workerWire() {
  /** @type {Worker} */
  let worker;
  /** It keeps compiled code in memory for the next worker. @type {WebAssembly.Module | undefined} */
  let compiled;
  /** Commands that changed what is open, in their order. @type {string[]} */
  const journal = [];
  /** Answers to commands of the journal that are still to come. */
  let replaying = 0;
  let starts = 0;

  const begin = () => {
    starts += 1;
    replaying = journal.length;
    worker = new Worker(new URL("engine_worker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }) => (typeof data === "string" ? answered(data) : noted(data));
    worker.onerror = () => noted({ state: "lost" });
    for (const each of journal) worker.postMessage(each);
  };

  /** @param {import("./engine_worker.js").Note} note */
  const noted = ({ state, module }) => {
    compiled = module ?? compiled;
    if (state === "ready") {
      wire.onState(replaying ? "restoring" : "ready");
      keepFiles();
    }
    if (state !== "lost") return;
    worker.terminate();
    wire.onState("lost");
    if (starts < MOST_STARTS) begin();
  };

  /** @param {string} text */
  const answered = (text) => {
    if (replaying) {
      replaying -= 1;
      if (!replaying) wire.onState("ready");
      return;
    }
    starts = 0;
    wire.onText(text);
  };

  /** @type {import("./engine.js").Wire} */
  const wire = {
    send: (text) => worker.postMessage(text),
    done: (command, text) => {
      if (CHANGES.includes(command)) journal.push(text);
    },
    onText: () => {},
    onState: () => {},
    stop: () => {
      worker.terminate();
      starts = 0;
      wire.onState("starting");
      begin();
    },
    greeting: async () => (await fetch(new URL("../greeting.json", import.meta.url))).json(),
  };
  begin();
  return wire;
}
