// What the pages share: the engine, what is open, toasts; and the actions that change it.

import { Engine, EngineError, StoppedError } from "./engine.js";
import { batch, computed, effect, signal } from "./lib.js";
import { address, go, route } from "./route.js";
import { keepText, kept as keptContent, noteRecent } from "./drafts.js";
import { say, speak } from "./words.js";

/** @typedef {import("./protocol.js").Greeting} Greeting */
/** @typedef {import("./protocol.js").Opened} Opened */
/** @typedef {import("./protocol.js").Failure} Failure */
/** @typedef {{id: number, text: string, tone: string, undo: boolean}} Toast */

export const engine = new Engine();

export const engineState = signal(/** @type {import("./engine.js").EngineState} */ ("starting"));
export const greeting = signal(/** @type {Greeting | null} */ (null));
export const opened = signal(/** @type {Opened | null} */ (null));
/** What is under way, as a sentence; "" for nothing. */
export const busy = signal("");
/** How far it is, where that is known. */
export const progress = signal(/** @type {import("./protocol.js").Working | null} */ (null));
/** Whether a question takes long. */
export const long = signal(false);
export const failure = signal(/** @type {Failure | null} */ (null));
export const toasts = signal(/** @type {Toast[]} */ ([]));
export const paletteShown = signal(false);
export const keysShown = signal(false);

/** The branch of the address, or the one that was made last; it may be of several clusters. */
export const family = computed(() => {
  const found = opened.value;
  if (!found?.branches.length) return null;
  const named = found.branches.find((each) => each.name === route.value.query.branch);
  return named ?? found.branches.find((each) => each.name === found.branch) ?? found.branches[0];
});
/** The branch that pages are about; of several clusters, the one of the address, or the manager. */
export const branch = computed(() => {
  const found = family.value;
  if (!found?.clusters.length) return found;
  const member = found.clusters.find((each) => each.name === route.value.query.cluster) ?? found.clusters[0];
  return { ...found, ...member, name: member.branch };
});

let count = 0;

/**
 * Shows a note for a while.
 * @param {string} text
 * @param {{tone?: string, undo?: boolean}} [options]
 */
export function toast(text, { tone = "", undo = false } = {}) {
  count += 1;
  const id = count;
  toasts.value = [...toasts.value.slice(-2), { id, text, tone, undo }];
  setTimeout(() => dismiss(id), undo ? 10_000 : 5_000);
}

/** @param {number} id */
export function dismiss(id) {
  toasts.value = toasts.value.filter((each) => each.id !== id);
}

/**
 * Returns what is wrong, as data.
 * @param {unknown} error
 * @returns {Failure}
 */
export function failureOf(error) {
  if (error instanceof EngineError) return error.failure;
  const message = say(error instanceof StoppedError ? "app.stopped" : `app.engine.lost.${engine.wire.place}`);
  return { message, problems: [], more: 0 };
}

/**
 * Does something that takes a while; what is wrong is shown.
 * @template T
 * @param {string} text
 * @param {() => Promise<T>} action
 * @returns {Promise<T | null>}
 */
export async function attempt(text, action) {
  busy.value = text;
  try {
    return await action();
  } catch (error) {
    if (error instanceof StoppedError) {
      toast(say("app.stopped"));
      return null;
    }
    const found = failureOf(error);
    if (opened.value?.branches.length) toast(found.message, { tone: "bad" });
    failure.value = found;
    return null;
  } finally {
    busy.value = "";
  }
}

/** Whether the reader gave up what was being restored. */
let abandoned = false;

/** Ends what is under way, also while what was open is restored. */
export function stop() {
  if (engineState.value === "restoring") {
    abandoned = true;
    toast(say("app.engine.restoring.stopped"));
  }
  engine.stop();
}

/** Pages that are shown first. Several clusters have their own, and so has what is only listed. */
const FIRST_PAGES = ["overview", "steps"];

/** What is open, as an address names it; null until the engine said what is open. */
let shown = /** @type {string | null} */ (null);
/** Changes that were undone or done again. */
export const undone = signal(0);

/** Takes note that a page opened what an address names. @param {string} source */
export function nowOpen(source) {
  shown = source;
}

/** @param {Opened} found @param {string} page @param {string} source */
function show(found, page, source) {
  shown = source;
  batch(() => {
    opened.value = found;
    failure.value = null;
    const named = found.branches.find((each) => each.name === found.branch);
    const own = named?.clusters.length ? "clusters" : named?.stage === "listed" ? "workloads" : page;
    const first = FIRST_PAGES.includes(page) ? own : page;
    go(address(first, { open: source, branch: found.branch, cluster: "" }, true));
  });
}

