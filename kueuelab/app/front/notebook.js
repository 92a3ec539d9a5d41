// The model of the widget, where the app is in a cell of a notebook. In a page of its own there is
// none.

/** @typedef {import("./wire_kernel.js").Model} Model */

export const model = /** @type {Model | null} */ (null);
