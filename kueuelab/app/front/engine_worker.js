// The engine in the page: Python and the handler of the protocol, in a worker.
//
// What comes in is what a page sends to any engine: texts of commands. What goes out are texts of
// answers, and notes about the engine itself, which are objects.

/** @typedef {{state: "loading" | "ready" | "lost", module?: WebAssembly.Module}} Note */

const PLACE = new URL("../python/", import.meta.url);
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
  const { body } = await answered("memory.gz");
  if (!body) throw new Error("memory.gz");
  return bytesOf(new Response(body.pipeThrough(new DecompressionStream("gzip"))));
}

/** Returns what answers a command; both are texts. */
async function handler() {
  const image = memory();
  const wheels = answered("wheels.json").then(async (found) =>
    Promise.all(/** @type {string[]} */ (await found.json()).map(async (name) => ({ name, content: await bytesOf(await answered(name)) }))));
  const [{ loadPyodide }, { default: createPyodide }] = await Promise.all(
    ["pyodide.mjs", "pyodide.asm.mjs"].map((name) => import(new URL(name, PLACE).href)));
  const snapshot = await image;
  /** @type {WebAssembly.Module | undefined} */
  let compiled;
  const python = await loadPyodide({
    indexURL: PLACE.href,
    packageBaseUrl: PLACE.href,
    _loadSnapshot: snapshot,
    createPyodideModule: (/** @type {any} */ settings) => {
      const instantiate = settings.instantiateWasm;
      settings.instantiateWasm = (/** @type {any} */ imports, /** @type {any} */ done) =>
        instantiate(imports, (/** @type {WebAssembly.Instance} */ instance, /** @type {WebAssembly.Module} */ module) => {
          const heap = /** @type {WebAssembly.Memory} */ (instance.exports.memory);
          const missing = snapshot.length - heap.buffer.byteLength;
          // The image is larger than what Python begins with.
          if (missing > 0) heap.grow(Math.ceil(missing / 65_536));
          compiled = module;
          done(instance, module);
        });
      return createPyodide(settings);
    },
    fsInit: async (/** @type {any} */ files) => {
      for (const { name, content } of await wheels) files.writeFile(`/lib/${name}`, content);
    },
  });
  const reply = python.runPython("handler.reply");
  // A page that keeps the compiled module starts another worker without compiling it again.
  post({ state: "ready", module: compiled });
  return /** @type {(text: string) => string} */ (reply);
}

post({ state: "loading" });
const ready = handler();
ready.catch(() => post({ state: "lost" }));

self.onmessage = async ({ data }) => {
  try {
    post((await ready)(data));
  } catch {
    // Python ran out of memory, for example: this worker is of no more use.
    post({ state: "lost" });
  }
};
