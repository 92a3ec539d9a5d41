// The frame around every page: navigation, what is open, the palette, toasts.

import { el, h, useEffect } from "./lib.js";
import { icon, logo } from "./icons.js";
import { Build } from "./build.js";
import { Exercises } from "./exercises.js";
import { Capacity } from "./capacity.js";
import { Change } from "./change.js";
import { Home } from "./home.js";
import { isInDrawingKeys, isTyping, KeysDialog, keysOf } from "./keys.js";
import { Levers } from "./levers.js";
import { Overview } from "./overview.js";
import { Palette } from "./palette.js";
import { AsRead, Skeleton, Trouble } from "./parts.js";
import { address, go, route } from "./route.js";
import { branch, busy, dismiss, engine, engineState, failure, family, greeting, keysShown, long, opened, paletteShown, progress, step, stop, theme, toasts, when } from "./store.js";
import { Settings } from "./settings.js";
import { copyLink } from "./sharing.js";
import { Steps } from "./steps.js";
import { Clusters } from "./clusters.js";
import { Compare } from "./compare.js";
import { isOffered, isUsable, needsDecisions, needsInput } from "./pages.js";
import { nextTheme } from "./themes.js";
import { TryJob } from "./try_job.js";
import { Topology } from "./topology.js";
import { Upgrade } from "./upgrade.js";
import { say } from "./words.js";
import { Workloads } from "./workloads.js";

const PLACES = /** @type {[string, string][]} */ ([
  ["home", "app.page.home"],
  ["overview", "app.page.overview"],
  ["workloads", "app.page.workloads"],
  ["levers", "app.page.levers"],
  ["try-job", "app.page.try-job"],
  ["change", "app.page.change"],
  ["steps", "app.page.steps"],
  ["topology", "app.page.topology"],
  ["clusters", "app.page.clusters"],
  ["compare", "app.page.compare"],
  ["capacity", "app.page.capacity"],
  ["upgrade", "app.page.upgrade"],
  ["build", "app.page.build"],
  ["exercises", "app.page.exercises"],
  ["settings", "app.page.settings"],
]);

/** Pages that show one of several clusters. */
const OF_A_CLUSTER = ["overview", "workloads", "levers", "change", "steps", "topology"];