/**
 * Opens a packaged name or the path of a file.
 * @param {string} source
 * @param {string} [page]
 */
export async function openSource(source, page = "overview") {
  const found = await attempt(say("app.opening", { name: source }), () => engine.ask("open", { source, decide: false }));
  if (!found) return;
  show(found, page, source);
  void noteRecent(source, found.branches.at(-1)?.about ?? "");
}

/** Asks to open what was dropped, pasted or kept. @param {string} name @param {string | Blob} content */
function askToOpen(name, content) {
  return content instanceof Blob ? engine.ask("open", { name, decide: false }, content) : engine.ask("open", { name, text: content, decide: false });
}

/**
 * Opens a file that was dropped, or text that was pasted. It stays on this machine, and is kept here.
 * @param {string} name
 * @param {string | Blob} content
 * @param {string} [page]
 */
export async function openContent(name, content, page = "overview") {
  const found = await attempt(say("app.opening", { name }), () => askToOpen(name, content));
  if (!found) return;
  const source = `draft:${name}`;
  show(found, page, source);
  await keepText(source, content);
  void noteRecent(source, found.branches.at(-1)?.about ?? "");
}

/** @param {string} source @param {string} [page] */
export async function openRecent(source, page = "") {
  if (page === "build") return go(address("build", { open: source }, true));
  if (source.startsWith("link:")) return go(address("overview", { open: source, branch: "" }, true));
  if (!source.startsWith("draft:")) return openSource(source);
  const content = await keptContent(source);
  if (content != null) await openContent(source.slice(6), content);
}

/** Whether what is shown is an input as it was read, checked or not. */
export function isAsRead() {
  return branch.value != null && branch.value.stage !== "decided";
}

/** Inputs that are loaded, or of which that was stopped, by name. @type {Set<string>} */
const loads = new Set();
// An input that is only listed is checked and loaded at once; its table is there meanwhile.
effect(() => {
  const found = opened.value?.branches.find((each) => each.stage === "listed");
  if (found && engineState.value === "ready" && !loads.has(found.name)) void load(found.name);
});

/** @param {string} name */
async function load(name) {
  loads.add(name);
  failure.value = null;
  const found = await attempt(say("app.loading", { name }), () => engine.ask("load", { branch: name }));
  if (found) opened.value = found;
  // What is stopped, or was too much for the engine, is not begun again by itself.
  const refused = /** @type {Failure | null} */ (failure.value)?.problems.length;
  if (found || refused) loads.delete(name);
  if (refused) await leave();
}

/** Shows what is left where something could not be opened. */
async function leave() {
  const found = await engine.ask("hello", {}).catch(() => null);
  if (!found) return;
  batch(() => {
    opened.value = found.opened;
    go(address("home", { open: "", branch: "" }, true));
  });
}

/** Decides the branch that is shown as it was read. */
export async function decide() {
  const name = branch.value?.name ?? "";
  const found = await attempt(say("app.deciding", { name }), () => engine.ask("decide", { branch: name }));
  if (found) opened.value = found;
}

/**
 * Makes a branch with a lever, and shows what it changes.
 * @param {string} workload
 * @param {number} lever
 * @param {number[]} [more] levers that are applied with it
 */
export async function tryLever(workload, lever, more = []) {
  const command = { workload, lever, more, branch: branch.value?.name ?? "" };
  const before = family.value?.name ?? "";
  const found = await attempt(say("app.trying"), () => engine.ask("try", command));
  if (!found) return;
  opened.value = found;
  toast(found.note, { tone: "ok", undo: true });
  go(address("compare", { before, branch: found.branch, w: "" }));
}

/**
 * Makes a branch with a fault of a cluster, and shows the step at which it happens.
 * @param {import("./protocol.js").AddFaultCommand} command
 */
export async function addFault(command) {
  const found = await attempt(say("app.trying"), () => engine.ask("fault", command));
  if (!found) return;
  batch(() => {
    opened.value = found;
    go(address("clusters", { branch: found.branch, step: command.step + 1 }));
  });
  toast(found.note, { tone: "ok", undo: true });
}

/**
 * Makes a branch with an object changed, and shows what that changes. What is wrong is raised.
 * @param {string} name the branch, or one of its clusters
 * @param {string} object
 * @param {string} text
 */
export async function edit(name, object, text) {
  const before = family.value?.name ?? "";
  const found = await engine.ask("edit", { branch: name, object, text });
  opened.value = found;
  toast(found.note, { tone: "ok", undo: true });
  go(address("compare", { before, branch: found.branch, object: "" }));
}

