// What differs between two runs: sentences and tables.

import { h } from "./dom.js";

/** @param {ComparisonTable} table */
const tableOf = ({ caption, columns, rows }) =>
  h(
    "div",
    { class: "kl-scroller", tabindex: 0, role: "region", "aria-label": caption },
    h(
      "table",
      { class: "kl-table" },
      h("caption", { text: caption }),
      h("thead", {}, h("tr", {}, ...columns.map((text) => h("th", { scope: "col", text })))),
      h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((text) => h("td", { text }))))),
    ),
  );

/** @param {ComparisonData} data */
export const comparison = ({ title, lines, tables }) =>
  h(
    "section",
    { class: "kl-comparison", "aria-label": title },
    h("div", { role: "status" }, ...lines.map((text) => h("p", { text }))),
    ...tables.map(tableOf),
  );
