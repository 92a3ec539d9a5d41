// Building a scenario: its tree is the canvas; forms, YAML and jobs beside it, and what a run decides.

import { el, h, useEffect, useState } from "./lib.js";
import { icon } from "./icons.js";
import { Skeleton, Tag } from "./parts.js";
import { address } from "./route.js";
import { begin, choosing, download, draft, load, ran, refused, reload, run, runAlone, running, runsAlone, save } from "./build_draft.js";
import { Editor, showLine } from "./build_editor.js";
import { Form, TextField } from "./build_form.js";
import { Jobs } from "./build_time.js";
import { Tree } from "./build_tree.js";
import { branch, greeting, undone } from "./store.js";
import { say } from "./words.js";

/** @typedef {import("./protocol.js").DraftPage} DraftPage */
/** @typedef {import("./protocol.js").Trouble} Problem */

/** So many decisions are shown beside; Steps has all of them. */
const FIRST = 4;
/** What an event is drawn as. */
const TONES = /** @type {Record<string, string>} */ ({ admitted: "ok", admittedAtOnce: "ok", preempted: "bad", evicted: "bad", preempting: "warn" });

export function Build() {
  useEffect(() => void load(), []);
  useEffect(() => { if (undone.value) void reload(); }, [undone.value]);
  const found = draft.value;
  if (!found) return el("div.page", null, h(Skeleton, { lines: 8 }));
  if (!found.name || choosing.value) return Shapes(found);
  return el("div.page.build", null,
    el("div.title.build-title", null,
      el("div", null, el("h1", null, say("app.page.build")), el("p", null, found.name, found.file ? ` · ${found.file}` : "", " · ", found.kept || say("app.build.kept"))),
      el("div.row", null,
        el("button.btn", { onClick: () => (choosing.value = true) }, say("app.build.new")),
        h(Files, { found }),
        el("label.tick", null, el("input", { type: "checkbox", checked: runsAlone.value, onChange: (/** @type {any} */ event) => runAlone(event.target.checked) }), say("app.build.alone")),
        el("button.btn.primary", { onClick: () => void run(), disabled: Boolean(found.problems.length) }, say(running.value ? "app.build.running" : "app.build.run")))),
    refused.value ? el("p.refused", { role: "alert" }, icon("alert"), refused.value, el("button.quiet", { onClick: () => (refused.value = ""), "aria-label": say("app.dismiss") }, icon("close"))) : null,
    el("div.bench", null,
      el("div.stack", null, h(Tree, null), h(Jobs, null)),
      el("div.stack", null, h(Result, { found }), h(Form, null)),
      el("section.card.text", { "aria-label": say("app.build.yaml") },
        el("div.head", null, el("h2", null, say("app.build.yaml")), el("span.pill", { class: found.problems.length ? "tone-bad" : "" }, found.problems.length ? say("app.build.problems", { count: found.problems.length + found.moreProblems }) : say("app.build.valid"))),
        h(Editor, { key: found.name }),
        found.problems.length ? el("ul.problems", null, ...found.problems.slice(0, 5).map(Line)) : el("p.note", null, say("app.build.yaml.keys")))));
}

/** @param {Problem} problem @param {number} at */
function Line(problem, at) {
  const { place } = problem;
  return el("li", { key: at },
    el("button.link", { onClick: () => showLine(place?.line ?? 1) }, say("app.build.line", { line: place?.line ?? 1 })),
    el("span", null, problem.message, problem.hint ? el("small", null, problem.hint) : null));
}

