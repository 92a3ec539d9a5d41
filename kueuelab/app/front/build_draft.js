// The draft that is built, and the edits of it: each goes to the engine, and is kept in this browser.

import { keepText, keptText, noteRecent } from "./drafts.js";
import { batch, signal } from "./lib.js";
import { address, go, route } from "./route.js";
import { attempt, engine, failureOf, greeting, nowOpen, opened, toast } from "./store.js";
import { say } from "./words.js";

/** @typedef {import("./protocol.js").DraftPage} DraftPage */
/** @typedef {import("./protocol.js").DraftRun} DraftRun */
/** @typedef {import("./protocol.js").QuotaRow} QuotaRow */
/** @typedef {import("./protocol.js").Commands} Commands */

/** Milliseconds without an edit after which the draft is run. */
const PAUSE = 250;
/** A draft with more jobs is run when it is asked for. */
const MOST_JOBS = 200;

/** What is built; null before the engine was asked. */
export const draft = signal(/** @type {DraftPage | null} */ (null));
export const ran = signal(/** @type {DraftRun | null} */ (null));
/** The use of quota at the end of the run, by kind and name. */
export const quota = signal(/** @type {Map<string, QuotaRow>} */ (new Map()));
/** What is wrong with the last edit; nothing was changed by it. */
export const refused = signal("");
export const refusals = signal(0);
/** Whether shapes are shown, although there is a draft. */
export const choosing = signal(false);
export const runsAlone = signal((localStorage["kueuelab-runs-alone"] ?? "yes") === "yes");
export const running = signal(false);

let timer = 0;
/** Edits are made one after the other. */
let last = Promise.resolve();

/** What is chosen in the tree or on the axis: "object:Cohort/a", "job:a". */
export function chosen() {
  return route.value.query.o ?? "";
}

/** @param {string} what */
export function choose(what) {
  go(address("build", { o: what }), true);
}

/** @param {boolean} yes */
export function runAlone(yes) {
  runsAlone.value = yes;
  localStorage["kueuelab-runs-alone"] = yes ? "yes" : "no";
  if (yes) void run();
}

/** Shows the draft that the address names, or the one of the engine. */
export async function load() {
  const found = await attempt("", () => engine.ask("build", {}));
  if (!found) return;
  const wanted = route.value.query.open ?? "";
  if (wanted.startsWith("draft:") && wanted !== `draft:${found.name}`) {
    // A draft beside a file is newer than what this browser has of it.
    const beside = await draftBeside(wanted.slice(6));
    if (beside) return resume(beside);
    const text = await keptText(wanted);
    if (text != null) return begin({ name: wanted.slice(6), text });
  }
  show(found, false);
  if (found.name && !ran.value) later();
}

/** The file with a draft beside it that has a name; "" for none, or for several. @param {string} name */
async function draftBeside(name) {
  if (!greeting.value?.folder) return "";
  const { drafts } = await engine.ask("drafts", {}).catch(() => ({ drafts: [] }));
  const found = drafts.filter((each) => each.name === name);
  return found.length === 1 ? found[0].file : "";
}

/** Goes on with the draft beside a file. @param {string} file */
export async function resume(file) {
  const found = await attempt(say("app.build.beginning"), () => engine.ask("draftResume", { file }));
  if (found) begun(found);
}

/** Asks again: a change was undone. */
export async function reload() {
  const found = await attempt("", () => engine.ask("build", {}));
  if (found) show(found, true);
}

/**
 * Begins another draft. The one before stays under Recent.
 * @param {Commands["buildBegin"]} command
 */
export async function begin(command) {
  let { name = "" } = command;
  if (!command.text && !command.branch) {
    const first = command.shape || "new-cluster";
    for (let number = 1; ; number += 1) {
      name = number === 1 ? first : `${first}-${number}`;
      if ((await keptText(`draft:${name}.yaml`)) == null) break;
    }
  }
  const found = await attempt(say("app.build.beginning"), () => engine.ask("buildBegin", { ...command, name }));
  if (found) begun(found);
}

