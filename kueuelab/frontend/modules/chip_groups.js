// The chip of an elastic job with its slices inside, and that of a workload with its variants.

import { amountText } from "./amount.js";

/** Before the name of a variant: how far it is, so that colour alone says nothing. */
export const OUTCOMES = { won: "✓", lost: "✕", waits: "…", migrates: "⇄", finished: "■" };

/** Whether a chip is that of a workload. @param {Chip} chip @param {string} workload */
export const has = (chip, workload) =>
  chip.workload === workload || (workload !== "" && chip.parts?.[workload] !== undefined);

/**
 * Returns the chips of the workloads of a group, of which one chip was made.
 * @param {Chip} chip
 * @returns {Chip[]}
 */
export function takenApart(chip) {
  const parts = Object.entries(chip.parts ?? {});
  if (parts.length < 2) return [chip];
  const { bar, queue, priority, since, group, kind } = chip;
  return parts.map(([workload, part]) => ({ bar, queue, priority, since, group, kind, ...part, workload }));
}

/** What a slice that is alone adds to its job, behind the name of the job. @param {Chip} chip */
export function addedText({ adds, parts }) {
  const [first] = Object.entries(adds ?? {});
  return first && parts ? ` +${amountText(...first)}` : "";
}

/** Whether the parts of a chip are drawn: one that holds quota alone is the chip. @param {Chip} chip */
export const showsParts = ({ kind, queue, parts }) =>
  parts !== undefined && ((kind === "variant" && queue !== undefined) || Object.keys(parts).length > 1);

/** What is in front of the name of a chip: how far the variant is that holds quota. @param {Chip} chip */
export function outcomeOf({ kind, bar, parts }) {
  const [first] = Object.values(parts ?? {});
  return kind === "variant" && bar && first?.outcome ? `${OUTCOMES[first.outcome]} ` : "";
}
