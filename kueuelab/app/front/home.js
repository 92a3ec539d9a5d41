// The first page: open something, go on with something, or begin with an example.

import { el, h, useEffect, useState } from "./lib.js";
import { Gallery } from "./gallery.js";
import { icon } from "./icons.js";
import { recent } from "./drafts.js";
import { Trouble } from "./parts.js";
import { resume } from "./build_draft.js";
import { attempt, busy, engine, failure, greeting, openContent, openRecent, openSource, toast, undone, when } from "./store.js";
import { linkIn } from "./sharing.js";
import { say } from "./words.js";

/** Bytes of files that are dropped together. */
const LARGEST = 256 * 2 ** 20;
/** A file of so many bytes is sent as it is, and not read here. */
const LARGE = 2 ** 20;

/** @param {FileList | File[]} files */
async function openFiles(files) {
  const list = [...files];
  if (!list.length) return;
  const size = list.reduce((sum, file) => sum + file.size, 0);
  if (size > LARGEST) {
    failure.value = { message: say("app.home.too-large"), problems: [], more: 0 };
    return;
  }
  // Several files are one text of several documents.
  const file = list.length === 1 ? list[0] : new Blob(list.flatMap((each, number) => (number ? ["\n---\n", each] : [each])));
  await openContent(list[0].name, size > LARGE ? file : await file.text());
}

/** Where one learns: a run step by step, exercises, a cohort of one's own. */
const LESSONS = { steps: "#/steps?open=reclaim-1-take-back", exercises: "#/exercises", build: "#/build" };

export function Home() {
  const folder = greeting.value?.folder;
  const [over, setOver] = useState(false);
  const [path, setPath] = useState("");
  const [context, setContext] = useState("");
  const [pasting, setPasting] = useState(false);
  const [pasted, setPasted] = useState("");
  const [known, setKnown] = useState(/** @type {import("./drafts.js").Recent[]} */ ([]));
  const [drafts, setDrafts] = useState(/** @type {readonly import("./protocol.js").KeptDraft[]} */ ([]));
  useEffect(() => void recent().then(setKnown), []);
  // What is taken back, or done again, may be a draft that was discarded.
  useEffect(() => void (folder && engine.ask("drafts", {}).then((found) => setDrafts(found.drafts), () => {})), [undone.value]);
  useEffect(() => {
    // What is pasted anywhere on the page is opened.
    const paste = (/** @type {ClipboardEvent} */ event) => {
      if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return;
      const text = event.clipboardData?.getData("text/plain") ?? "";
      const link = linkIn(text);
      if (link) { location.hash = link; return; }
      if (text.includes(":")) void openContent(say("app.home.pasted"), text);
    };
    addEventListener("paste", paste);
    return () => removeEventListener("paste", paste);
  }, []);
  const contexts = greeting.value?.contexts ?? [];
  // A draft beside a file is in this browser, too.
  const shown = known.filter((each) => !drafts.some((draft) => each.source === `draft:${draft.name}`));
  // A file that is dropped beside the place for it would take the browser away from here.
  const drop = {
    onDragOver: (/** @type {DragEvent} */ event) => { event.preventDefault(); setOver(true); },
    onDragLeave: () => setOver(false),
    onDrop: (/** @type {DragEvent} */ event) => { event.preventDefault(); setOver(false); void openFiles(event.dataTransfer?.files ?? []); },
  };
  return el("div.page.home", drop,
    el("div.hero", null, el("h1", null, say("app.home.title")), el("p", null, say("app.home.about"))),
    el("div.open", null,
      el("label.drop", { class: over ? "over" : "" },
        el("input.hidden", { type: "file", multiple: true, accept: ".yaml,.yml,.json,.txt", onChange: (/** @type {any} */ event) => void openFiles(event.target.files) }),
        el("span.drop-icon", null, icon("file")),
        el("b", null, say("app.home.drop")), el("span", null, say("app.home.drop.about")),
        el("code", null, ...say("app.home.command").split(" ").flatMap((word) => [el("span", null, word), " "])),
        el("small", null, say("app.home.local")),
      ),
      el("div.ways", null,
        folder
          ? el("form", { onSubmit: (/** @type {Event} */ event) => { event.preventDefault(); if (path.trim()) void openSource(path.trim()); } },
              el("label", { for: "path" }, say("app.home.path")),
              el("div.row", null,
                el("input.in", { id: "path", value: path, spellcheck: false, placeholder: "queues.yaml", onInput: (/** @type {any} */ event) => setPath(event.target.value) }),
                el("button.btn", { type: "submit", disabled: !path.trim() }, say("app.open"))))
          : null,
        contexts.length
          ? el("form", { onSubmit: (/** @type {Event} */ event) => { event.preventDefault(); void openSource(`context:${context || contexts[0]}`); } },
              el("label", { for: "context" }, say("app.home.context")),
              el("div.row", null,
                el("select.in", { id: "context", value: context || contexts[0], onChange: (/** @type {any} */ event) => setContext(event.target.value) },
                  ...contexts.map((each) => el("option", { key: each, value: each }, each))),
                el("button.btn", { type: "submit" }, say("app.home.read"))))
          : null,
        pasting
          ? el("form", { onSubmit: (/** @type {Event} */ event) => { event.preventDefault(); if (pasted.trim()) void openContent(say("app.home.pasted"), pasted); } },
              el("label", { for: "pasted" }, say("app.home.paste")),
              el("textarea.in", { id: "pasted", rows: 6, value: pasted, spellcheck: false, onInput: (/** @type {any} */ event) => setPasted(event.target.value) }),
              el("button.btn", { type: "submit", disabled: !pasted.trim() }, say("app.open")))
          : el("button.btn", { onClick: () => setPasting(true) }, say("app.home.paste")),
        known.length || drafts.length
          ? el("section.recent", null, el("h2", null, say("app.home.recent")), ...drafts.map((each) => Draft(each, setDrafts)), ...shown.map((each) =>
              el("button.recent-item", { key: each.source, onClick: () => void openRecent(each.source, each.page) },
                el("b", null, each.name || each.source.replace(/^(draft|context):/, "")), el("small", null, each.about, " · ", when(each.time)))))
          : null),
    ),
    failure.value && !busy.value ? Trouble({ failure: failure.value }) : null,
    h(Gallery, null),
    el("section.learn", null, el("h2", null, say("app.home.learn")), el("div.cards", null, ...Object.entries(LESSONS).map(([name, to]) =>
      el("a.card.lesson", { key: name, href: to }, icon(name), el("b", null, say(`app.home.learn.${name}`)), el("small", null, say(`app.home.learn.${name}.about`)))))),
  );
}

/**
 * A draft beside a file: it goes on in Build, or is discarded.
 * @param {import("./protocol.js").KeptDraft} each
 * @param {(drafts: readonly import("./protocol.js").KeptDraft[]) => void} setDrafts
 */
function Draft(each, setDrafts) {
  const discard = async () => {
    const found = await attempt("", () => engine.ask("draftDiscard", { file: each.file }));
    if (!found) return;
    setDrafts(found.drafts);
    toast(say("app.home.draft.discarded", { name: each.name }), { tone: "ok" });
  };
  return el("div.recent-draft", { key: each.file },
    el("button.recent-item", { onClick: () => void resume(each.file) },
      el("b", null, each.name), el("small", null, each.about, " · ", when(each.time * 1000))),
    el("button.link", { onClick: () => void discard(), "aria-label": say("app.home.draft.discard.about", { name: each.name }) }, say("app.home.draft.discard")));
}
