// The gallery of examples: each with a small picture, its queues and their use at one moment.

import { el, h, signal, useEffect, useMemo, useState } from "./lib.js";
import { busy, engine, greeting, openSource } from "./store.js";
import { say } from "./words.js";

/** @typedef {import("./protocol.js").Example} Example */
/** @typedef {import("./protocol.js").ExamplePreview} ExamplePreview */
/** @typedef {import("./protocol.js").PreviewRow} PreviewRow */

/** Questions that strangers come with, each with the example that answers it. */
const QUESTIONS = ["two-teams", "reclaim-1-take-back", "fair-2-whose-job", "topology-9-preempts-for-a-rack", "loop-3-each-preempts-the-other", "lost-worker"];
/** The group of the questions; no example has this one. */
const FIRST = "questions";
/** Squares of pending workloads in a row; more are counted. */
const MOST_SQUARES = 5;

/** What is drawn, and what it means. */
const SIGNS = [["own", "app.bar.own"], ["borrowed", "app.bar.borrowed"], ["lent", "app.bar.lent"], ["leaving", "app.home.leaving"], ["pending", "app.home.pending"]];

/** Pictures that were asked for, by language and name. */
const pictures = signal(/** @type {Record<string, ExamplePreview>} */ ({}));

/** @param {string} name */
const keyOf = (name) => `${greeting.value?.language} ${name}`;

/**
 * Asks for pictures one after the other, so that what the reader asks for waits for one at most.
 * @param {Example[]} shown
 */
function usePictures(shown) {
  useEffect(() => {
    let gone = false;
    const ask = async () => {
      for (const { name } of shown) {
        if (gone || busy.value) return;
        if (pictures.value[keyOf(name)]) continue;
        const found = await engine.ask("preview", { name }).catch(() => null);
        if (found) pictures.value = { ...pictures.value, [keyOf(name)]: found };
      }
    };
    void ask();
    return () => void (gone = true);
  }, [shown, greeting.value?.language]);
}

export function Gallery() {
  const examples = greeting.value?.examples ?? [];
  const groups = useMemo(() => {
    const first = QUESTIONS.flatMap((name) => examples.find((each) => each.name === name) ?? []);
    const found = new Map([[FIRST, { title: say("app.home.questions"), items: first }]]);
    for (const each of examples) {
      const group = found.get(each.group) ?? { title: each.groupTitle, items: [] };
      group.items.push(each);
      found.set(each.group, group);
    }
    return found;
  }, [examples]);
  const [chosen, setChosen] = useState(FIRST);
  const items = groups.get(chosen)?.items ?? [];
  usePictures(items);
  return el("section.gallery", null,
    el("div.head", null, el("h2", null, say("app.home.examples")),
      el("div.seg", { role: "group", "aria-label": say("app.home.examples") }, ...[...groups].map(([name, group]) =>
        el("button", { key: name, "aria-pressed": name === chosen, onClick: () => setChosen(name) }, group.title)))),
    el("div.legend.signs", null, ...SIGNS.map(([kind, id]) => el("span", { key: kind }, el(`i.${kind}`), say(id)))),
    el("div.cards", null, ...items.map((each) =>
      h(Card, { key: each.name, example: each, asks: chosen === FIRST }))),
  );
}

/** @param {{example: Example, asks: boolean}} props */
function Card({ example, asks }) {
  const { name, title, group } = example;
  const picture = pictures.value[keyOf(name)];
  return el("button.card.example", { onClick: () => void openSource(name, group === "dumps" ? "overview" : "steps") },
    Picture(picture),
    el("b", null, asks ? say(`app.home.question.${name}`) : title || name),
    el("small", null, picture?.caption || (title ? "\u00a0" : say("app.home.dump"))),
    el("code", null, name));
}

/** What the caption says is not said again: readers of the screen get the text alone. @param {ExamplePreview | undefined} found */
function Picture(found) {
  if (!found) return el("span.still.waiting", { "aria-hidden": "true" });
  return el("span.still", { "aria-hidden": "true", class: found.evicts ? "evicts" : "" },
    ...found.rows.map(Row),
    found.more ? el("span.still-more", null, `+${found.more}`) : null);
}

/** @param {PreviewRow} row */
function Row(row) {
  const part = (/** @type {number} */ amount) => `${100 * amount}%`;
  const used = row.own + row.borrowed;
  // What evicted workloads hold is the end of what is used.
  const left = Math.max(0, used - row.evicted);
  const [own, borrowed] = [Math.min(row.own, left), Math.max(0, left - row.own)];
  return el("span.still-row", { class: row.kind.toLowerCase() },
    el("span.still-name", { style: { paddingLeft: `${row.depth * 10}px` } }, row.name),
    row.kind === "Cluster" ? el("i.still-rule") : el("span.still-use", null,
      el("span.still-bar", { style: { width: part(row.nominal) } }),
      el("span.still-parts", null,
        ...[["own", own], ["borrowed", borrowed], ["leaving", row.evicted], ["lent", row.lent]].map(([kind, amount]) =>
          Number(amount) > 0 ? el(`i.${kind}`, { key: kind, style: { width: part(Number(amount)) } }) : null))),
    el("span.still-pending", null, ...Array.from({ length: Math.min(row.pending, MOST_SQUARES) }, (_, index) => el("i", { key: index })),
      row.pending > MOST_SQUARES ? `+${row.pending - MOST_SQUARES}` : null));
}
