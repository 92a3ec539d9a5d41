// What the picture is made of: names, bars, chips, arrows, numbers.

import { amountText, amountTexts, isUnlimited, withoutNamespace } from "./amount.js";
import { has, showsParts } from "./chip_groups.js";
import { drawParts } from "./chip_parts.js";
import { aboutChip } from "./chips.js";
import { fitted, freshId, keyed, put, s, widthOf, write } from "./dom.js";
import { INDENT, shownName } from "./layout.js";

/** @typedef {import("./picture.js").Picture} Picture */
/** @typedef {import("./layout.js").Row} Row */
/** @typedef {import("./chips.js").Placed} Placed */

const SMALL = 12;
/** The height of what is reserved and waits, where others hold the quota still. */
const STRIP = 7;

/** The hatches of what is borrowed and lent, and what clips the bars. */
export function patterns() {
  const id = { borrowed: freshId(), lent: freshId(), clip: freshId(), head: freshId() };
  const hatch = (/** @type {string} */ name, /** @type {number} */ angle, /** @type {string} */ of) =>
    s(
      "pattern",
      { id: name, width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: `rotate(${angle})` },
      s("rect", { width: 5, height: 5, class: `kl-hatch-ground ${of}` }),
      s("rect", { width: 2, height: 5, class: `kl-hatch ${of}` }),
    );
  const clip = s("rect");
  const pattern = s(
    "defs",
    {},
    hatch(id.borrowed, 45, "kl-of-borrowed"),
    hatch(id.lent, -45, "kl-of-lent"),
    s("clipPath", { id: id.clip }, clip),
    s(
      "marker",
      { id: id.head, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
      s("path", { d: "M0 0 8 4 0 8z", class: "kl-arrow-head" }),
    ),
  );
  return { pattern, clip, id };
}

/**
 * The column of names: the tree, one tab stop.
 * @param {Picture} picture
 * @param {Row[]} rows
 */
export function drawNames(picture, rows) {
  const { layout, geometry, frame, say, stepping } = picture;
  if (!layout) return;
  const tree = frame.tree ?? {};
  const chosen = stepping.selection;
  keyed(
    picture.layers.names,
    rows.map((row) => [row.key, row]),
    (_, key) => {
      const parts = {
        ground: s("rect", { class: "kl-row", x: 1, rx: 3 }),
        toggle: s("path", { class: "kl-toggle" }),
        badge: s("path", { class: "kl-badge" }),
        text: s("text", { class: "kl-name" }),
      };
      const { ground, toggle, badge, text } = parts;
      const made = s("g", { role: "treeitem", tabindex: -1, "data-key": key }, ground, toggle, badge, text);
      return Object.assign(made, { parts });
    },
    (element, /** @type {Row} */ row) => {
      const { ground, toggle, badge, text } = element.parts;
      const node = tree[row.node];
      const inactive = frame.queues?.[row.node]?.inactive;
      const children = layout.children.get(row.node);
      const x = 6 + row.depth * INDENT;
      const lined = row.head || row.height;
      const middle = row.top + lined / 2;
      const bar = frame.bars?.[row.bar];
      const lane = bar ? `${bar.flavor} · ${bar.resource}` : "";
      const name = row.named ? shownName(node) : lane;
      const open = !picture.collapsed.has(row.node);
      const isChosen = chosen?.kind === node.kind && chosen.name === node.name;
      const collapsible = row.named && Boolean(children);
      const selectable = row.named;
      put(element, {
        class: `kl-item kl-${node.kind}${row.named ? "" : " kl-lane"}${isChosen ? " kl-chosen" : ""}`,
        "aria-level": row.depth + (row.named ? 1 : 2),
        "aria-expanded": collapsible ? String(open) : null,
        "aria-selected": selectable ? String(isChosen) : null,
        "aria-label": [
          row.named ? `${node.kind} ${node.cluster ? `${node.cluster}: ` : ""}${node.name}` : lane,
          inactive && row.named ? say("frontend.queue.inactive") : "",
          bar ? barText(bar, say).join(", ") : "",
          ...(picture.placed.get(row.key) ?? []).slice(0, 12).map((each) => each.chip.workload),
        ]
          .filter(Boolean)
          .join(", "),
        tabindex: picture.keys.isStop(row.key) ? 0 : -1,
      });
      const width = picture.stacked ? geometry.width : geometry.names;
      put(ground, { y: row.top + 1, height: Math.max(1, lined - 2), width: width - 6 });
      const sign = open ? `M${x} ${middle - 2}h8l-4 5z` : `M${x + 2} ${middle - 4}v8l5-4z`;
      put(toggle, { d: collapsible ? sign : "" });
      put(badge, { d: row.named ? badgeOf(node.kind, x + 15, middle) : "" });
      const start = x + (row.named ? 23 : 31);
      const note = inactive && row.named ? ` (${say("frontend.queue.inactive")})` : "";
      put(text, { x: start, y: middle + 4 });
      const readable = lined >= SMALL;
      const beside = row.head ? widthOf(amountsOf(picture, row).at(-1) ?? "", 12) + 8 : 0;
      const space = width - beside - start - 8;
      const whole = name + note;
      const shown = widthOf(whole, 12) > space ? withoutNamespace(name) + note : whole;
      write(text, readable ? fitted(shown, space, 12) : "");
    },
    (key) => picture.stays(key),
  );
}

/**
 * Where the bar and the chips of a row are.
 * @param {Row} row
 */
const under = ({ top, height, head }) => ({ top: top + head, height: height - head });

/** @param {string} kind @param {number} x @param {number} y */
function badgeOf(kind, x, y) {
  if (kind === "Cohort") return `M${x} ${y - 4.5}l4.5 4.5-4.5 4.5-4.5-4.5z`;
  if (kind === "ClusterQueue") return `M${x - 4} ${y - 4}h8v8h-8z`;
  return `M${x - 3.5} ${y}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z`;
}

/**
 * Returns the numbers of a bar in words: what is used, then borrowing and lending.
 * @param {Bar} bar
 * @param {Say} say
 */
export function barText(bar, say) {
  const { resource, reserved, borrowed, lends, borrowingLimit, lendingLimit } = bar;
  const [used, nominal] = amountTexts(resource, bar.used, bar.nominal);
  const text = (/** @type {number} */ amount) => ({ amount: amountText(resource, amount) });
  return [
    say("frontend.bar.used", { used, nominal, resource }),
    reserved ? say("frontend.bar.reserved", text(reserved)) : "",
    borrowed ? say("frontend.bar.borrows", text(borrowed)) : "",
    lends ? say(bar.upTo ? "frontend.bar.lends-up-to" : "frontend.bar.lends", text(lends)) : "",
    borrowingLimit === undefined ? "" : say("frontend.bar.may-borrow", text(borrowingLimit)),
    lendingLimit === undefined ? "" : say("frontend.bar.may-lend", text(lendingLimit)),
  ].filter(Boolean);
}

/**
 * @param {Picture} picture
 * @param {Row[]} rows
 */
export function drawBars(picture, rows) {
  const { frame, geometry, ids } = picture;
  const bars = frame.bars ?? {};
  keyed(
    picture.layers.bars,
    rows.map((row) => [row.key, row]),
    (_, key) => {
      const parts = {
        hit: s("rect", { class: "kl-hit" }),
        used: s("rect", { class: "kl-used", x: 0 }),
        borrowed: s("rect", { class: "kl-borrowed", fill: `url(#${ids.borrowed})` }),
        lent: s("rect", { class: "kl-lent", fill: `url(#${ids.lent})` }),
        reserved: s("rect", { class: "kl-reserved" }),
        nominal: s("rect", { class: "kl-nominal", x: 0 }),
        limits: s("path", { class: "kl-limit" }),
      };
      const made = s("g", { "data-key": key }, ...Object.values(parts));
      return Object.assign(made, { parts });
    },
    (element, /** @type {Row} */ row) => {
      const { hit, used, borrowed, lent, reserved, nominal, limits } = element.parts;
      const { top, height } = under(row);
      const bar = bars[row.bar];
      const kind = frame.tree?.[row.node]?.kind;
      put(hit, { x: geometry.left, y: top, width: geometry.bars, height });
      put(element, { class: `kl-bar${bar ? "" : " kl-empty"} kl-in-${kind}` });
      if (!bar) return;
      const gap = Math.min(4, height / 6);
      const size = { y: top + gap, height: height - 2 * gap };
      const length = (/** @type {number} */ amount) => picture.length(bar.resource, amount);
      const end = length(bar.nominal);
      const strip = Math.max(1, Math.min(5, height / 6));
      put(used, { ...size, width: length(bar.used) });
      put(nominal, { ...size, width: end });
      const over = bar.borrowed ? length(bar.used) - end : 0;
      put(borrowed, { x: end, y: size.y + size.height - strip, width: Math.max(0, over), height: strip });
      // In a cohort, whose workloads are drawn in its queues; never beyond its frame.
      const set = kind === "Cohort" && bar.reserved ? length(bar.reserved) : 0;
      const from = Math.max(0, Math.min(length(bar.used), Math.max(end, length(bar.used)) - set));
      put(reserved, { x: from, y: size.y + size.height - STRIP, width: set, height: set ? STRIP : 0 });
      const given = bar.lends ? length(bar.lends) : 0;
      put(lent, { x: end - given, y: size.y, width: given, height: size.height });
      put(limits, { d: limitsOf(bar, length, size.y, size.height) });
    },
    (key) => picture.stays(key),
  );
}

/**
 * @param {Bar} bar
 * @param {(amount: number) => number} length
 * @param {number} y
 * @param {number} height
 */
function limitsOf(bar, length, y, height) {
  const { nominal, borrowingLimit, lendingLimit } = bar;
  let path = "";
  const tick = (/** @type {number} */ x) => `M${x} ${y - 2}v${height + 4}m-3 0h6m-6 ${-height - 4}h6`;
  if (borrowingLimit !== undefined && !isUnlimited(borrowingLimit))
    path += tick(length(nominal + borrowingLimit));
  if (lendingLimit !== undefined && !isUnlimited(lendingLimit) && lendingLimit < nominal)
    path += tick(length(nominal - lendingLimit));
  return path;
}

/**
 * @param {Picture} picture
 * @param {Row[]} rows
 */
export function drawChips(picture, rows) {
  const { frame, say, stepping, keys } = picture;
  const { selection } = stepping;
  /** @type {[string, {placed: Placed, row: Row}][]} */
  const items = [];
  for (const row of rows)
    for (const placed of picture.placed.get(row.key) ?? [])
      items.push([placed.key, { placed, row }]);
  keyed(
    picture.layers.chips,
    items,
    (_, key) => {
      const parts = { shape: s("rect"), text: s("text", { y: 0 }), inside: s("g") };
      const made = s("g", { role: "button", tabindex: -1, "data-chip": key }, parts.shape, parts.inside, parts.text);
      return Object.assign(made, { parts });
    },
    (element, { placed, row }) => {
      const { chip, shade, width, x } = placed;
      const { shape, text, inside } = element.parts;
      const lane = under(row);
      const inset = Math.min(5.5, lane.height / 5);
      const strip = chip.bar ? Math.min(5, lane.height / 6) : 0;
      const height = lane.height - 2 * inset - strip + (strip ? 1 : 0);
      const y = lane.top + inset + (placed.strip ? height - STRIP : 0);
      const selected = selection?.kind === "Workload" ? selection.name : "";
      const chosen = placed.workloads.includes(selected) || has(chip, selected);
      const classes = ["kl-chip", `kl-shade-${shade}`];
      if (chip.role) classes.push(`kl-role-${chip.role}`);
      if (chip.hollow) classes.push("kl-hollow");
      if (placed.strip) classes.push("kl-strip");
      if (chip.queue) classes.push("kl-pending");
      if (chip.place === "inadmissible") classes.push("kl-inadmissible");
      if (chip.phase === "Evicted") classes.push("kl-evicted");
      if (chosen) classes.push("kl-chosen");
      if (chip.group) classes.push("kl-group");
      const place = `${round(x)} ${round(y)}`;
      if (element.dataset.place !== place) {
        element.dataset.place = place;
        element.setAttribute("transform", `translate(${place})`);
      }
      const single = placed.workloads.length === 1 && (chip.count ?? 1) === 1 ? chip.workload : "";
      if (element.dataset.workload !== single) element.dataset.workload = single;
      put(element, { "data-group": chip.group ?? null });
      if (chip.parts || inside.firstChild) drawParts(inside, placed.strip ? { workload: "" } : chip, width - 1, round(height), selected);
      put(element, {
        class: classes.join(" "),
        "aria-label": keys.inChips ? aboutChip(placed, frame, say) : chip.workload || placed.text,
        "aria-pressed": String(chosen),
      });
      put(shape, { x: 0.5, width: round(Math.max(1.5, width - 1)), height: placed.strip ? STRIP : round(height) });
      put(text, { x: 5, y: round(height / 2 + 4) });
      const named = !placed.strip && (chip.queue || !showsParts(chip));
      write(text, height >= SMALL - 1 && named ? placed.text : "");
    },
    (_, { row }) => picture.stays(row.key),
  );
}

/** @param {number} value */
const round = (value) => Math.round(value * 10) / 10;

/**
 * Borrowing: from the bar that lends to the bar that borrows, right of all bars.
 * @param {Picture} picture
 * @param {Row[]} rows
 */
export function drawArrows(picture, rows) {
  const { frame, layout, ids, geometry } = picture;
  const drawn = new Set(rows.map((row) => row.key));
  const arrows = Object.entries(frame.arrows ?? {}).filter(
    ([, { from, to }]) => drawn.has(from) || drawn.has(to),
  );
  /** @type {[string, {arrow: Arrow, number: number}][]} */
  const items = arrows.map(([key, arrow], number) => [key, { arrow, number }]);
  keyed(
    picture.layers.arrows,
    items,
    () => s("path", { class: "kl-arrow", "marker-end": `url(#${ids.head})` }),
    (element, { arrow, number }) => {
      const [from, to] = [arrow.from, arrow.to].map((each) => layout?.bars.get(each));
      const [lender, borrower] = [arrow.from, arrow.to].map((each) => frame.bars?.[each]);
      if (!from || !to || !lender || !borrower) return put(element, { d: "" });
      const start = picture.length(lender.resource, Math.max(lender.nominal, lender.used)) + 2;
      const end = picture.length(borrower.resource, borrower.used) + 3;
      const out = Math.min(
        Math.max(start, end) + 16 + (number % 4) * 7,
        Math.max(geometry.wide - 4, Math.max(start, end) + 6),
      );
      const [y, z] = [from, to].map((row) => under(row).top + under(row).height / 2);
      const curve = Math.sign(z - y) * Math.min(8, Math.abs(z - y) / 2);
      put(element, {
        d: `M${start} ${y}H${out - 8}Q${out} ${y} ${out} ${y + curve}V${z - curve}Q${out} ${z} ${out - 8} ${z}H${end}`,
      });
    },
  );
}

/**
 * Returns where the whole name of a row ends.
 * @param {Picture} picture
 * @param {Row} row
 */
function nameEnd({ frame }, row) {
  const bar = frame.bars?.[row.bar];
  const name = row.named ? shownName((frame.tree ?? {})[row.node]) : `${bar?.flavor} · ${bar?.resource}`;
  return 6 + row.depth * INDENT + (row.named ? 23 : 31) + widthOf(name, 12);
}

/**
 * Returns the numbers of a row, the longest text first; the last one is never cut.
 * @param {Picture} picture
 * @param {Row} row
 */
function amountsOf({ frame, say, layout, stacked }, row) {
  const bar = frame.bars?.[row.bar];
  if (!bar) return [];
  const [used, ...more] = barText(bar, say);
  const amounts = amountTexts(bar.resource, bar.used, bar.nominal).join("/");
  if (stacked) return [[used, ...more].join(", "), [amounts, ...more].join(", "), amounts];
  const several = (layout?.flavors.size ?? 0) > 1 && row.named;
  return [...(several ? [`${used}, ${bar.flavor}`] : []), used, amounts];
}

/**
 * The column of numbers; they are behind the names where names are above their bars.
 * @param {Picture} picture
 * @param {Row[]} rows
 */
export function drawLabels(picture, rows) {
  const { frame, geometry, say, stacked } = picture;
  const { labels, width } = geometry;
  // One form for all rows: in a narrow column, what amounts are of is left out.
  const whole = stacked || labels > 118;
  keyed(
    picture.layers.labels,
    labels ? rows.filter((row) => row.bar).map((row) => [row.key, row]) : [],
    () => {
      const parts = { first: s("text"), second: s("text", { class: "kl-second" }) };
      return Object.assign(s("g", {}, parts.first, parts.second), { parts });
    },
    (element, /** @type {Row} */ row) => {
      const bar = frame.bars?.[row.bar];
      if (!bar) return;
      const { first, second } = element.parts;
      const more = barText(bar, say).slice(1);
      const x = stacked ? width - 8 : width - labels + 8;
      const lined = row.head || row.height;
      const tall = !stacked && row.height >= 26 && more.length > 0;
      const middle = row.top + lined / 2;
      put(first, { x, y: tall ? middle - 2 : middle + 4, "text-anchor": stacked ? "end" : null });
      put(second, { x, y: middle + 10 });
      const texts = amountsOf(picture, row).slice(whole ? 0 : -1);
      const room = stacked ? width - nameEnd(picture, row) - 16 : labels - 10;
      const short = texts.find((each) => widthOf(each, 12) <= room) ?? texts.at(-1);
      write(first, lined >= SMALL ? (short ?? "") : "");
      write(second, tall ? fitted(more.join(", "), room, 10) : "");
    },
    (key) => picture.stays(key),
  );
}
