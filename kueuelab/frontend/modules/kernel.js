// The kernel behind a board, if there is one: views that are part of a page ask there.

import { asking } from "./asking.js";
import { boardOf } from "./board.js";

/** @typedef {import("./asking.js").Model} Model */

/**
 * The functions that ask, by board: each copy of the modules finds them in the page.
 * @returns {Map<string, Ask>}
 */
function kernels() {
  const page = /** @type {any} */ (globalThis);
  return (page[Symbol.for("kueuelab.kernels")] ??= new Map());
}

/**
 * Returns a function that asks the kernel of a board; without one there is no answer.
 * @param {string} board
 * @returns {Ask}
 */
export function kernelOf(board) {
  return /** @type {Ask} */ (
    (question) => kernels().get(board)?.(question) ?? Promise.reject(new Error())
  );
}

/**
 * Lets a model of the kernel answer for its board, and follow the views of the board: it has no
 * view of its own.
 * @param {Model} model
 * @returns {() => void} ends it
 */
export function linked(model) {
  const { ask, end } = asking(model);
  const id = model.get("board");
  const board = boardOf(id);
  kernels().set(id, ask);
  const same = (/** @type {any} */ a, /** @type {any} */ b) =>
    JSON.stringify(a ?? {}) === JSON.stringify(b ?? {});
  let timer = 0;
  const leave = board.join(({ step, selected }) => {
    // The kernel hears where the views are, but not of each step of a fast walk: not of one that
    // they came back from, either.
    clearTimeout(timer);
    timer = 0;
    if (model.get("step") === step && same(model.get("selected"), selected)) return;
    timer = window.setTimeout(() => {
      timer = 0;
      if (step >= 0) model.set("step", step);
      model.set("selected", selected ?? {});
      model.save_changes();
    }, 100);
  });
  const told = () => {
    // The kernel repeats where the views were; it does not know yet where they are now.
    if (timer) return;
    const [step, found] = [model.get("step"), model.get("selected")];
    const selected = found?.kind ? found : null;
    const { place } = board;
    if (place.step !== step || !same(place.selected, selected)) board.set({ step, selected });
  };
  model.on("change:step", told);
  model.on("change:selected", told);
  return () => {
    end();
    leave();
    kernels().delete(id);
    model.off("change:step", told);
    model.off("change:selected", told);
  };
}
