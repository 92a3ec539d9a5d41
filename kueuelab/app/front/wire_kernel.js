// The engine in the kernel of a notebook: messages of the widget that this cell shows.

import { randomName } from "./names.js";

/**
 * The model of a widget, as anywidget hands it over.
 * @typedef {object} Model
 * @property {(name: string) => any} get
 * @property {(name: string, value: any) => void} set
 * @property {() => void} save_changes
 * @property {(name: string, listener: (message: any) => void) => void} on
 * @property {(message: any) => void} send
 */

/** Characters of a message: a server of notebooks takes no message of more than 10 MiB. */
const LONGEST = 2 ** 21;

/**
 * @param {Model} model
 * @returns {import("./engine.js").Wire}
 */
export function kernelWire(model) {
  // A widget may be shown in several places, and each of them hears all messages.
  const view = randomName();
  /** @type {import("./engine.js").Wire} */
  const wire = {
    place: "notebook",
    send: (text) => {
      try {
        for (let start = 0; start < text.length; start += LONGEST)
          model.send({ view, part: text.slice(start, start + LONGEST), last: start + LONGEST >= text.length });
      } catch {
        // A notebook without a kernel.
        wire.onState("lost");
      }
    },
    onText: () => {},
    onState: () => {},
  };
  model.on("msg:custom", (message) => {
    if (message?.view !== view) return;
    if (message.stopped) wire.onStopped?.();
    else wire.onText(message.answer);
  });
  queueMicrotask(() => wire.onState("ready"));
  return wire;
}
