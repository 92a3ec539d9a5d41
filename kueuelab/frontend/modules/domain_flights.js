// Pods that move: from the quota that their workload has in the picture to their hosts.

import { h } from "./dom.js";
import { mayMove } from "./slides.js";

const TIMING = { duration: 520, easing: "cubic-bezier(.3,.6,.2,1)" };
/** More of them at once say nothing, and cost time. */
const MOST = 40;

/**
 * Lets the pods of places that are new move to their hosts.
 * @param {Element} panel
 * @param {{workload: string, colour: number, hosts: Element[]}[]} arrived
 */
export function fly(panel, arrived) {
  const view = panel.closest(".kl-view");
  if (!view || !mayMove()) return;
  const frame = view.getBoundingClientRect();
  let count = 0;
  for (const { workload, colour, hosts } of arrived) {
    const from = start(view, workload);
    if (!from) continue;
    for (const host of hosts) {
      if ((count += 1) > MOST) return;
      const to = host.getBoundingClientRect();
      const pod = h("i", { class: `kl-flying kl-pod-${colour}`, "aria-hidden": "true" });
      view.append(pod);
      const at = (/** @type {DOMRect} */ { left, top, width, height }) =>
        `translate(${left + width / 2 - frame.left}px, ${top + height / 2 - frame.top}px)`;
      const flight = pod.animate([{ transform: at(from) }, { transform: at(to) }], TIMING);
      flight.onfinish = flight.oncancel = () => pod.remove();
    }
  }
}

/** @param {Element} view @param {string} workload */
function start(view, workload) {
  const chips = /** @type {NodeListOf<SVGElement>} */ (view.querySelectorAll(".kl-picture [data-chip]"));
  const chip = [...chips].find((each) => each.dataset.workload === workload);
  return (chip ?? view.querySelector(".kl-seeking"))?.getBoundingClientRect() ?? null;
}