/** @param {{found: DraftPage}} props */
function Result({ found }) {
  const result = ran.value;
  if (found.problems.length)
    return el("section.card.result", { "aria-label": say("app.build.result") },
      el("div.head", null, el("h2", null, say("app.build.result")), h(Tag, { tone: "bad" }, say("app.build.problems", { count: found.problems.length + found.moreProblems }))),
      el("p.say", null, found.problems[0].message), el("button.link", { onClick: () => showLine(found.problems[0].place?.line ?? 1) }, say("app.build.show-line")));
  const more = result ? result.decisions.length + result.moreDecisions - FIRST : 0;
  return el("section.card.result", { "aria-label": say("app.build.result") },
    el("div.head", null, el("h2", null, say("app.build.result")), running.value ? el("span.pill", { role: "status" }, say("app.build.running")) : null),
    el("p.say", { role: "status" }, result?.sentence ?? say("app.build.not-run")),
    result?.decisions.length ? el("ol.life", null, ...result.decisions.slice(0, FIRST).map((each) =>
      el("li", { key: each.step, class: `tone-${TONES[each.what] ?? "quiet"}` }, el("time", null, each.time), el("span", null, each.text),
        result.step != null ? el("a.step", { href: address("steps", { open: `draft:${found.name}`, branch: result.branch, step: each.step + 1 }, true) }, say("app.step", { step: each.step + 1 })) : null))) : null,
    more > 0 ? el("p.note", null, say("app.overview.more-findings", { count: more })) : null,
    result?.decisions.length ? el("div.row", null,
      result.step == null
        ? el("a.btn.primary", { href: address("clusters", { branch: result.branch }, true) }, icon("clusters"), say("app.page.clusters"))
        : el("a.btn.primary", { href: address("steps", { branch: result.branch, step: result.step + 1 }, true) }, icon("steps"), say("app.build.steps")),
      el("a.btn", { href: address("overview", { branch: result.branch }, true) }, say("app.page.overview"))) : null);
}

/** @param {{found: DraftPage}} props */
function Files({ found }) {
  const [file, setFile] = useState(found.file || found.name);
  return el("details.menu", null, el("summary.btn", null, say("app.build.files"), icon("down")),
    el("div.menu-box", null,
      greeting.value?.folder ? el("form.row", { onSubmit: (/** @type {Event} */ event) => { event.preventDefault(); void save(file); } },
        h(TextField, { label: say("app.build.file"), value: file, commit: setFile }), el("button.btn", { type: "submit" }, say("app.build.save"))) : null,
      ...(/** @type {const} */ (["yaml", "manifests", "notebook", "exercise"])).map((kind) =>
        el("button.menu-item", { key: kind, onClick: () => void download(kind) }, say(`app.build.download.${kind}`)))));
}

/** @param {DraftPage} found */
function Shapes(found) {
  const open = branch.value;
  return el("div.page.shapes", null,
    el("div.title", null, el("h1", null, say("app.build.begin")), el("p", null, say("app.build.begin.about"))),
    el("div.shape-cards", null, ...found.shapes.map((shape) =>
      el("button.card.shape", { key: shape.name, onClick: () => void begin({ shape: shape.name }) },
        picture(shape.name), el("b", null, shape.title), el("span.calm", null, shape.about)))),
    el("div.row", null,
      el("button.btn", { onClick: () => void begin({}) }, say("app.build.begin.empty")),
      open ? el("button.btn", { onClick: () => void begin({ branch: open.name }) }, say("app.build.begin.open", { name: open.name })) : null,
      found.name ? el("button.btn", { onClick: () => (choosing.value = false) }, say("app.build.begin.back", { name: found.name })) : null));
}

/** Boxes of a shape's picture: left, top, width, and what it is drawn as. */
const PICTURES = /** @type {Record<string, [number, number, number, string][]>} */ ({
  "one-team": [[56, 30, 48, "own"]],
  "teams-that-share": [[44, 8, 72, "lent"], [24, 48, 48, "own"], [88, 48, 48, "borrowed"]],
  departments: [[56, 2, 48, "lent"], [20, 30, 48, "lent"], [92, 30, 48, "lent"], [4, 60, 32, "own"], [44, 60, 32, "borrowed"], [84, 60, 32, "own"], [124, 60, 32, "own"]],
  "on-demand-and-spot": [[24, 16, 44, "own"], [72, 16, 64, "own-soft"], [24, 48, 44, "own"], [72, 48, 64, "own-soft"]],
  "gpus-by-topology": [[8, 12, 32, "own"], [44, 12, 32, "own"], [84, 12, 32, "own-soft"], [120, 12, 32, "own-soft"], [8, 34, 32, "own"], [44, 34, 32, "own-soft"], [84, 34, 32, "own-soft"], [120, 34, 32, "own-soft"], [8, 60, 68, "lent"], [84, 60, 68, "lent"]],
  "several-clusters": [[56, 8, 48, "own"], [16, 52, 48, "borrowed"], [96, 52, 48, "lent"]],
});

/** @param {string} name */
function picture(name) {
  return h("svg", { viewBox: "0 0 160 80", class: "shape-picture", "aria-hidden": "true" },
    ...(PICTURES[name] ?? []).map(([x, y, width, kind], at) => h("rect", { key: at, x, y, width, height: 16, rx: 4, class: `fill-${kind}` })));
}
