// The module of the Jupyter widget (anywidget): traits in, messages out.

import { shown } from "./comparison.js";
import { linked } from "./kernel.js";

/**
 * @typedef {object} Model
 * @property {(name: string) => any} get
 * @property {(name: string, value: any) => void} set
 * @property {() => void} save_changes
 * @property {(name: string, listener: (...values: any[]) => void) => void} on
 * @property {(name: string, listener: (...values: any[]) => void) => void} off
 * @property {(message: any) => void} send
 */

/** Milliseconds until a question without an answer has none: the kernel is gone, or busy. */
const PATIENCE = 60_000;

/**
 * Returns a function that asks the kernel of a model.
 * @param {Model} model
 * @returns {{ask: Ask, end: () => void}}
 */
function asking(model) {
  let count = 0;
  const prefix = Math.random().toString(36).slice(2);
  /** @type {Map<string, {resolve: (answer: any) => void, reject: (error: Error) => void}>} */
  const open = new Map();
  const heard = (/** @type {any} */ message) => {
    open.get(message?.id)?.resolve(message);
    open.delete(message?.id);
  };
  model.on("msg:custom", heard);
  const ask = (/** @type {Record<string, Json>} */ question) =>
    new Promise((resolve, reject) => {
      const id = `${prefix}-${(count += 1)}`;
      open.set(id, { resolve, reject });
      setTimeout(() => {
        if (open.delete(id)) reject(new Error());
      }, PATIENCE);
      try {
        model.send({ ...question, id });
      } catch (error) {
        open.delete(id);
        reject(/** @type {Error} */ (error));
      }
    });
  return { ask: /** @type {Ask} */ (ask), end: () => model.off("msg:custom", heard) };
}

/**
 * Hides the parts of the page for which a widget stands.
 * @param {string} board
 */
function cover(board) {
  for (const each of document.querySelectorAll(".kl-embedded"))
    if (each instanceof HTMLElement && each.dataset.board === board) each.hidden = true;
}

/**
 * @param {{model: Model, el: HTMLElement}} cell
 */
function render({ model, el }) {
  if (model.get("covers")) cover(model.get("board"));
  const { ask, end } = asking(model);
  const waiting = document.createElement("div");
  waiting.className = "kl-awaited";
  // It has about its height from the start: what is below does not jump, and comes into view late.
  waiting.style.minHeight = "560px";
  el.append(waiting);
  /** @type {ReturnType<typeof shown> | null} */
  let view = null;

  const make = () => {
    view?.end();
    const found = model.get("document");
    if (!found?.chunks) return;
    waiting.style.minHeight = "";
    const selected = model.get("selected") ?? {};
    view = shown(waiting, found, {
      ask,
      board: model.get("board") ?? "",
      step: model.get("step") ?? found.start,
      elapsed: model.get("elapsed") ?? 0,
      selected: selected.kind ? selected : null,
      ...(model.get("options") ?? {}),
    });
    const { stepping } = view;
    stepping.onStep(() => {
      if (model.get("step") === stepping.step) return;
      model.set("step", stepping.step);
      model.set("elapsed", stepping.elapsed);
      later();
    });
    stepping.clocks.add(() => {
      model.set("elapsed", stepping.elapsed);
      later();
    });
    stepping.onSelect((after) => {
      model.set("selected", after ?? {});
      later();
    });
    void view.start();
    return view;
  };

  // The kernel hears where the view is, but not of each step of a fast walk.
  let timer = 0;
  const later = () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      timer = 0;
      if (view) model.set("step", view.stepping.step);
      try {
        model.save_changes();
      } catch {
        // Without a kernel there is nothing to save to.
      }
    }, 100);
  };
  const moved = async () => {
    // The kernel repeats where the view was; it does not know yet where it is now.
    if (timer) return;
    await view?.stepping.go(model.get("step"));
    view?.stepping.pass(model.get("elapsed") ?? 0);
  };
  const chosen = () => {
    const selected = model.get("selected") ?? {};
    const now = view?.stepping.selection ?? null;
    if (view && JSON.stringify(now ?? {}) !== JSON.stringify(selected))
      view.stepping.select(selected.kind ? selected : null);
  };
  const told = (/** @type {any} */ message) => {
    if (typeof message?.go === "number") void view?.stepping.go(message.go);
    if (message?.select) view?.stepping.select(message.select.kind ? message.select : null);
  };
  for (const each of ["step", "elapsed"]) model.on(`change:${each}`, moved);
  model.on("change:selected", chosen);
  model.on("change:document", make);
  model.on("msg:custom", told);

  // It is drawn when it comes into view: eleven views of a notebook do not wait for each other.
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some((each) => each.isIntersecting)) return;
    seen.disconnect();
    make();
  }, { rootMargin: "600px" });
  // What was just asked for is drawn wherever it is.
  if (model.get("at_once")) make();
  else seen.observe(waiting);

  return () => {
    seen.disconnect();
    end();
    for (const each of ["step", "elapsed"]) model.off(`change:${each}`, moved);
    model.off("change:selected", chosen);
    model.off("change:document", make);
    model.off("msg:custom", told);
    view?.end();
  };
}

/**
 * A model without a view of its own is the kernel of the views of its board.
 * @param {{model: Model}} made
 */
function initialize({ model }) {
  if (!model.get("links")) return undefined;
  const { ask, end } = asking(model);
  const leave = linked(model, ask);
  return () => {
    leave();
    end();
  };
}

export const kueuelabWidget = { initialize, render };
