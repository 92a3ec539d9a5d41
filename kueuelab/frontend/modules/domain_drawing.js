// What a domain is drawn with: its ground, what is used of it, its name, what fits.

import { amountText, shortName } from "./amount.js";
import { roomFor } from "./domain_tree.js";
import { fitted, freshId, keyed, put, s, widthOf, write } from "./dom.js";

/** @typedef {import("./domain_tree.js").Domain} Domain */
/** @typedef {import("./domain_layout.js").Area} Area */
/** @typedef {import("./panel_domains.js").DomainsPanel} DomainsPanel */

/** So many workloads have a colour of their own; the others have their names. */
const COLOURS = 6;
/** What is smaller has no text. */
const TEXT = { width: 34, height: 13 };
/** Of areas narrower than this, what workloads use is drawn as one. */
const NARROW = 12;

/** The hatches of capacity that is not free, though no workload uses it. */
export function hatches() {
  const id = { outside: freshId(), lost: freshId() };
  const hatch = (/** @type {string} */ name, /** @type {number} */ angle, /** @type {string} */ of, /** @type {number} */ size) =>
    s(
      "pattern",
      { id: name, width: size, height: size, patternUnits: "userSpaceOnUse", patternTransform: `rotate(${angle})` },
      s("rect", { width: size, height: size, class: `kl-hatch-ground kl-of-${of}` }),
      s("rect", { width: size / 3, height: size, class: `kl-hatch kl-of-${of}` }),
    );
  return { id, defs: s("defs", {}, hatch(id.outside, 45, "outside", 6), hatch(id.lost, -45, "lost", 5)) };
}

/**
 * @typedef {object} Segment
 * @property {string} key
 * @property {string} kind "pods", "outside" or "lost"
 * @property {number} from part of the room
 * @property {number} to
 * @property {string} workload
 * @property {number} colour
 * @property {number} count
 */

/**
 * Returns what is used of a domain, one after another, in parts of its room.
 * @param {Domain} domain
 * @param {string} resource
 * @param {(workload: string) => number} colour
 * @param {boolean} together whether workloads are drawn as one
 * @returns {Segment[]}
 */
export function segments(domain, resource, colour, together) {
  const room = domain.room[resource] ?? 0;
  if (!room) return [];
  /** @type {Segment[]} */
  const found = [];
  let at = 0;
  const put = (/** @type {Omit<Segment, "from" | "to">} */ rest, /** @type {number} */ amount) => {
    if (amount <= 0) return;
    found.push({ ...rest, from: at / room, to: Math.min(1, (at + amount) / room) });
    at += amount;
  };
  put({ key: "outside", kind: "outside", workload: "", colour: 0, count: 0 }, domain.outside[resource] ?? 0);
  let sum = 0;
  for (const [key, { count, each }] of domain.pods) {
    const amount = (each[resource] ?? 0) * count;
    sum += amount;
    const workload = key.slice(0, key.lastIndexOf("|"));
    if (!together) put({ key, kind: "pods", workload, colour: colour(workload), count }, amount);
  }
  if (together) put({ key: "pods", kind: "pods", workload: "", colour: 0, count: 0 }, sum);
  put({ key: "lost", kind: "lost", workload: "", colour: 0, count: 0 }, domain.lost[resource] ?? 0);
  return found;
}

/** @param {number} place */
export const colourOf = (place) => Math.max(0, place) % COLOURS;

/**
 * Draws the areas of a panel.
 * @param {DomainsPanel} panel
 * @param {Area[]} areas
 */
export function drawDomains(panel, areas) {
  keyed(
    panel.layer,
    areas.map((area) => [area.domain.key, area]),
    (_, key) => {
      const parts = {
        ground: s("rect", { class: "kl-domain-ground", rx: 3 }),
        used: s("g", {}),
        edge: s("rect", { class: "kl-domain-edge", rx: 3 }),
        name: s("text", { class: "kl-domain-name" }),
        note: s("text", { class: "kl-domain-note", "text-anchor": "end" }),
      };
      const made = s("g", { role: "treeitem", tabindex: -1, "data-domain": key }, ...Object.values(parts));
      return Object.assign(made, { parts });
    },
    (element, /** @type {Area} */ area) => draw(panel, element, area),
  );
}

/**
 * @param {DomainsPanel} panel
 * @param {any} element
 * @param {Area} area
 */
