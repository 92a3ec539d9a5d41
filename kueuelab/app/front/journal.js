// What changed the session of a tab, kept in this browser: a page that is loaded again, or a tab that
// is restored, finds what was open.

import { within } from "./drafts.js";

/** So many tabs are remembered, those that began last. */
const MOST = 8;

/** The name of this tab; that of a later one follows in the order of texts. */
function tabName() {
  return (sessionStorage["kueuelab-tab"] ??= `${new Date().toISOString()} ${crypto.randomUUID()}`);
}

export class Journal {
  constructor() {
    this.tab = tabName();
    /** Texts of commands, in their order. @type {string[]} */
    this.entries = [];
    this.ready = this.#read();
  }

  async #read() {
    /** @type {[string, number][]} */
    const keys = /** @type {any} */ ((await within("journal", "readonly", (store) => store.getAllKeys())) ?? []);
    const tabs = [...new Set([...keys.map(([tab]) => tab), this.tab])].sort();
    const [oldest] = tabs.slice(-MOST);
    await within("journal", "readwrite", (store) => store.delete(IDBKeyRange.upperBound([oldest, -1])));
    this.entries.push(...((await within("journal", "readonly", (store) => store.getAll(this.#range()))) ?? []));
  }

  /** @param {string} text */
  add(text) {
    void within("journal", "readwrite", (store) => store.put(text, [this.tab, this.entries.length]));
    this.entries.push(text);
  }

  /** Leaves out an entry and what follows it. @param {number} start */
  cut(start) {
    this.entries.splice(start);
    void within("journal", "readwrite", (store) => store.delete(this.#range(start)));
  }

  #range(start = 0) {
    return IDBKeyRange.bound([this.tab, start], [this.tab, Infinity]);
  }
}
