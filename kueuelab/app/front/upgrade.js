// Another release of Kueue: what to change, the first decision that differs, and its causes.

import { el, h } from "./lib.js";
import { Skeleton, Trouble, useAnswer } from "./parts.js";
import { address, go, route } from "./route.js";
import { branch, engine } from "./store.js";
import { say } from "./words.js";

/** @typedef {import("./protocol.js").UpgradeFound} UpgradeFound */

export function Upgrade() {
  const { from = "", to = "" } = route.value.query;
  const name = branch.value?.name ?? "";
  const { found, failure } = useAnswer(() => engine.ask("upgrade", { before: from, after: to, branch: name }), [from, to, name]);
  return el("div.page", null,
    el("div.title", null, el("h1", null, say("app.page.upgrade")), el("p", null, found?.sentence ?? "\u00a0")),
    failure ? h(Trouble, { failure }) : !found ? h(Skeleton, { lines: 8 }) : [
      el("div.pair", null, Release("from", found.before, found), el("span.arrow", { "aria-hidden": "true" }, "→"), Release("to", found.after, found)),
      el("div.cols", null,
        el("section.card", null, el("div.head", null, el("h2", null, say("app.upgrade.change"))),
          found.required.length + found.objects.length ? Lines([...found.required, ...found.objects]) : el("p.calm", null, say("app.upgrade.nothing")),
          found.gates.length ? [el("h3", null, say("app.upgrade.gates")), Lines(found.gates)] : null),
        el("section.card", null, el("div.head", null, el("h2", null, say("app.compare.first"))),
          found.first.length ? Lines(found.first) : el("p.calm", null, say("app.upgrade.same")),
          found.workloads ? el("p.calm", null, say("app.upgrade.workloads", { count: found.workloads })) : null,
          found.causes.length ? [el("h3", null, say("app.upgrade.causes")), Lines(found.causes)] : null,
          found.fixed.length ? [el("h3", null, say("app.upgrade.fixed")), Lines(found.fixed)] : null,
          found.brought.length ? [el("h3", null, say("app.upgrade.brought")), Lines(found.brought)] : null))]);
}

/** @param {"from" | "to"} side @param {string} chosen @param {UpgradeFound} found */
function Release(side, chosen, found) {
  return el("label", null, el("span", null, say(`app.upgrade.${side}`)),
    el("select.in", { value: chosen, onChange: (/** @type {any} */ event) => go(address("upgrade", { [side]: event.target.value })) },
      ...found.releases.map((each) => el("option", { key: each, value: each }, each))));
}

/** @param {readonly string[]} lines */
function Lines(lines) {
  return lines.map((each) => el("p.calm", { key: each }, each));
}
