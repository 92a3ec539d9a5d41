// Workloads as chips: which are in which row, and where each is drawn.

import { amountText, shortName, withoutNamespace } from "./amount.js";
import { addedText, has, outcomeOf } from "./chip_groups.js";
import { aboutParts, widthOfParts } from "./chip_parts.js";
import { fitted, widthOf } from "./dom.js";

/** What is in front of a name, so that no role is shown by colour alone. */
export const MARKS = {
  head: "▸",
  preemptor: "▶",
  candidate: "?",
  excluded: "∅",
  skipped: "–",
  removed: "○",
  restored: "↩",
  target: "✖",
};

/** Narrower chips are drawn as one, with a count. */
const NARROW = 9;
/** One that is pending is as wide as its name, between these. */
const PENDING = { least: 30, most: 96 };
/** With these roles a workload is drawn on its own, however small it is. */
const SINGLE = ["head", "preemptor", "target", "removed", "restored"];
/** So many shades of priority are distinguished. */
export const SHADES = 5;

/**
 * @typedef {object} Placed
 * @property {string} key
 * @property {Chip} chip
 * @property {string[]} workloads those that it stands for
 * @property {number} x
 * @property {number} width
 * @property {string} text
 * @property {number} shade
 * @property {boolean} [strip] whether it is reserved where others hold the quota still
 */

/** The chips by their place, kept up to date by patches. */
export class ChipIndex {
  constructor() {
    /** @type {Record<string, Chip>} */
    this.chips = {};
    /** The keys of the chips of each place. @type {Map<string, string[]>} */
    this.places = new Map();
    /** The place of each chip. @type {Map<string, string>} */
    this.known = new Map();
    /** The places that the last patches changed. @type {Set<string>} */
    this.changed = new Set();
  }

  /**
   * @param {Frame} frame
   * @param {Tree[] | null} patches
   * @returns {void}
   */
  update(frame, patches) {
    const chips = (this.chips = frame.chips ?? {});
    this.changed.clear();
    if (patches === null) {
      this.places.clear();
      this.known.clear();
      for (const key of Object.keys(chips)) this.#put(key);
      return;
    }
    for (const patch of patches) {
      if (patch.chips === null) return this.update(frame, null);
      for (const key of Object.keys(patch.chips ?? {})) {
        this.#remove(key);
        if (chips[key]) this.changed.add(this.#put(key));
      }
    }
  }

  /** @param {string} key */
  #put(key) {
    const { bar, queue } = this.chips[key];
    const place = bar ?? queue ?? "";
    this.known.set(key, place);
    const found = this.places.get(place);
    if (found) found.push(key);
    else this.places.set(place, [key]);
    return place;
  }

  /** @param {string} key */
  #remove(key) {
    const place = this.known.get(key);
    if (place === undefined) return;
    this.known.delete(key);
    this.changed.add(place);
    const found = this.places.get(place) ?? [];
    found.splice(found.indexOf(key), 1);
  }

  /**
   * Returns where the chips of a workload are: bars and LocalQueues.
   * @param {string} workload
   */
  of(workload) {
    const found = [];
    for (const [key, place] of this.known) if (has(this.chips[key], workload)) found.push(place);
    return found;
  }

  /**
   * Returns the chips of a bar or LocalQueue in their order.
   * @param {string} place
   * @returns {[string, Chip][]}
   */
  at(place) {
    const found = (this.places.get(place) ?? []).map((key) => /** @type {[string, Chip]} */ ([key, this.chips[key]]));
    return found.sort(([, a], [, b]) => inOrder(a, b));
  }
}

/**
 * The order of the chips in a bar or queue.
 * @param {Chip} a
 * @param {Chip} b
 */
export function inOrder(a, b) {
  return (
    (a.order ?? 0) - (b.order ?? 0) ||
    (b.priority ?? 0) - (a.priority ?? 0) ||
    (a.since ?? 0) - (b.since ?? 0) ||
    (a.workload < b.workload ? -1 : 1)
  );
}

/** Places chips in the width of a bar. */
export class Placing {
  /**
   * @param {FrameDocument} document
   * @param {(resource: string, amount: number) => number} length in pixels
   * @param {Say} say
   */
  constructor(document, length, say) {
    this.length = length;
    this.priorities = document.priorities ?? [];
    this.say = say;
  }

  /** @param {number | undefined} priority */
  shade(priority) {
    const last = this.priorities.length - 1;
    const rank = priority === undefined ? -1 : this.priorities.indexOf(priority);
    return last < 1 || rank < 0 ? 2 : Math.round((rank / last) * (SHADES - 1));
  }

