// The engine in the page: Python and the handler of the protocol, in a worker.
//
// What comes in is what a page sends to any engine: texts of commands, and files. What goes out are
// texts of answers, and notes about the engine itself, which are objects.

/** @typedef {{state: "loading" | "working" | "ready" | "lost", module?: WebAssembly.Module, text?: string}} Note */

const PLACE = new URL("../python/", import.meta.url);
/** Bytes of a page of WebAssembly's memory. */
const PAGE = 65_536;
/** Bytes of Python's memory at the start, at most. */
const LARGEST_MEMORY = 2 ** 28;
/** Milliseconds of a command until others are heard. */
const TURN = 40;
const post = (/** @type {string | Note} */ what) => self.postMessage(what);

/** @param {string} name */
const answered = async (name) => {
  const found = await fetch(new URL(name, PLACE));
  if (!found.ok) throw new Error(`${found.status}: ${name}`);
  return found;
};

/** @param {Response} response */
const bytesOf = async (response) => new Uint8Array(await response.arrayBuffer());

/** The memory of a Python that has imported everything. */
async function memory() {
  const found = await answered("memory.gz");
  // The service worker keeps it unpacked.
  const body = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (found.body);
  const bytes = found.headers.has("unpacked") ? body : body.pipeThrough(new DecompressionStream("gzip"));
  // A browser that collects a body itself keeps several copies of it.
  const buffer = new ArrayBuffer(0, { maxByteLength: LARGEST_MEMORY });
  for (const reader = bytes.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(buffer.transferToFixedLength());
    const start = buffer.byteLength;
    buffer.resize(start + value.length);
    new Uint8Array(buffer, start).set(value);
  }
}

/** The wheels, which hold what is not imported yet. */
async function wheels() {
  /** @type {string[]} */
  const names = await (await answered("wheels.json")).json();
  return Promise.all(names.map(async (name) => ({ name, content: await bytesOf(await answered(name)) })));
}

/** What Python does: `quick` answers at once, and null if a command has to wait for its turn.
 * @typedef {{reply: (text: string) => Promise<string>, quick: (text: string) => string | null, take: (sent: import("./engine.js").Sent) => void}} Python */

/** @returns {Promise<Python>} */
async function handler() {
  // All of it begins at once.
  const compiling = WebAssembly.compileStreaming(answered("pyodide.asm.wasm"));
  const image = memory();
  const archives = wheels();
  const [pyodide] = ["pyodide.mjs", "pyodide.asm.mjs"].map((name) => import(new URL(name, PLACE).href));
  // Pyodide would begin to compile when all the rest is there, and with less memory than the image has.
  WebAssembly.instantiateStreaming = async (_, imports) => {
    const module = await compiling;
    const instance = await WebAssembly.instantiate(module, imports);
    const heap = /** @type {WebAssembly.Memory} */ (instance.exports.memory);
    const missing = (await image).length - heap.buffer.byteLength;
    if (missing > 0) heap.grow(Math.ceil(missing / PAGE));
    return { instance, module };
  };
  const python = await (await pyodide).loadPyodide({
    indexURL: PLACE.href,
    packageBaseUrl: PLACE.href,
    _loadSnapshot: image,
    fsInit: async (/** @type {any} */ files) => {
      for (const { name, content } of await archives) files.writeFile(`/lib/${name}`, content);
    },
  });
  // What was copied into Python's memory is not kept beside it: Pyodide still refers to it.
  (await image).buffer.transfer(0);
  const [reply, takeFile, isQuick, memoryWaits] = ["reply", "take_file", "is_quick", "can_wait"].map((name) => python.globals.get(name));
  const canWait = memoryWaits && "Suspending" in WebAssembly;
  const send = (/** @type {string} */ text) => post({ state: "working", text });
  /** The file stays where it is: Python reads it there. @type {Python["take"]} */
  const take = ({ id, file }) => {
    const folder = `/sent/${id}`;
    python.FS.mkdirTree(folder);
    python.FS.mount(python.FS.filesystems.WORKERFS, { blobs: [{ name: "file", data: file }] }, folder);
    takeFile(id, `${folder}/file`);
  };
  // A page that keeps the compiled module starts another worker without compiling it again.
  post({ state: "ready", module: await compiling });
  return {
    reply: async (text) => (canWait ? reply.callPromising(text, send, pause) : reply(text, send)),
    quick: (text) => (isQuick(text) ? reply(text, send) : null),
    take,
  };
}

const channel = new MessageChannel();
let heard = 0;

/** Lets other messages in, from time to time. */
function pause() {
  const now = performance.now();
  if (now - heard < TURN) return undefined;
  return new Promise((resolve) => {
    channel.port1.onmessage = () => {
      heard = performance.now();
      resolve(undefined);
    };
    channel.port2.postMessage(0);
  });
}

post({ state: "loading" });
const ready = handler();
ready.catch(() => post({ state: "lost" }));

/** Commands that wait for the one that is worked on. @type {string[]} */
const waiting = [];
let works = false;

self.onmessage = async ({ data }) => {
  try {
    const python = await ready;
    if (typeof data !== "string") return python.take(data);
    const found = works ? python.quick(data) : null;
    if (found != null) return post(found);
    waiting.push(data);
    if (works) return;
    works = true;
    for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
      heard = performance.now();
      post(await python.reply(text));
    }
    works = false;
  } catch {
    // Python ran out of memory, for example: this worker is of no more use.
    post({ state: "lost" });
  }
};
