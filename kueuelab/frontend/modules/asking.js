// Questions to the kernel of a model, and their answers.

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
export function asking(model) {
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
