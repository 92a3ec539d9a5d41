// The topology as a table: the same domains as text.

import { amountText, shortName } from "./amount.js";
import { h } from "./dom.js";

/** @typedef {import("./domain_tree.js").Domain} Domain */
/** @typedef {import("./panel_domains.js").DomainsPanel} DomainsPanel */

/** Longer tables say how many rows they leave out. */
const MOST = 300;

/** @param {Domain} top @returns {Generator<[Domain, number]>} */
function* below(top, depth = 0) {
  for (const child of top.children) {
    yield [child, depth];
    yield* below(child, depth + 1);
  }
}

/**
 * Returns the pods of a domain: how many of which workload.
 * @param {Domain} domain
 * @param {Say} say
 */
export function podsText(domain, say) {
  const pods = [...domain.pods].slice(0, 8).map(([key, { count }]) => {
    const workload = shortName(key.slice(0, key.lastIndexOf("|")));
    return say("frontend.domains.pods", { count, workload });
  });
  if (domain.pods.size > pods.length) pods.push(say("frontend.domains.more", { count: domain.pods.size - pods.length }));
  return pods.join(", ");
}

/** @param {DomainsPanel} panel */
export function domainsTable(panel) {
  const { say, resource, focus } = panel;
  const rows = [...below(focus)];
  const seeking = panel.fits(focus) !== null;
  const columns = ["domain", "free", "outside", ...(seeking ? ["fits"] : []), "state", "workloads"];
  const amount = (/** @type {number | undefined} */ value) => amountText(resource, value ?? 0);
  const cells = rows.slice(0, MOST).map(([domain, depth]) =>
    h(
      "tr",
      {},
      h("th", { scope: "row", style: `--kl-depth:${depth}`, text: panel.nameOf(domain) }),
      h("td", { text: say("frontend.domains.free", { free: amount(domain.free[resource]), room: amount(domain.room[resource]) }) }),
      h("td", { text: amount(domain.outside[resource]) }),
      seeking && h("td", { text: String(panel.fits(domain) ?? "") }),
      h("td", { text: panel.state(domain) }),
      h("td", { text: podsText(domain, say) }),
    ),
  );
  const caption = say("frontend.domains.table", { resource });
  return h(
    "div",
    { class: "kl-table-scroll", tabindex: 0, role: "region", "aria-label": caption },
    h(
      "table",
      { class: "kl-table" },
      h("caption", { text: caption }),
      h("thead", {}, h("tr", {}, ...columns.map((each) => h("th", { scope: "col", text: say(`frontend.domains.column.${each}`) })))),
      h("tbody", {}, ...cells),
    ),
    rows.length > MOST && h("p", { text: say("frontend.table.rest", { count: rows.length - MOST }) }),
  );
}