/** @param {"undo" | "redo"} what */
export async function step(what) {
  const found = await attempt("", () => engine.ask(what));
  if (!found) return;
  opened.value = found;
  undone.value += 1;
  toast(found.note);
  const { page, query } = route.value;
  if (page === "build") return;
  const gone = !found.branches.some((each) => each.name === query.branch);
  if (gone) go(address(found.branches.length ? (page === "compare" ? "overview" : page) : "home", { branch: found.branch, before: "" }));
}

// --- settings -----------------------------------------------------------------------------

/** @typedef {{language: string, release: string, zone: string}} Preferences */

/** @returns {Preferences} */
function kept() {
  try {
    return { language: "", release: "", zone: "", ...JSON.parse(localStorage["kueuelab-settings"] ?? "{}") };
  } catch {
    return { language: "", release: "", zone: "" };
  }
}

/** What is chosen on Settings; "" is the default. */
export const preferences = signal(kept());

/** @param {Partial<Preferences>} changes */
export async function prefer(changes) {
  preferences.value = { ...preferences.value, ...changes };
  localStorage["kueuelab-settings"] = JSON.stringify(preferences.value);
  await applyPreferences();
}

/** Tells the engine what is chosen, unless it knows. */
async function applyPreferences() {
  const { language, release } = preferences.value;
  const now = greeting.value;
  if (!now || ((language || now.language) === now.language && release === now.release)) return;
  const found = await attempt("", () => engine.ask("settings", { language: language || null, release }));
  if (!found) return;
  speak(found.words);
  batch(() => {
    greeting.value = found;
    opened.value = found.opened;
    document.documentElement.lang = found.language;
  });
}

/** A moment in the time zone that is chosen. @param {number} milliseconds */
export function when(milliseconds) {
  const { language } = greeting.value ?? { language: "en" };
  /** @type {Intl.DateTimeFormatOptions} */
  const options = { dateStyle: "medium", timeStyle: "short", timeZone: preferences.value.zone || undefined };
  try {
    return new Intl.DateTimeFormat(language, options).format(milliseconds);
  } catch {
    // A time zone that this browser does not know.
    return new Intl.DateTimeFormat(language, { ...options, timeZone: undefined }).format(milliseconds);
  }
}

/** Asks for the words and what is open, and opens what the address names. */
export async function start() {
  engine.onState = (state) => (engineState.value = state);
  engine.onLong = (found) => (long.value = found);
  engine.onProgress = (found) => (progress.value = found);
  engine.onOpened = (found) => (opened.value = found);
  const found = await engine.hello();
  speak(found.words);
  batch(() => {
    greeting.value = found;
    opened.value = found.opened;
    document.documentElement.lang = found.language;
  });
  if (await engine.restores()) {
    const again = await attempt(say("app.engine.restoring"), () => engine.ask("hello", {}));
    if (again) batch(() => { greeting.value = again; opened.value = again.opened; });
  }
  await applyPreferences();
  const { page, query } = route.value;
  const branches = opened.value?.branches ?? [];
  // An address without a branch names an input, which may be open already.
  const open = query.open && !query.branch && branches.find((each) => each.source === query.open);
  if (open) go(address(page, { branch: open.name }), true);
  const kept = open || branches.some((each) => each.name === query.branch);
  shown = ((kept || abandoned) && query.open) || "";
  follow();
}

// Back and forward, and an address that is pasted, may name another input than the one that is open.
effect(follow);

function follow() {
  const { page, query: { open: source } } = route.value;
  // Build opens its draft itself.
  if (shown === null || !source || source === shown || page === "build") return;
  shown = source;
  void reopen(source);
}

/**
 * Opens what an address names. An address that changed meanwhile is followed, not overwritten.
 * @param {string} source
 */
async function reopen(source) {
  const draft = source.startsWith("draft:");
  const content = draft ? await keptContent(source) : null;
  if (draft && content == null) return;
  const link = source.startsWith("link:");
  const name = draft ? source.slice(6) : link ? say("app.link") : source;
  const found = await attempt(say("app.opening", { name }), () =>
    link ? engine.ask("openLink", { link: source.slice(5) }) : content != null ? askToOpen(name, content) : engine.ask("open", { source, decide: false }),
  );
  // Another page, or another input, may have been chosen meanwhile.
  const { page, query } = route.value;
  if (!found || query.open !== source) return;
  if (link) void noteRecent(source, found.branches.find((each) => each.name === found.branch)?.about ?? "", "", found.branch);
  batch(() => {
    opened.value = found;
    go(address(page, { branch: found.branch, before: "" }), true);
  });
}

// --- the theme --------------------------------------------------------------------------

export const theme = signal(localStorage["kueuelab-theme"] ?? "auto");
effect(() => {
  localStorage["kueuelab-theme"] = theme.value;
  document.documentElement.dataset.theme = theme.value;
});
