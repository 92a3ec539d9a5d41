// The module of the Jupyter widget (anywidget): traits in, messages out.

import { asking } from "./asking.js";
import { shown } from "./comparison.js";
import { unpacked } from "./unpacking.js";

/** @typedef {import("./asking.js").Model} Model */

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

  let made = 0;
  const make = async () => {
    made += 1;
    const now = made;
    const found = await unpacked(model.get("document"));
    // Another document may have come meanwhile, or the view may have gone.
    if (now !== made) return;
    view?.end();
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
    void make();
  }, { rootMargin: "600px" });
  // What was just asked for is drawn wherever it is.
  if (model.get("at_once")) void make();
  else seen.observe(waiting);

  return () => {
    made = -1;
    seen.disconnect();
    end();
    for (const each of ["step", "elapsed"]) model.off(`change:${each}`, moved);
    model.off("change:selected", chosen);
    model.off("change:document", make);
    model.off("msg:custom", told);
    view?.end();
  };
}

export const kueuelabWidget = { render };
