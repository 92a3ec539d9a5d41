// What the command palette reaches: pages, actions, branches, objects, examples, the course.

import { begin } from "./build_draft.js";
import { recent } from "./drafts.js";
import { askAbout } from "./exercises.js";
import { useEffect, useState } from "./lib.js";
import { isOffered, isUsable } from "./pages.js";
import { address, go, PAGES, route } from "./route.js";
import { branch, engine, family, greeting, keysShown, opened, openRecent, openSource, prefer, step, theme } from "./store.js";
import { copyLink } from "./sharing.js";
import { THEMES } from "./themes.js";
import { language } from "./settings.js";
import { say } from "./words.js";

/** @typedef {{id: string, icon: string, label: string, note: string, run: () => void, keys: string[]}} Entry */

/** Workloads that the engine finds. */
const MOST_WORKLOADS = 6;

/** @param {string} id @param {string} icon @param {string} label @param {string} note @param {() => unknown} run @param {...string} keys @returns {Entry} */
const entry = (id, icon, label, note, run, ...keys) => ({ id, icon, label, note, run: () => void run(), keys });

/** The palette gives the focus back when it closes; this is after it. */
function search() {
  requestAnimationFrame(() => /** @type {HTMLElement | null} */ (document.querySelector(".work .search input"))?.focus());
}

/** Entries that need no answer of the engine. @returns {Entry[]} */
export function known() {
  const action = say("app.palette.action");
  const found = PAGES.filter((name) => isUsable(name) && isOffered(name)).map((name) =>
    entry(`page-${name}`, name, say(`app.page.${name}`), say("app.palette.page"), () => go(address(name, {}, true))));
  found.push(entry("keys", "keyboard", say("app.keys"), action, () => (keysShown.value = true), "?"));
  if (route.value.page === "workloads") found.push(entry("search", "search", say("app.palette.search"), action, search, "/"));
  if (family.value) found.push(entry("link", "link", say("app.link.copy"), action, copyLink));
  if (opened.value?.undo) found.push(entry("undo", "undo", say("app.undo"), action, () => step("undo"), "Ctrl", "Z"));
  if (opened.value?.redo) found.push(entry("redo", "redo", say("app.redo"), action, () => step("redo"), "Ctrl", "Y"));
  if (family.value?.parent) found.push(entry("compare", "compare", say("app.palette.compare", { before: family.value.parent }), action, () => go(address("compare", { before: family.value?.parent }, true))));
  for (const name of THEMES) found.push(entry(`theme-${name}`, "sun", say(`app.theme.${name}`), action, () => (theme.value = name)));
  for (const name of greeting.value?.languages ?? [])
    found.push(entry(`language-${name}`, "settings", language(name), say("app.settings.language"), () => prefer({ language: name })));
  for (const version of greeting.value?.releases ?? [])
    found.push(entry(`release-${version}`, "upgrade", say("app.kueue", { version }), say("app.settings.release"), () => prefer({ release: version })));
  for (const each of family.value?.clusters ?? [])
    found.push(entry(`cluster-${each.name}`, "clusters", each.name, each.role, () => go(address("overview", { cluster: each.name }, true))));
  for (const each of opened.value?.branches ?? [])
    found.push(entry(`branch-${each.name}`, "compare", each.name, say("app.branch"), () => go(address("overview", { branch: each.name }, true))));
  for (const each of greeting.value?.examples ?? [])
    found.push(entry(`example-${each.name}`, "file", each.name, each.title || each.groupTitle, () => openSource(each.name)));
  return found;
}

/** Asked for once, while the palette is open. @returns {Promise<Entry[]>[]} */
function asked() {
  const name = isUsable("change") && isOffered("change") ? branch.value?.name : "";
  return [
    askAbout("exercises", {}).then(({ topics }) => topics.flatMap((topic) => [
      entry(`topic-${topic.id}`, "exercises", topic.title, say("app.palette.topic"), () => go(address("exercises", { topic: topic.id }, true))),
      ...topic.exercises.map((each) => entry(`exercise-${each.name}`, "exercises", each.title, `${say("app.palette.exercise")} · ${each.name}`, () => go(address("exercises", { exercise: each.name }, true)))),
    ])),
    engine.ask("build", {}).then(({ shapes }) => shapes.map((each) =>
      entry(`shape-${each.name}`, "build", each.title, say("app.build.begin"), async () => { go(address("build", {}, true)); await begin({ shape: each.name }); }))),
    // Workloads are found as one writes.
    name ? engine.ask("objects", { branch: name }).then(({ objects }) => objects.filter((each) => !each.startsWith("Workload/")).flatMap((each) => [
      entry(`object-${each}`, "change", each, say("app.page.change"), () => go(address("change", { object: each }, true))),
      ...(each.startsWith("ClusterQueue/") ? [entry(`queue-${each}`, "workloads", each, say("app.page.workloads"), () => go(address("workloads", { queue: each.slice("ClusterQueue/".length) }, true)))] : []),
    ])) : Promise.resolve([]),
    recent().then((found) => found.map((each) =>
      entry(`recent-${each.source}`, "file", each.name || each.source.replace(/^(draft|context):/, ""), say("app.home.recent"), () => openRecent(each.source, each.page)))),
  ];
}

/** Entries from answers of the engine; there are more as answers come. */
export function useAsked() {
  const [found, setFound] = useState(/** @type {Entry[]} */ ([]));
  useEffect(() => {
    let gone = false;
    for (const each of asked()) each.then((more) => { if (!gone) setFound((before) => [...before, ...more]); }, () => {});
    return () => void (gone = true);
  }, []);
  return found;
}

/** The workloads whose names, queues or reasons have a text. @param {string} text */
export function useWorkloads(text) {
  const [found, setFound] = useState(/** @type {Entry[]} */ ([]));
  useEffect(() => {
    let old = false;
    if (!text.trim() || !branch.value) return setFound([]);
    engine.ask("workloads", { branch: branch.value.name, search: text, count: MOST_WORKLOADS }).then(({ rows }) => {
      if (!old) setFound(rows.map((each) => entry(each.workload, "workloads", each.workload, each.phaseText, () => go(address("workloads", { w: each.workload }, true)))));
    }, () => {});
    return () => void (old = true);
  }, [text]);
  return found;
}

/**
 * Returns the entries that have every word: first those that begin with the text, then those with it in their name.
 * @param {Entry[]} entries
 * @param {string} text
 */
export function matching(entries, text) {
  const whole = text.trim().toLowerCase();
  const parts = whole.split(/\s+/).filter(Boolean);
  const rank = (/** @type {Entry} */ each) => {
    const label = each.label.toLowerCase();
    return label.startsWith(whole) ? 0 : label.includes(whole) ? 1 : parts.every((part) => label.includes(part)) ? 2 : 3;
  };
  return entries
    .filter((each) => parts.every((part) => `${each.label} ${each.note}`.toLowerCase().includes(part)))
    .map((each) => ({ each, rank: rank(each) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ each }) => each);
}
