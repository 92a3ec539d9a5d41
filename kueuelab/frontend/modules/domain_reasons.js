// The selected workload: where its pods are, or what is free for them and why that is not enough.

import { amountText, shortName } from "./amount.js";
import { has } from "./chip_groups.js";
import { button, h, keyed, write } from "./dom.js";
import { DomainLevers } from "./domain_levers.js";
import { DomainTree, roomFor } from "./domain_tree.js";
import { WorkloadExplanation } from "./workload_explanation.js";

/** @typedef {import("./panel_domains.js").DomainsPanel} DomainsPanel */

/** More hosts of one pod set are only counted. */
const MOST_HOSTS = 12;

export class DomainReasons {
  /** @param {DomainsPanel} panel */
  constructor(panel) {
    this.panel = panel;
    const { stepping } = panel;
    this.lines = h("div", { class: "kl-reasons-room", "aria-live": "polite" });
    this.why = new WorkloadExplanation(stepping, ["h2", "h3"]);
    this.why.element.hidden = stepping.document.view !== "topology";
    this.title = button("", "", () => this.#toggle());
    this.title.classList.add("kl-reasons-title");
    this.levers = new DomainLevers(stepping);
    this.element = h(
      "div",
      { class: "kl-reasons", tabindex: 0, role: "group" },
      this.lines,
      this.title,
      this.why.element,
      this.levers.element,
    );
  }

  /** The selected workload; where nothing else can be selected, that of the step. */
  get workload() {
    const { workload, frame, stepping } = this.panel;
    return workload || (stepping.document.view === "topology" && frame.workload) || "";
  }

  draw() {
    const { say } = this.panel;
    const { workload } = this;
    this.element.hidden = !workload;
    const name = say("frontend.domains.why", { workload: shortName(workload) });
    write(this.title, name);
    this.element.setAttribute("aria-label", name);
    const lines = workload ? this.#lines(workload) : [];
    keyed(
      this.lines,
      lines.map((text, at) => [String(at), text]),
      () => h("p"),
      (element, text) => write(element, text),
    );
    this.levers.show(workload && this.#isPending(workload) ? workload : "");
    this.#explain();
  }

  /** @param {string} workload */
  #isPending(workload) {
    return Object.values(this.panel.frame.chips ?? {}).some((each) => has(each, workload) && each.queue !== undefined);
  }

  #toggle() {
    this.why.element.hidden = !this.why.element.hidden;
    this.#explain();
  }

  /** What is not seen is not asked for. */
  #explain() {
    const { element } = this.why;
    this.title.setAttribute("aria-expanded", String(!element.hidden));
    this.why.show(element.hidden ? "" : this.workload);
  }

  /** @param {string} workload */
  #lines(workload) {
    const { frame, stepping } = this.panel;
    const places = Object.values(frame.places ?? {}).filter((each) => each.workload === workload);
    if (places.length) return places.map((each) => this.#placed(each));
    if (!this.#isPending(workload)) return [];
    return Object.entries(stepping.document.lacking?.[workload] ?? {}).map(([name, each]) => this.#lacking(name, each));
  }

  /** @param {PodPlace} place */
  #placed({ workload, podSet, on }) {
    const { say } = this.panel;
    const hosts = Object.entries(on);
    const names = hosts.slice(0, MOST_HOSTS).map(([host, count]) => say("frontend.domains.placed.host", { host: host.replace(/,/g, "/"), count }));
    if (hosts.length > names.length) names.push(say("frontend.domains.placed.more", { count: hosts.length - names.length }));
    return say("frontend.domains.placed", { workload: shortName(workload), set: podSet, places: names.join(", ") });
  }

  /** @param {string} name @param {SeekingPods} pods */
  #lacking(name, pods) {
    const { panel } = this;
    const { say, frame } = panel;
    const shown = panel.tree;
    const tree = shown?.flavor === pods.flavor ? shown : new DomainTree(frame, pods.flavor);
    const all = roomFor(tree.root, pods.each);
    const sentences = [`${panel.asked(name, pods)}.`, say("frontend.domains.room", { free: this.#free(tree, pods), fits: all, count: pods.count })];
    if ([...tree.leaves.values()].some((host) => host.problem.includes(":") && roomFor(host, pods.each))) sentences.push(say("frontend.domains.room.tainted"));
    const at = tree.levels.indexOf(pods.level ?? "");
    const rooms = [...tree.domains.values()].filter((each) => each.level === at).map((domain) => ({ domain, fits: roomFor(domain, pods.each) }));
    if (at >= 0 && rooms.length && pods.request !== "unconstrained") {
      const best = rooms.reduce((one, other) => (other.fits > one.fits ? other : one));
      const level = tree.levelName(at);
      sentences.push(say("frontend.domains.room.best", { level, domain: best.domain.name, fits: best.fits, count: pods.count }));
      if (all >= pods.count && best.fits < pods.count) sentences.push(say("frontend.domains.room.fragmented", { level }));
    }
    return sentences.join(" ");
  }

  /** @param {DomainTree} tree @param {SeekingPods} pods */
  #free(tree, { each }) {
    const names = Object.keys(each).filter((name) => name !== "pods" && each[name] > 0);
    return names.map((name) => `${amountText(name, tree.root.free[name] ?? 0)} ${name}`).join(", ");
  }
}