/** @param {DraftPage} found */
function begun(found) {
  batch(() => {
    ran.value = null;
    quota.value = new Map();
    choosing.value = false;
  });
  if (route.value.page !== "build") go(address("build", { open: `draft:${found.name}` }, true));
  show(found, true);
}

/**
 * Makes an edit. One that is refused changes nothing.
 * @template {"buildText" | "buildAdd" | "buildRemove" | "buildRename" | "buildMove" | "buildField" | "buildQuota" | "buildJob" | "buildJobs" | "buildDeleteJob" | "buildPool" | "buildDeletePool"} K
 * @param {K} command
 * @param {Commands[K]} fields
 * @returns {Promise<DraftPage | null>}
 */
export function edit(command, fields) {
  const made = last.then(async () => {
    try {
      const found = /** @type {DraftPage} */ (await engine.ask(command, fields));
      refused.value = "";
      show(found, true);
      return found;
    } catch (error) {
      const { message, problems } = failureOf(error);
      refused.value = [message, problems[0]?.hint ?? ""].filter(Boolean).join(". ");
      // What a control shows goes back to what is written.
      refusals.value += 1;
      if (draft.value) draft.value = { ...draft.value };
      return null;
    }
  });
  last = made.then(() => {});
  return made;
}

/** @param {DraftPage} found @param {boolean} changed */
function show(found, changed) {
  const before = draft.value;
  batch(() => {
    // While the text is not YAML, the tree and the jobs are those of the last one that was.
    const broken = !found.rows.length && found.problems.length && before?.name === found.name;
    draft.value = broken ? { ...found, rows: before.rows, jobs: before.jobs, queues: before.queues, priorityClasses: before.priorityClasses, pools: before.pools } : found;
    opened.value = found.opened;
    if (!found.name) return;
    const source = `draft:${found.name}`;
    nowOpen(source);
    const branch = found.branch || route.value.query.branch;
    if (route.value.page === "build") go(address("build", { open: source, branch }), true);
  });
  if (!found.name || !changed) return;
  const source = `draft:${found.name}`;
  void keepText(source, found.text).then(() => noteRecent(source, found.about, "build"));
  later();
}

function later() {
  clearTimeout(timer);
  const found = draft.value;
  if (runsAlone.value && found && !found.problems.length && found.jobs.length <= MOST_JOBS) timer = window.setTimeout(() => void run(), PAUSE);
}

/** Runs the draft; its result is shown beside it. */
export async function run() {
  clearTimeout(timer);
  await last;
  const before = draft.value;
  if (!before?.name) return;
  running.value = true;
  try {
    const found = await engine.ask("buildRun", {});
    const info = found.opened.branches.find((each) => each.name === found.branch);
    const overview = await engine.ask("overview", { branch: info?.clusters[0]?.branch ?? found.branch });
    if (draft.value?.name !== before.name) return;
    batch(() => {
      ran.value = found;
      opened.value = found.opened;
      refused.value = "";
      quota.value = new Map(overview.quota.map((row) => [`${row.kind}/${row.name}`, row]));
      if (route.value.page === "build") go(address("build", { branch: found.branch }), true);
    });
  } catch (error) {
    refused.value = failureOf(error).message;
  } finally {
    running.value = false;
  }
}

/** @param {"manifests" | "notebook" | "exercise" | "yaml"} kind */
export async function download(kind) {
  const found = draft.value;
  if (!found) return;
  const files = kind === "yaml" ? [{ name: found.name, text: found.text }] : (await attempt("", () => engine.ask("buildExport", { kind })))?.files ?? [];
  for (const { name, text } of files) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    link.download = name.replaceAll("/", "-");
    link.click();
    URL.revokeObjectURL(link.href);
  }
}

/** @param {string} file */
export async function save(file) {
  const found = await attempt("", () => engine.ask("buildSave", { file }));
  if (!found) return;
  toast(found.note, { tone: "ok" });
  if (draft.value) draft.value = { ...draft.value, file: found.file };
}
