// The topology: blocks, racks and hosts as areas within areas, with what is free, what uses the
// rest, and which domains have room for the pods that look for a place.

import { amountText, shortName } from "./amount.js";
import { fly } from "./domain_flights.js";
import { DomainKeys } from "./domain_keys.js";
import { layOut } from "./domain_layout.js";
import { domainsTable, podsText } from "./domain_table.js";
import { DomainTree } from "./domain_tree.js";
import { colourOf, drawDomains, fitsIn, hatches } from "./domain_drawing.js";
import { Judging } from "./domain_judging.js";
import { DomainReasons } from "./domain_reasons.js";
import { button, choice, h, keyed, put, s, setOptions, write } from "./dom.js";
import { signed } from "./icons.js";

/** @typedef {import("./stepping.js").Stepping} Stepping */
/** @typedef {import("./domain_tree.js").Domain} Domain */
/** @typedef {import("./domain_layout.js").Area} Area */

/** So many pods that look for a place are drawn one by one. */
const MOST_PODS = 24;
/** What of a frame the domains are made of. */
const PARTS = ["topologies", "hosts", "places"];

export class DomainsPanel {
  /** @param {Stepping} stepping */
  constructor(stepping) {
    this.stepping = stepping;
    const say = (this.say = stepping.say);
    this.resource = "";
    /** The resource that was chosen. @type {string | undefined} */
    this.wanted = undefined;
    this.flavor = "";
    /** What is searched for. */
    this.search = "";
    /** @type {DomainTree | null} */
    this.tree = null;
    /** The domain that fills the panel. */
    this.focusKey = "";
    /** @type {Area[]} */
    this.areas = [];
    /** @type {Map<string, number>} */
    this.order = new Map((stepping.document.workloads ?? []).map((each, place) => [each, place]));
    const { id, defs } = hatches();
    this.hatch = id;
    this.layer = s("g", { role: "tree", "aria-label": say("frontend.domains.tree") });
    this.svg = s("svg", { class: "kl-domains-svg", role: "group", "aria-label": say("frontend.domains.title") }, defs, this.layer);
    this.stage = h("div", { class: "kl-domains-stage" }, this.svg);
    this.text = h("div", { class: "kl-text", hidden: true });
    this.crumbs = h("nav", { class: "kl-crumbs", "aria-label": say("frontend.domains.where") });
    this.seeking = h("div", { class: "kl-seeking" });
    this.judging = new Judging(this);
    this.reasons = new DomainReasons(this);
    this.note = h("p", { class: "kl-soft kl-domain-about", "aria-live": "polite" });
    this.resources = choice(say("frontend.picture.resource"), say("frontend.domains.resource.hover"), [], (value) => this.#choose("resource", value));
    this.flavors = choice(say("frontend.picture.flavor"), say("frontend.domains.flavor.hover"), [], (value) => this.#choose("flavor", value));
    const search = h("input", {
      type: "search",
      placeholder: say("frontend.domains.search"),
      "aria-label": say("frontend.domains.search.name"),
      oninput: () => this.#choose("search", search.value.trim().toLowerCase()),
      onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === "Enter" && this.#goToFound(),
    });
    this.asTable = signed(button("", "", () => this.toggleTable()), "table", say("frontend.domains.as-table"), say("frontend.domains.as-table"));
    this.asTable.setAttribute("aria-pressed", "false");
    this.out = signed(button("", "", () => this.zoomOut()), "less", say("frontend.domains.out"), say("frontend.domains.out"));
    this.element = h(
      "section",
      { class: "kl-domains", "aria-label": say("frontend.domains.title") },
      h("div", { class: "kl-tools", role: "group", "aria-label": say("frontend.domains.tools") }, this.crumbs, h("span", { class: "kl-gap" }), search, this.flavors.element, this.resources.element, this.out, this.asTable),
      this.seeking,
      this.judging.element,
      h("div", { class: "kl-stage" }, this.stage, this.text),
      this.note,
      this.reasons.element,
      this.#legend(),
    );
    this.keys = new DomainKeys(this);
    /** @param {string} workload */
    this.colour = (workload) => colourOf(this.order.get(workload) ?? 0);
    new ResizeObserver(() => this.draw()).observe(this.stage);
    stepping.onSelect(() => this.draw());
  }

  get frame() {
    return this.stepping.frame;
  }

  /** The domain that fills the panel. @returns {Domain} */
  get focus() {
    const tree = /** @type {DomainTree} */ (this.tree);
    return tree.domains.get(this.focusKey) ?? tree.root;
  }

  /** The workload that is selected. */
  get workload() {
    const { selection } = this.stepping;
    return selection?.kind === "Workload" ? selection.name : "";
  }

  /** @param {Frame} frame @param {Change} change */
  show(frame, { patches, moved }) {
    const flavors = Object.entries(frame.topologies ?? {}).sort(([, one], [, other]) => one.order - other.order);
    const names = flavors.map(([name]) => name);
    const seeking = Object.values(frame.seeking ?? {})[0];
    if (seeking && names.includes(seeking.flavor)) this.flavor = seeking.flavor;
    if (!names.includes(this.flavor)) this.flavor = names[0] ?? "";
    const changed = !this.tree || this.tree.flavor !== this.flavor || patches === null || patches.some((patch) => PARTS.some((part) => part in patch));
    if (changed) this.tree = new DomainTree(frame, this.flavor);
    this.judging.read(frame, this.flavor);
    this.#offer(names);
    this.draw();
    if (moved && patches?.length === 1) this.#fly(patches[0]);
  }

  /** @param {"resource" | "flavor" | "search"} what @param {string} value */
  #choose(what, value) {
    if (what === "resource") this.wanted = value;
    this[what] = value;
    if (what === "flavor") this.tree = new DomainTree(this.frame, value);
    this.draw();
  }

  /** Offers the flavors and resources that there are. @param {string[]} flavors */
  #offer(flavors) {
    const { resources } = /** @type {DomainTree} */ (this.tree);
    const asked = Object.keys(Object.values(this.frame.seeking ?? {})[0]?.each ?? {});
    const used = [...(this.tree?.root.pods.values() ?? [])].flatMap(({ each }) => Object.keys(each));
    const first = [this.wanted, scarce(asked), scarce(used.filter((each) => each !== "pods")), resources[0]].find((each) => each && resources.includes(each));
    if (!this.resource || this.wanted || asked.length || !resources.includes(this.resource)) this.resource = first ?? "";
    for (const [field, names, value] of /** @type {const} */ ([
      [this.flavors, flavors, this.flavor],
      [this.resources, resources, this.resource],
    ])) {
      field.element.hidden = names.length < 2;
      if (field.select.options.length !== names.length) setOptions(field.select, names.map((each) => [each, each]));
      field.select.value = value;
    }
  }

