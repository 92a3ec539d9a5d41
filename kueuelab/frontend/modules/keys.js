// Keys, and the page that lists them.

import { h } from "./dom.js";

/** @typedef {import("./stepping.js").Stepping} Stepping */
/** @typedef {import("./player.js").Player} Player */

/** Each key with what it does; the ids of the texts are made from the names. */
const KEYS = /** @type {const} */ ([
  ["→", "next"],
  ["←", "previous"],
  ["Home", "first"],
  ["End", "last"],
  ["Space", "play"],
  ["]", "next-step"],
  ["[", "previous-step"],
  ["p", "preemption"],
  ["1 2 3 4", "by"],
  ["g", "go-to"],
  ["/", "search"],
  ["t", "table"],
  ["+ −", "zoom"],
  ["0", "fit"],
  ["Esc", "deselect"],
  ["?", "help"],
]);

export class Keys {
  /**
   * @param {Stepping} stepping
   * @param {Player} player
   */
  constructor(stepping, player) {
    this.stepping = stepping;
    this.player = player;
    const { say } = stepping;
    this.close = h("button", { type: "button", text: say("frontend.keys.close") });
    this.dialog = h(
      "dialog",
      { class: "kl-help", "aria-label": say("frontend.keys") },
      h("h2", { text: say("frontend.keys") }),
      h(
        "dl",
        {},
        ...KEYS.map(([key, name]) => h("div", {}, h("dt", {}, h("kbd", { text: key })), h("dd", { text: say(`frontend.keys.${name}`) }))),
      ),
      h("p", { text: say("frontend.keys.picture") }),
      this.close,
    );
    this.close.addEventListener("click", () => this.dialog.close());
    /** @type {Record<string, () => void>} */
    this.actions = {
      ArrowRight: () => void stepping.move(1),
      ArrowLeft: () => void stepping.move(-1),
      Home: () => void stepping.go(0),
      End: () => void stepping.go(stepping.document.steps - 1),
      " ": () => player.toggle(),
      "]": () => void stepping.move(1, "step"),
      "[": () => void stepping.move(-1, "step"),
      p: () => void stepping.until([{ event: "preempted" }], 1),
      "?": () => this.help(),
      Escape: () => stepping.select(null),
    };
  }

  help() {
    if (!this.dialog.open) this.dialog.showModal();
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (target.closest("dialog")) return;
    const typing = target.matches("textarea,select,input:not([type=range])");
    if (typing || target.isContentEditable) return;
    const { key } = event;
    if (target.matches("input[type=range]") && /^(Arrow|Home|End|Page)/.test(key)) return;
    if ((key === " " || key === "Enter") && target.matches("button,summary,a")) return;
    const act = this.actions[key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }
}