export function App() {
  useEffect(() => {
    const pressed = (/** @type {KeyboardEvent} */ event) => {
      if (isInDrawingKeys(event.target)) return;
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        keysShown.value = false;
        paletteShown.value = !paletteShown.value;
      } else if (event.key === "?" && !event.ctrlKey && !event.metaKey && !event.altKey && !paletteShown.value && !isTyping(event)) {
        event.preventDefault();
        keysShown.value = true;
      } else if ((event.ctrlKey || event.metaKey) && !event.altKey && !paletteShown.value && !keysShown.value && !isTyping(event)) {
        const key = event.key.toLowerCase();
        const what = key === "z" && !event.shiftKey ? "undo" : key === "y" || key === "z" ? "redo" : "";
        if (!what || !opened.value?.[what] || busy.value) return;
        event.preventDefault();
        void step(what);
      }
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
  if (!greeting.value) return el("div.starting", { role: "status", "aria-busy": "true" }, logo());
  const { page } = route.value;
  const isOpen = Boolean(opened.value?.branches.length);
  useTitle(page, isOpen ? (family.value?.name ?? "") : "");
  return el("div.app", null,
    el("a.skip", { href: "#main", onClick: skip }, say("app.skip")),
    Top(), Nav(page),
    el("main.main", { id: "main", tabIndex: -1 }, Page(page, isOpen)),
    Busy(),
    Away(),
    el("div.toasts", { role: "status", "aria-live": "polite" }, ...toasts.value.map((each) =>
      el("div.toast", { key: each.id, class: each.tone ? `tone-${each.tone}` : "" },
        el("span", null, each.text),
        each.undo && opened.value?.undo ? el("button.link", { onClick: () => { dismiss(each.id); void step("undo"); } }, say("app.undo")) : null,
        el("button.quiet", { onClick: () => dismiss(each.id), "aria-label": say("app.dismiss") }, icon("close")),
      ))),
    paletteShown.value ? Veil(paletteShown, h(Palette, null)) : null,
    keysShown.value ? Veil(keysShown, h(KeysDialog, null)) : null,
  );
}

function Busy() {
  const text = busy.value || (long.value ? say("app.working") : "");
  if (!text) return null;
  const now = progress.value;
  const canStop = engine.canStop && ["ready", "restoring"].includes(engineState.value);
  return el("div.busy", { role: "status" },
    el("div.busy-head", null, el("i"), text),
    canStop ? el("button.link", { onClick: stop }, say("app.stop")) : null,
    now ? el("div.busy-part", { "aria-live": "off" }, el("span", null, now.text), el("progress", { max: now.total, value: now.done, "aria-label": now.text })) : null);
}

/** A server that is gone: what to do next. */
function Away() {
  if (engineState.value !== "lost" || !engine.wire.comesBack) return null;
  return el("div.busy.away", { role: "alert" }, icon("alert"), say("app.engine.away"));
}

/** What lies above the page; a click beside it closes it. @param {{value: boolean}} shown @param {import("./lib.js").VNode} inside */
function Veil(shown, inside) {
  return el("div.veil", { onClick: (/** @type {MouseEvent} */ event) => { if (event.target === event.currentTarget) shown.value = false; } }, inside);
}

/** @param {Event} event */
function skip(event) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

/** @param {string} page @param {string} name */
function useTitle(page, name) {
  useEffect(() => {
    document.querySelector(".nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    document.title = [name, say(`app.page.${page}`), say("app.name")].filter(Boolean).join(" · ");
  }, [page, name]);
}

function Top() {
  const found = family.value;
  const root = found?.parent ? rootOf(found.name) : found?.name;
  const branches = opened.value?.branches ?? [];
  return el("header.top", null,
    el("a.logo", { href: address("home", {}, true), "aria-label": say("app.page.home") }, logo(), el("b", null, say("app.name"))),
    found
      ? el("div.file", { title: found.about }, icon("file"), el("b", null, root), el("small", null, found.about, found.at ? ` · ${when(found.at * 1000)}` : ""))
      : null,
    el("a.pill.version", { href: address("settings", {}, true), title: say("app.settings.release") }, say("app.kueue", { version: family.value?.release || greeting.value?.release || greeting.value?.kueueVersion || "" })),
    branches.length > 1
      ? el("label.pill.branch", null,
          el("span.hidden", null, say("app.branch")),
          el("select", {
            value: found?.name,
            onChange: (/** @type {any} */ event) => (location.hash = address(route.value.page, { branch: event.target.value })),
          }, ...branches.map((each) => el("option", { value: each.name, key: each.name }, each.name))))
      : null,
    found?.clusters.length && OF_A_CLUSTER.includes(route.value.page) ? Cluster(found) : null,
    EngineNote(),
    el("span.space"),
    opened.value?.undo ? el("button.quiet.wide-only", { onClick: () => step("undo"), "aria-label": say("app.undo"), title: say("app.undo") }, icon("undo")) : null,
    opened.value?.redo ? el("button.quiet.wide-only", { onClick: () => step("redo"), "aria-label": say("app.redo"), title: say("app.redo") }, icon("redo")) : null,
    family.value ? el("button.quiet", { onClick: () => void copyLink(), title: say("app.link.copy"), "aria-label": say("app.link.copy") }, icon("link")) : null,
    el("button.quiet", { onClick: nextTheme, title: say(`app.theme.${theme.value}`), "aria-label": say(`app.theme.${theme.value}`) }, icon("sun")),
    el("button.cmd", { onClick: () => (paletteShown.value = true), "aria-label": say("app.palette.open") },
      icon("search"), el("span", null, say("app.palette.open")), keysOf(["Ctrl", "K"])),
  );
}

/** @param {import("./protocol.js").BranchInfo} found */
function Cluster(found) {
  const chosen = found.clusters.find((each) => each.branch === branch.value?.name);
  return el("label.pill.branch", null,
    el("span.hidden", null, say("app.clusters.cluster")),
    el("select", { value: chosen?.name, onChange: (/** @type {any} */ event) => go(address(route.value.page, { cluster: event.target.value, w: "", step: "" })) },
      ...found.clusters.map((each) => el("option", { value: each.name, key: each.name }, each.name))));
}

function EngineNote() {
  const state = engineState.value;
  if (state === "ready") return null;
  if (state === "lost") return engine.wire.comesBack ? null : el("span.pill.tone-bad", { role: "alert" }, say(`app.engine.lost.${engine.wire.place}`));
  return el("span.pill.engine", { role: "status" }, say(`app.engine.${state}`));
}

/** @param {string} name @returns {string} */
function rootOf(name) {
  const each = opened.value?.branches.find((one) => one.name === name);
  return each?.parent ? rootOf(each.parent) : name;
}

/** Pages that begin a group of the navigation: about what is open, and what needs nothing open. */
const BEGINS = ["overview", "build"];

/** Pages that have nothing to show yet are not in the way. @param {string} page */
function Nav(page) {
  return el("nav.nav", { "aria-label": say("app.nav") },
    ...PLACES.filter(([name]) => isOffered(name) && isUsable(name)).map(([name, id]) =>
      el("a", { key: name, href: address(name, {}, true), class: BEGINS.includes(name) ? "begins" : "", "aria-current": name === page ? "page" : undefined },
        icon(name), el("span", null, say(id)),
        name === "workloads" && branch.value?.pending ? el("b", { "aria-label": say("app.nav.pending", { count: branch.value.pending }) }, branch.value.pending.toLocaleString("en")) : null)),
    opened.value?.branches.length ? null : el("p.nav-hint", null, say("app.nav.hint")));
}

/** @param {string} page @param {boolean} isOpen */
function Page(page, isOpen) {
  if (needsInput(page) && !isOpen) {
    const title = el("div.title", null, el("h1", null, say(`app.page.${page}`)));
    if (busy.value || ["starting", "restoring"].includes(engineState.value)) return el("div.page", null, title, h(Skeleton, { lines: 8 }));
    return el("div.page", null, title,
      failure.value ? Trouble({ failure: failure.value }) : null,
      el("div.empty", null, el("h2", null, say("app.nothing-open")), el("p", null, say("app.nothing-open.hint")),
        el("a.btn.primary", { href: "#/home" }, say("app.open"))));
  }
  if (needsDecisions(page)) return el("div.page", null, el("div.title", null, el("h1", null, say(`app.page.${page}`))), h(AsRead, {}));
  const Shown = { home: Home, overview: Overview, workloads: Workloads, levers: Levers, "try-job": TryJob, change: Change, steps: Steps, topology: Topology, clusters: Clusters, compare: Compare, capacity: Capacity, upgrade: Upgrade, build: Build, exercises: Exercises, settings: Settings }[page] ?? Home;
  return h(Shown, { key: page });
}
