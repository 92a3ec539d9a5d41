// What belongs to a workload: slices of an elastic job as one history, or variants that race.

import { el, h } from "./lib.js";
import { Tag } from "./parts.js";
import { address } from "./route.js";

/** @typedef {import("./protocol.js").WorkloadGroup} WorkloadGroup */

/**
 * The slices in the order in which they were created, or the variants in that of their flavors.
 * @param {{group: WorkloadGroup}} props
 */
export function Group({ group }) {
  const shown = (/** @type {string} */ workload) => address("workloads", { w: workload });
  const inside = group.members.map((each) =>
    el("li", { key: each.workload, class: each.isShown ? "shown" : "", "aria-current": each.isShown ? "true" : undefined },
      h(Tag, { tone: each.tone }, each.state),
      el("div", null,
        each.isShown ? el("b", null, each.name) : el("a", { href: shown(each.workload) }, each.name),
        each.about ? el("small", null, each.about) : null)));
  return el("section.group", { class: group.kind },
    el("div.sec", null, el("h2", null, group.title)),
    el(`ol.members.${group.kind}`, { "aria-label": group.title }, inside));
}