  draw() {
    if (!this.tree) return;
    this.#drawCrumbs();
    this.#drawSeeking();
    this.judging.draw();
    this.reasons.draw();
    if (!this.text.hidden) return this.text.replaceChildren(domainsTable(this));
    const { clientWidth: width, clientHeight: height } = this.stage;
    if (!width || !height) return;
    put(this.svg, { width, height });
    this.areas = layOut(this.focus, width, height);
    this.keys.check();
    drawDomains(this, this.areas);
    this.pointed();
  }

  #drawCrumbs() {
    /** @type {[string, Domain][]} */
    const way = [];
    for (let at = /** @type {Domain | null} */ (this.focus); at; at = at.parent) way.unshift([at.key, at]);
    keyed(
      this.crumbs,
      way,
      (_, key) => h("button", { type: "button", class: "kl-link", onclick: () => this.zoomTo(key) }),
      (element, domain) => {
        write(element, domain.level < 0 ? this.say("frontend.domains.all", { topology: this.tree?.topology ?? "" }) : this.nameOf(domain));
        put(element, { "aria-current": domain === this.focus ? "location" : null });
      },
    );
    this.out.disabled = way.length < 2;
  }

  /** The pods that look for a place, one by one. */
  #drawSeeking() {
    const pods = Object.entries(this.frame.seeking ?? {}).filter(([, each]) => each.flavor === this.flavor);
    keyed(
      this.seeking,
      pods,
      () => h("p", {}, h("span"), h("span", { class: "kl-seeking-pods", "aria-hidden": "true" })),
      (element, each, name) => {
        const empty = each.empty ? this.say("frontend.domains.empty") : "";
        write(element.firstElementChild, [this.asked(name, each), empty].filter(Boolean).join(", "));
        const drawn = Math.min(each.count, MOST_PODS);
        keyed(
          element.lastElementChild,
          Array.from({ length: drawn }, (_, at) => [String(at), at]),
          () => h("i"),
          (pod) => put(pod, { class: `kl-pod-${this.colour(each.workload)}` }),
        );
      },
    );
  }

  /** What a pod set asks for. @param {string} name @param {SeekingPods} pods */
  asked(name, { workload, count, each, level, request }) {
    const amounts = Object.entries(each).map(([resource, amount]) => `${amountText(resource, amount)} ${resource}`).join(", ");
    const text = this.say("frontend.domains.seeking", { workload: shortName(workload), set: name, count, amounts });
    const named = this.tree?.levelName(this.tree.levels.indexOf(level ?? "")) ?? "";
    const asks = request ? this.say(`frontend.domains.asks.${request}`, { level: named }) : "";
    return [text, asks].filter(Boolean).join(", ");
  }

  /** Says what is pointed to. */
  pointed() {
    const at = this.keys.at ?? this.focus;
    write(this.note, this.tree?.root.hosts ? this.about(at) : this.say("frontend.domains.none"));
  }

  /** @param {Tree} patch */
  #fly(patch) {
    /** @type {{workload: string, colour: number, hosts: Element[]}[]} */
    const arrived = [];
    for (const [key, each] of Object.entries(/** @type {Record<string, any>} */ (patch.places ?? {}))) {
      const place = this.frame.places?.[key];
      if (!each?.on || !place) continue;
      const hosts = Object.entries(each.on).flatMap(([name, count]) => {
        const element = count && this.#elementOf(name);
        return element ? [element] : [];
      });
      arrived.push({ workload: place.workload, colour: this.colour(place.workload), hosts });
    }
    if (arrived.length) fly(this.element, arrived);
  }

  /** The smallest area drawn that a host is in. @param {string} host */
  #elementOf(host) {
    for (let at = /** @type {Domain | null | undefined} */ (this.tree?.leaves.get(host)); at; at = at.parent) {
      const found = this.elementOf(at.key);
      if (found) return found;
    }
    return null;
  }

  /** @param {string} key */
  elementOf(key) {
    return [.../** @type {HTMLCollectionOf<SVGElement>} */ (this.layer.children)].find((each) => each.dataset.domain === key) ?? null;
  }

  // --- what is said of a domain ---

  /** @param {Domain} domain */
  nameOf(domain) {
    if (domain.level < 0) return this.say("frontend.domains.all", { topology: this.tree?.topology ?? "" });
    return `${this.tree?.levelName(domain.level)} ${domain.name}`;
  }

  /** Why pods may not go to a host, or where they may. @param {Domain} domain */
  state(domain) {
    const { problem } = domain;
    if (!problem) return "";
    const parts = problem.split(", ");
    return parts.map((each) => (/^(notReady|cordoned)$/.test(each) ? this.say(`frontend.domains.problem.${each}`) : this.say("frontend.domains.problem.taint", { taint: each }))).join(", ");
  }

  /** @param {Domain} domain */
  about(domain) {
    const { say, resource } = this;
    const amount = (/** @type {number | undefined} */ value) => `${amountText(resource, value ?? 0)}`;
    const fits = this.fits(domain);
    const outside = domain.outside[resource];
    return [
      `${this.nameOf(domain)}: ${say("frontend.domains.free-of", { free: amount(domain.free[resource]), room: amount(domain.room[resource]), resource })}`,
      outside ? say("frontend.domains.outside", { amount: amount(outside), resource }) : "",
      domain.children.length ? say("frontend.domains.hosts", { count: domain.hosts }) : this.state(domain),
      fits === null ? "" : say("frontend.domains.fits", { count: fits }),
      this.judging.text(domain),
      podsText(domain, say),
    ]
      .filter(Boolean)
      .join("; ");
  }

  /** How many pods fit, while some look for a place; else null. @param {Domain} domain */
  fits(domain) {
    return this.judging.of(domain)?.fits ?? fitsIn(domain, this.frame.seeking, this.flavor);
  }

  /** What the search for a place says of a domain. @param {Domain} domain */
  roleOf(domain) {
    if (this.judging.rows.length) return this.judging.role(domain);
    const fits = this.fits(domain);
    if (fits === null || domain.level < 0) return "";
    const wanted = Object.values(this.frame.seeking ?? {})[0]?.count ?? 0;
    return domain.children.length && fits >= wanted ? "fits" : "";
  }

  /** Whether a search leaves a domain out. @param {Domain} domain */
  dimmed(domain) {
    return Boolean(this.search) && !domain.children.length && !this.#found(domain);
  }

  /** @param {Domain} domain */
  #found(domain) {
    if (domain.name.toLowerCase().includes(this.search)) return true;
    return [...domain.pods.keys()].some((key) => key.toLowerCase().includes(this.search));
  }

  /** @param {Domain} domain */
  isChosen(domain) {
    const { selection } = this.stepping;
    return selection?.kind === "Node" && selection.name === domain.name && !domain.children.length;
  }

  /** @param {Domain} domain */
  isStop(domain) {
    return domain.key === this.keys.stop;
  }

  // --- moving in it ---

  /** @param {string} key */
  zoomTo(key) {
    this.focusKey = key;
    this.draw();
  }

  zoomOut() {
    if (this.focus.parent) this.zoomTo(this.focus.parent.key);
  }

  /** Goes to the smallest domain that has all that a search finds. */
  #goToFound() {
    const { tree } = this;
    if (!tree || !this.search) return;
    const named = [...tree.domains.values()].find((each) => each.children.length && each.name.toLowerCase() === this.search);
    if (named) return this.zoomTo(named.key);
    const found = [...tree.leaves.values()].filter((each) => this.#found(each));
    if (!found.length) return;
    let at = /** @type {Domain} */ (found[0].parent);
    while (at.parent && !found.every((each) => each.key.startsWith(`${at.key},`))) at = at.parent;
    this.zoomTo(at.key);
  }

  toggleTable() {
    this.text.hidden = !this.text.hidden;
    this.stage.hidden = !this.text.hidden;
    this.asTable.setAttribute("aria-pressed", String(!this.text.hidden));
    this.draw();
  }

  #legend() {
    const item = (/** @type {string} */ of, /** @type {string} */ name) =>
      h("span", { class: "kl-item" }, h("i", { class: `kl-swatch ${name}` }), this.say(`frontend.domains.legend.${of}`));
    return h(
      "div",
      { class: "kl-legend" },
      item("free", "kl-of-free"),
      item("pods", "kl-of-pods"),
      item("outside", "kl-of-outside"),
      item("lost", "kl-of-lost"),
      h("span", { class: "kl-item" }, h("b", { text: "✓" }), ` ${this.say("frontend.domains.legend.fits")}`),
      h("span", { class: "kl-item" }, h("b", { text: "⚠" }), ` ${this.say("frontend.domains.legend.problem")}`),
    );
  }
}

/** Of resources, those that are not cpu or memory are what a place is looked for. @param {string[]} names */
const scarce = (names) => names.find((each) => each !== "cpu" && each !== "memory") ?? names[0];
