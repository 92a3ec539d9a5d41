// The picture as a table: the same bars and workloads as text.

import { amountText } from "./amount.js";
import { aboutChip } from "./chips.js";
import { barText } from "./drawing.js";
import { h } from "./dom.js";

/** @typedef {import("./picture.js").Picture} Picture */

/** Longer tables say how many rows they leave out. */
const MOST = 400;

/**
 * @typedef {{node: string, kind: string, name: string, depth: number, lane: string,
 *   used: string, more: string, workloads: string}} TextRow
 */

/**
 * @param {Picture} picture
 * @returns {TextRow[]} one for each row of the picture
 */
export function textRows({ layout, frame, chips, say }) {
  return (layout?.rows ?? []).map((row) => {
    const node = frame.tree?.[row.node] ?? { kind: "", name: "" };
    const bar = frame.bars?.[row.bar];
    const [used = "", ...more] = bar ? barText(bar, say) : [];
    const workloads = chips.at(row.bar || row.node).map(([key, chip]) => {
      const placed = { key, chip, workloads: [chip.workload], x: 0, width: 0, text: "", shade: 0 };
      return aboutChip(placed, frame, say);
    });
    return {
      node: row.node,
      kind: node.kind,
      name: "cluster" in node && node.cluster ? `${node.cluster}: ${node.name}` : node.name,
      depth: row.depth,
      lane: bar ? `${bar.flavor}/${bar.resource}` : "",
      used,
      more: more.join(", "),
      workloads: workloads.join("; "),
    };
  });
}

/** @param {Picture} picture */
export function table(picture) {
  const { say } = picture;
  const rows = textRows(picture);
  const cells = rows
    .slice(0, MOST)
    .map(({ kind, name, depth, ...row }) =>
      h(
        "tr",
        {},
        h("th", { scope: "row", style: `--kl-depth:${depth}`, text: `${kind} ${name}` }),
        ...[row.lane, row.used, row.more, row.workloads].map((text) => h("td", { text })),
      ),
    );
  const heads = ["name", "quota", "used", "more", "workloads"].map((each) =>
    h("th", { scope: "col", text: say(`frontend.table.${each}`) }),
  );
  return h(
    "div",
    { class: "kl-table-scroll", tabindex: 0, role: "region", "aria-label": say("frontend.table.caption") },
    h(
      "table",
      { class: "kl-table" },
      h("caption", { text: say("frontend.table.caption") }),
      h("thead", {}, h("tr", {}, ...heads)),
      h("tbody", {}, ...cells),
    ),
    rows.length > MOST && h("p", { text: say("frontend.table.rest", { count: rows.length - MOST }) }),
  );
}

/**
 * Returns the frame as plain text.
 * @param {Picture} picture
 */
export function frameText(picture) {
  const { frame } = picture;
  const lines = [picture.stepping.place, `${frame.title}: ${frame.sentence}`];
  if (frame.message) lines.push(frame.message);
  lines.push(...Object.values(frame.findings ?? {}));
  lines.push("");
  for (const row of textRows(picture)) {
    const parts = [row.lane, row.used, row.more].filter(Boolean).join(", ");
    lines.push(`${"  ".repeat(row.depth)}${row.kind} ${row.name}${parts ? `: ${parts}` : ""}`);
    if (row.workloads) lines.push(`${"  ".repeat(row.depth + 1)}${row.workloads}`);
  }
  for (const each of Object.values(frame.candidates ?? {}))
    lines.push(`${each.rank || ""} ${each.workload || each.queue}: ${each.verdict}; ${each.why}`);
  return `${lines.join("\n")}\n`;
}

/**
 * Returns the numbers of a node by flavor and resource.
 * @param {Frame} frame
 * @param {string} node
 * @param {Say} say
 * @returns {[string, string][]}
 */
export function numbersOf(frame, node, say) {
  /** @type {[string, string][]} */
  const found = [];
  for (const bar of Object.values(frame.bars ?? {}))
    if (bar.node === node)
      for (const [name, amount] of /** @type {[string, number | undefined][]} */ ([
        ["nominal", bar.nominal],
        ["used", bar.used],
        ["borrowed", bar.borrowed],
        ["lends", bar.lends],
        ["borrowing-limit", bar.borrowingLimit],
        ["lending-limit", bar.lendingLimit],
      ]))
        if (amount !== undefined && (amount || name === "nominal" || name === "used"))
          found.push([
            `${bar.flavor}/${bar.resource} · ${say(`frontend.number.${name}`)}`,
            amountText(bar.resource, amount),
          ]);
  return found;
}
