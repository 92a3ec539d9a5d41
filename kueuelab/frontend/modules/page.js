// A page or a part of one, with a document in it.

import { followAddress, stepOfAddress } from "./address.js";
import { shown } from "./comparison.js";
import { kernelOf } from "./kernel.js";

/**
 * Shows a document.
 * @param {HTMLElement} place
 * @param {FrameDocument} document
 * @param {boolean} whole whether the view is the page
 * @param {string} board that of the views that move together, "" for none
 */
export function showDocument(place, document, whole, board = "") {
  const step = whole ? stepOfAddress() : -1;
  const view = shown(place, document, {
    page: whole,
    step: step >= 0 ? step : document.start,
    selected: document.selected ?? null,
    ...(board ? { board, ask: kernelOf(board) } : {}),
  });
  if (whole) {
    window.document.title = document.title || document.name || "kueuelab";
    window.document.documentElement.lang = document.words.language || "en";
    followAddress(view.stepping);
    view.element.focus({ preventScroll: true });
  }
  void view.start();
  return view;
}
