// Writes the memory of a Python that has imported kueuelab: node prepare.mjs FOLDER LANGUAGE WHEEL…
// The folder has the files of Pyodide and the wheels. A browser that begins with this memory is
// ready without importing anything.

import nodeCrypto from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

// The same files give the same memory: while it is made, no time passes and nothing is random. A
// browser that begins with it has its own clock, and its own random numbers for what is asked later.
const NOW = Date.UTC(2026, 0, 1);
Object.assign(Date, { now: () => NOW });
Object.assign(globalThis, { Date: class extends Date { constructor(...given) { super(...(given.length ? given : [NOW])); } } });
Object.assign(performance, { now: () => 0 });
Object.assign(nodeCrypto, { randomFillSync: (bytes) => bytes.fill(0) });

const [folder, language, ...wheels] = process.argv.slice(2);
const place = resolve(folder);
const { loadPyodide } = await import(pathToFileURL(join(place, "pyodide.mjs")).href);
const python = await loadPyodide({
  indexURL: place,
  _makeSnapshot: true,
  env: { PYTHONHASHSEED: "0" },
  fsInit: async (files) => {
    for (const each of wheels) files.writeFile(`/lib/${each}`, new Uint8Array(readFileSync(join(place, each))));
  },
});
python.runPython(`
import sys
sys.path[:0] = ${JSON.stringify(wheels.map((each) => `/lib/${each}`))}
from pathlib import Path
from pyodide.ffi import run_sync
from kueuelab.session.prepared import prepared
handler = prepared(${JSON.stringify(language)})
is_quick = handler.is_quick

def reply(text, send, pause=None):
    def turn():
        if pause is not None and (paused := pause()) is not None:
            run_sync(paused)
    return handler.reply(text, send, turn)

def take_file(id, path):
    handler.take_file(id, Path(path))

# Whether Python may wait for a promise while it works: so it may only in a memory that began so.
can_wait = ${"Suspending" in WebAssembly ? "True" : "False"}
`);
writeFileSync(join(place, "memory.gz"), gzipSync(python.makeMemorySnapshot(), { level: 9 }));