  /**
   * @param {[string, Chip][]} chips
   * @param {string} resource that of the bar; "" for workloads that are pending
   * @param {number} room where the width ends
   * @param {string} selected a workload that is drawn on its own, whatever its width
   * @param {number} [frame] where the nominal quota ends
   * @returns {Placed[]}
   */
  placed(chips, resource, room, selected, frame = room) {
    /** @type {Placed[]} */
    const found = [];
    let x = 0;
    /** @type {Placed | null} */
    let joined = null;
    for (const [key, chip] of chips) {
      const width = resource ? this.length(resource, chip.amount ?? 0) : Math.min(this.#asked(chip), room);
      const own =
        width >= NARROW ||
        SINGLE.includes(chip.role ?? "") ||
        (selected !== "" && has(chip, selected)) ||
        chip.group !== undefined;
      const shade = this.shade(chip.priority);
      if (chip.waits && x + width > frame + 1) {
        const at = Math.max(0, Math.min(x, frame - width));
        found.push({ key, chip, workloads: [chip.workload], x: at, width, text: "", shade, strip: true });
        joined = null;
        continue;
      }
      if (
        !own &&
        joined &&
        Boolean(joined.chip.hollow) === Boolean(chip.hollow) &&
        (joined.chip.role ?? "") === (chip.role ?? "") &&
        joined.shade === shade
      ) {
        joined.workloads.push(chip.workload);
        joined.width += width;
      } else {
        joined = { key, chip, workloads: [chip.workload], x, width, text: "", shade };
        found.push(joined);
        if (own) joined = null;
      }
      x += width;
    }
    return this.#written(resource ? found : this.#inside(found, room));
  }

  /** @param {Chip} chip */
  #asked(chip) {
    // A slice competes for the difference only.
    const widths = Object.entries(chip.adds ?? chip.asks ?? {}).map(([name, each]) => this.length(name, each));
    const name = widthOf(`${markOf(chip)} ${shortName(chip.group ?? chip.workload)}`, 12) + 10;
    return Math.max(PENDING.least, Math.min(PENDING.most, name), chip.parts ? widthOfParts(chip) : 0, ...widths);
  }

  /**
   * Joins the pending workloads for which the line is too short.
   * @param {Placed[]} found
   * @param {number} room
   */
  #inside(found, room) {
    const last = found.findLastIndex((each) => each.x + each.width <= room);
    if (last === found.length - 1) return found;
    let kept = Math.max(0, last);
    while (kept > 0 && found[kept].x + 48 > room) kept -= 1;
    const rest = found.slice(kept);
    const workloads = rest.flatMap((each) => each.workloads);
    if (rest.length < 2) return found;
    return [
      ...found.slice(0, kept),
      { ...rest[0], key: `${rest[0].key} …`, workloads, width: Math.max(48, room - rest[0].x) },
    ];
  }

  /** @param {Placed[]} found */
  #written(found) {
    for (const each of found) each.text = this.#text(each);
    return found;
  }

  /** @param {Placed} placed */
  #text({ chip, workloads, width }) {
    const room = width - 8;
    const count = chip.count ?? workloads.length;
    if (count > 1) {
      const sign = markOf(chip) && `${markOf(chip)} `;
      const rest = chip.count || !chip.bar ? [sign + this.say("frontend.chip.more", { count })] : [];
      const texts = [...rest, `${sign}×${count}`, `×${count}`];
      return texts.find((each) => widthOf(each, 12) <= width - 4) ?? "";
    }
    const mark = markOf(chip);
    const called = chip.group ?? chip.workload;
    const name = (mark ? `${mark} ` : "") + shortName(called) + addedText(chip);
    const rest = (mark ? `${mark} ` : "") + withoutNamespace(called);
    const text = fitted(widthOf(name, 12) > room ? rest : name, room, 12);
    return text.length > 2 ? text : mark && width > 8 ? mark : "";
  }
}

/** @param {Chip} chip */
export const markOf = (chip) =>
  MARKS[/** @type {keyof typeof MARKS} */ (chip.role ?? "")] ?? outcomeOf(chip).trim();

/**
 * Returns all that is known of a chip, as one line.
 * @param {Placed} placed
 * @param {Frame} frame
 * @param {Say} say
 */
export function aboutChip({ chip, workloads }, frame, say) {
  const count = chip.count ?? workloads.length;
  if (count > 1) return say("frontend.chip.count", { count });
  const bar = chip.bar ? frame.bars?.[chip.bar] : undefined;
  const amounts = bar
    ? amountText(bar.resource, chip.amount ?? 0)
    : Object.entries(chip.asks ?? {})
        .map(([name, each]) => `${amountText(name, each)} ${name}`)
        .join(", ");
  const why = Object.values(frame.candidates ?? {}).find(
    (each) => each.workload === chip.workload && each.workload,
  )?.why;
  return [
    chip.group ?? (chip.workload || say("frontend.chip.simulated")),
    ...(chip.parts ? aboutParts(chip, bar?.resource ?? "", say) : []),
    amounts,
    chip.priority === undefined ? "" : say("frontend.chip.priority", { priority: chip.priority }),
    chip.role ? say(`frontend.role.${chip.role}`) : "",
    chip.phase ?? "",
    chip.reserved ? say("frontend.chip.reserved") : "",
    chip.place === "inadmissible" ? say("frontend.chip.inadmissible") : "",
    why ?? chip.why ?? "",
  ]
    .filter(Boolean)
    .join(" · ");
}
