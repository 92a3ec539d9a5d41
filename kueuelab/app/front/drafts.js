// What was opened, kept in this browser: nothing is uploaded, and a closed tab loses nothing.

/** So many are offered. */
const MOST = 8;

/** @returns {Promise<IDBDatabase>} */
function database() {
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open("kueuelab", 2);
    asked.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion < 1) {
        asked.result.createObjectStore("texts");
        asked.result.createObjectStore("recent", { keyPath: "source" });
      }
      asked.result.createObjectStore("journal");
    };
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
    // A tab with an older version of this page is open.
    asked.onblocked = () => reject(new Error());
  });
}

/**
 * @template T
 * @param {"texts" | "recent" | "journal"} store
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest<T>} action
 * @returns {Promise<T | null>}
 */
export async function within(store, mode, action) {
  try {
    const db = await database();
    return await new Promise((resolve, reject) => {
      const asked = action(db.transaction(store, mode).objectStore(store));
      asked.onsuccess = () => resolve(asked.result);
      asked.onerror = () => reject(asked.error);
    });
  } catch {
    // A browser that keeps nothing for this page still shows everything.
    return null;
  }
}

/** @param {string} source @param {string | Blob} text */
export async function keepText(source, text) {
  await within("texts", "readwrite", (store) => store.put(text, source));
}

/** What is kept: of a large file, a reference to it. @param {string} source @returns {Promise<string | Blob | null>} */
export async function kept(source) {
  return (await within("texts", "readonly", (store) => store.get(source))) ?? null;
}

/** @param {string} source @returns {Promise<string | null>} */
export async function keptText(source) {
  const found = await kept(source);
  return found instanceof Blob ? found.text() : found;
}

/** What was opened, or built: `page` is where it goes on. @typedef {{source: string, about: string, time: number, page?: string, name?: string}} Recent */

/** @param {string} source @param {string} about @param {string} [page] @param {string} [name] */
export async function noteRecent(source, about, page = "", name = "") {
  await within("recent", "readwrite", (store) => store.put({ source, about, time: Date.now(), page, name }));
}

/** @returns {Promise<Recent[]>} */
export async function recent() {
  const found = (await within("recent", "readonly", (store) => store.getAll())) ?? [];
  return found.sort((a, b) => b.time - a.time).slice(0, MOST);
}
