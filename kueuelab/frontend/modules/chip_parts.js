// The slices or variants inside of a chip: only a run that has some needs this module.

import { amountText, withoutNamespace } from "./amount.js";
import { OUTCOMES, showsParts } from "./chip_groups.js";
import { fitted, keyed, put, s, widthOf, write } from "./dom.js";

const PADDING = 12;
const LEAST = 9;

/** @param {string} workload @param {Part} part */
function nameOf(workload, part) {
  const mark = part.outcome ? `${OUTCOMES[part.outcome]} ` : "";
  return mark + (part.flavor ?? withoutNamespace(workload));
}

/**
 * The width of the name of what pending variants belong to, which is in front of them.
 * @param {Chip} chip
 */
const headOf = (chip) => (chip.queue ? widthOf(withoutNamespace(chip.group ?? ""), 12) + PADDING + 12 : 0);

/**
 * The width that pending variants need.
 * @param {Chip} chip
 */
export function widthOfParts(chip) {
  if (!chip.queue || !showsParts(chip)) return 0;
  const names = Object.entries(chip.parts ?? {}).map((each) => widthOf(nameOf(...each), 11) + PADDING);
  return names.reduce((sum, each) => sum + each, headOf(chip));
}

/**
 * What there is to say of the slices or variants of a chip.
 * @param {Chip} chip
 * @param {string} resource that of its bar
 * @param {Say} say
 * @returns {string[]}
 */
export function aboutParts(chip, resource, say) {
  return Object.entries(chip.parts ?? {})
    .filter(([workload]) => workload !== chip.group || showsParts(chip))
    .map(([workload, part]) => {
      const added = Object.entries(part.adds ?? chip.adds ?? {})
        .map(([name, amount]) => `+${amountText(name, amount)} ${name}`)
        .join(", ");
      const name = withoutNamespace(workload);
      const said = [
        part.flavor ?? "",
        part.amount === undefined || !resource ? "" : amountText(resource, part.amount),
        part.replaces ? say("frontend.chip.replaces", { workload: withoutNamespace(part.replaces) }) : "",
        added,
        part.reserved ? say("frontend.chip.reserved") : "",
        part.outcome ? say(`frontend.outcome.${part.outcome}`) : (part.phase ?? ""),
      ].filter(Boolean);
      return said.length ? say("frontend.chip.part", { name, about: said.join(", ") }) : name;
    });
}

/**
 * Where each part is in its chip: those in a bar by their amounts, the others by their names.
 * @param {Chip} chip
 * @param {number} width
 * @returns {[string, {x: number, width: number, part: Part, text: string}][]}
 */
function placed(chip, width) {
  const parts = Object.entries(chip.parts ?? {});
  const total = chip.amount || 1;
  const names = parts.map((each) => widthOf(nameOf(...each), 11) + PADDING);
  const sum = names.reduce((one, other) => one + other, 0);
  let x = headOf(chip);
  const room = Math.max(0, width - x);
  return parts.map(([workload, part], place) => {
    const share = chip.bar ? (part.amount ?? chip.amount ?? 0) / total : names[place] / sum;
    const own = room * share;
    const text = own > LEAST ? fitted(nameOf(workload, part), own - 6, 11) : "";
    const found = { x, width: own, part, text: text.length > 1 ? text : "" };
    x += own;
    return [workload, found];
  });
}

/**
 * Draws the slices or variants of a chip into it.
 * @param {Element} layer
 * @param {Chip} chip
 * @param {number} width
 * @param {number} height
 * @param {string} selected
 */
export function drawParts(layer, chip, width, height, selected) {
  keyed(
    layer,
    showsParts(chip) ? placed(chip, width) : [],
    (_, workload) => {
      const parts = { shape: s("rect", { rx: 2 }), text: s("text") };
      return Object.assign(s("g", { "data-part": workload }, parts.shape, parts.text), { parts });
    },
    (element, { x, width: own, part, text }, workload) => {
      const classes = ["kl-part"];
      if (part.hollow) classes.push("kl-hollow");
      if (part.outcome) classes.push(`kl-outcome-${part.outcome}`);
      if (part.role) classes.push(`kl-role-${part.role}`);
      if (workload === selected) classes.push("kl-chosen");
      put(element, { class: classes.join(" ") });
      const top = chip.bar ? 2.5 : 1.5;
      put(element.parts.shape, {
        x: x + 2,
        y: top,
        width: Math.max(1, own - 3),
        height: Math.max(1, height - 2 * top),
      });
      put(element.parts.text, { x: x + 6, y: height / 2 + 4 });
      write(element.parts.text, text);
    },
  );
}