function draw(panel, element, area) {
  const { domain, open, depth } = area;
  const { ground, used, edge, name, note } = element.parts;
  const [x, y] = [round(area.x), round(area.y)];
  const [width, height] = [round(area.x + area.width) - x, round(area.y + area.height) - y];
  const top = depth === 0;
  const box = { x, y, width, height };
  put(ground, top ? { ...box, fill: "none" } : box);
  put(edge, box);
  edge.toggleAttribute("hidden", top);
  const role = panel.roleOf(domain);
  const isLeaf = !domain.children.length;
  put(element, {
    class: [
      "kl-domain",
      open ? "kl-domain-open" : isLeaf ? "kl-domain-host" : "kl-domain-whole",
      domain.problem ? "kl-domain-problem" : "",
      role ? `kl-domain-${role}` : "",
      panel.dimmed(domain) ? "kl-dim" : "",
      panel.isChosen(domain) ? "kl-chosen" : "",
    ]
      .filter(Boolean)
      .join(" "),
    "aria-level": depth + 1,
    "aria-expanded": isLeaf ? null : String(open),
    "aria-label": panel.about(domain),
    tabindex: panel.isStop(domain) ? 0 : -1,
  });
  const hasText = !top && width >= TEXT.width && height >= TEXT.height;
  const titled = hasText && (open || height >= 2 * TEXT.height);
  const from = titled ? TEXT.height + 4 : 0;
  drawUsed(panel, used, open || top ? null : area, { x, y: y + from, width, height: height - from });
  if (!hasText) {
    write(name, "");
    write(note, "");
    return;
  }
  put(name, { x: x + 4, y: y + 12 });
  put(note, { x: x + width - 4, y: y + 12 });
  // The name comes first; what fits or is free is said where there is room for it, too.
  const sign = signOf(domain, role);
  const short = sign + shortOf(domain);
  const notes = notesOf(panel, domain);
  const room = (/** @type {string} */ text) => width - 14 - widthOf(text, 11.5);
  const right = notes.find((each) => widthOf(each, 11) <= room(short)) ?? "";
  write(note, right);
  const left = width - 10 - (right ? widthOf(right, 11) + 6 : 0);
  const long = sign + (panel.tree?.levelName(domain.level) ?? "") + " " + shortOf(domain);
  write(name, widthOf(long, 11.5) <= left ? long : fitted(short, left, 11));
}

/** The name of a domain without that of the domain around it. @param {Domain} domain */
function shortOf({ name, parent }) {
  const start = `${parent?.name}-`;
  return parent && name.startsWith(start) ? name.slice(start.length) : name;
}

/** @param {Domain} domain @param {string} role */
function signOf(domain, role) {
  const sign = { fits: "✓ ", rejected: "✗ ", chosen: "★ ", candidate: "? " }[role] ?? "";
  return domain.problem ? `⚠ ${sign}` : sign;
}

/**
 * What is said at the right, the longest first: how many pods fit, or what is free.
 * @param {DomainsPanel} panel
 * @param {Domain} domain
 */
function notesOf(panel, domain) {
  const { say, resource } = panel;
  const fits = panel.fits(domain);
  if (fits !== null) return [say("frontend.domains.fits", { count: fits }), say("frontend.domains.fits.short", { count: fits })];
  const free = amountText(resource, domain.free[resource] ?? 0);
  const room = amountText(resource, domain.room[resource] ?? 0);
  return [say("frontend.domains.free", { free, room }), say("frontend.domains.free.short", { free, room })];
}

/**
 * @param {DomainsPanel} panel
 * @param {SVGGElement} layer
 * @param {Area | null} area
 * @param {{x: number, y: number, width: number, height: number}} box
 */
function drawUsed(panel, layer, area, box) {
  const { x, y, width, height } = box;
  const together = !area || width < NARROW || Boolean(area.domain.children.length);
  const found = area && height > 2 ? segments(area.domain, panel.resource, panel.colour, together) : [];
  keyed(
    layer,
    found.map((each) => [each.key, each]),
    () => {
      const parts = { rect: s("rect"), lines: s("path", { class: "kl-pod-lines" }), text: s("text") };
      return Object.assign(s("g", {}, ...Object.values(parts)), { parts });
    },
    (element, /** @type {Segment} */ each) => {
      const { rect, lines, text } = element.parts;
      const left = x + 1.5 + (width - 3) * each.from;
      const wide = Math.max(1, (width - 3) * (each.to - each.from));
      const fill = each.kind === "pods" ? null : `url(#${panel.hatch[/** @type {"outside" | "lost"} */ (each.kind)]})`;
      const chosen = each.workload && panel.workload === each.workload;
      put(element, { "data-workload": each.workload || null });
      put(rect, {
        class: `kl-segment kl-segment-${each.kind} kl-pod-${each.colour}${chosen ? " kl-chosen" : ""}`,
        x: left,
        y: y + 1,
        width: wide,
        height: Math.max(1, height - 2.5),
        fill,
      });
      // A line between two pods.
      const one = wide / Math.max(1, each.count);
      const cuts = each.count > 1 && one >= 4 ? Array.from({ length: each.count - 1 }, (_, at) => `M${left + one * (at + 1)} ${y + 1}v${height - 2.5}`) : [];
      put(lines, { d: cuts.join("") });
      put(text, { x: left + 3, y: y + height / 2 + 4, class: `kl-pod-text kl-pod-${each.colour}` });
      const label = each.kind === "pods" ? shortName(each.workload) : each.kind === "outside" ? panel.say("frontend.domains.outside.short") : "";
      write(text, height >= TEXT.height && wide >= 16 && label ? fitted(label, wide - 5, 11) : "");
    },
  );
}

/** @param {number} amount */
const round = (amount) => Math.round(amount * 2) / 2;

/**
 * Returns how many of the pods that look for a place fit into a domain.
 * @param {Domain} domain
 * @param {Record<string, SeekingPods> | undefined} seeking
 * @param {string} flavor
 */
export function fitsIn(domain, seeking, flavor) {
  const pods = Object.values(seeking ?? {}).filter((each) => each.flavor === flavor);
  return pods.length === 1 ? roomFor(domain, pods[0].each) : null;
}
