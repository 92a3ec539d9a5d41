// What changed the session of a tab, kept in this browser: a page that is loaded again, or a tab that
// is restored, finds what was open.

import { within } from "./drafts.js";

/** So many tabs are remembered, those that began last. */
const MOST = 8;
/** Commands that change what is open. */
const CHANGES = [
  "open", "openLink", "settings", "try", "keepJob", "keepQuotas", "edit", "fault", "run", "undo", "redo",
  "draftResume", "buildBegin", "buildText", "buildAdd", "buildRemove", "buildRename", "buildMove", "buildField", "buildQuota", "buildJob", "buildJobs", "buildDeleteJob", "buildPool", "buildDeletePool",
];
/** What begins with a draft beside a file. */
const BEGINS = ["draftResume", "buildBegin"];
/** Runs of a draft: only the last one before another change counts, and the page runs its draft again. */
const RUN = "buildRun";

/** Whether a command changes what is open. @param {string} command */
export function isChange(command) {
  return command === RUN || CHANGES.includes(command);
}

/** The name of this tab; that of a later one follows in the order of texts. */
function tabName() {
  return (sessionStorage["kueuelab-tab"] ??= `${new Date().toISOString()} ${crypto.randomUUID()}`);
}

/** A command, with the file that is sent before it. @typedef {string | {text: string, sent: import("./engine.js").Sent}} Entry */

export class Journal {
  constructor() {
    this.tab = tabName();
    /** Commands, in their order. @type {Entry[]} */
    this.entries = [];
    /** The run of the draft that is not in the journal. */
    this.ran = "";
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

  /**
   * Takes note of a command that has its answer.
   * @param {string} command @param {string} text @param {any} answer
   * @param {import("./engine.js").Sent | null} sent the file that was sent before it
   */
  done(command, text, answer, sent) {
    if (command === RUN) this.ran = text;
    if (!CHANGES.includes(command)) return;
    // The draft beside a file follows the edits: what is restored begins as this tab began.
    if (BEGINS.includes(command) && answer.kept) text = JSON.stringify({ ...JSON.parse(text), text: answer.text });
    // What follows may be about the run.
    if (this.ran && !command.startsWith("build")) this.#add(this.ran);
    if (!command.startsWith("build")) this.ran = "";
    this.#add(sent ? { text, sent } : text);
  }

  /** @param {Entry} entry */
  #add(entry) {
    void within("journal", "readwrite", (store) => store.put(entry, [this.tab, this.entries.length]));
    this.entries.push(entry);
  }

  /**
   * Sends all commands again, with their files.
   * @param {(text: string) => void} send
   * @param {(id: string, file: Blob) => void} sendFile
   */
  replay(send, sendFile) {
    for (const each of this.entries) {
      if (typeof each === "string") send(each);
      else {
        sendFile(each.sent.id, each.sent.file);
        send(each.text);
      }
    }
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
