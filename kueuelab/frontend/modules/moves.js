// Which step comes next: by decision, entry, cycle or step, and where a condition holds.

/**
 * @param {Deltas | undefined} deltas
 * @returns {number[]} the step numbers, ascending
 */
export function stepsOf(deltas) {
  let at = 0;
  return (deltas ?? []).map((delta) => (at += delta));
}

/**
 * Returns the nearest of ascending steps in a direction, -1 if there is none.
 * @param {number[]} steps
 * @param {number} from
 * @param {1 | -1} direction
 */
export function nearest(steps, from, direction) {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (direction > 0 ? steps[middle] <= from : steps[middle] < from) low = middle + 1;
    else high = middle;
  }
  const place = direction > 0 ? low : low - 1;
  return steps[place] ?? -1;
}

/**
 * A breakpoint: all that is given must hold (or any of it).
 * @typedef {{workload?: string, event?: string, queue?: string, message?: string,
 *   any?: boolean}} Condition
 */

/** The steps of a run by what they are about; each list is decoded when it is asked for. */
export class StepIndex {
  /** @param {FrameDocument} document */
  constructor(document) {
    const { index = {} } = document;
    this.count = document.steps;
    this.times = index.times ?? [];
    /** @type {Record<string, Record<string, Deltas | undefined>>} */
    this.deltas = {
      move: index.moves ?? {},
      event: index.events ?? {},
      workload: index.workloads ?? {},
      queue: index.queues ?? {},
    };
    /** @type {Map<string, number[]>} */
    this.decoded = new Map();
  }

  /** @param {string} what */
  names(what) {
    return Object.keys(this.deltas[what]);
  }

  /**
   * @param {string} what
   * @param {string} name
   * @returns {number[] | null} null if the document does not say
   */
  of(what, name) {
    const key = `${what} ${name}`;
    const known = this.decoded.get(key);
    if (known) return known;
    const found = this.deltas[what];
    if (!Object.hasOwn(found, name) || !found[name])
      // Nothing is about a name that a list of names lacks; without the list it is not known.
      return what !== "move" && Object.keys(found).length ? [] : null;
    const steps = stepsOf(found[name]);
    this.decoded.set(key, steps);
    return steps;
  }

  /**
   * @param {string} by
   * @param {number} from
   * @param {1 | -1} direction
   * @returns {number | null} -1 if there is none, null if the document does not say
   */
  move(by, from, direction) {
    if (by === "step") {
      const next = from + direction;
      return next < 0 || next >= this.count ? -1 : next;
    }
    const steps = this.of("move", by);
    return steps && nearest(steps, from, direction);
  }

  /**
   * Returns the nearest step where one of the conditions holds, by the lists alone.
   * @param {Condition[]} conditions without messages
   * @param {number} from
   * @param {1 | -1} direction
   * @returns {number | null} -1 if there is none, null if the document does not say
   */
  until(conditions, from, direction) {
    const found = conditions.map((each) => this.#where(each, from, direction));
    if (found.includes(null)) return null;
    const places = /** @type {number[]} */ (found).filter((step) => step >= 0);
    if (!places.length) return -1;
    return direction > 0 ? Math.min(...places) : Math.max(...places);
  }

  /**
   * @param {Condition} condition
   * @param {number} from
   * @param {1 | -1} direction
   */
  #where(condition, from, direction) {
    const lists = [];
    for (const what of /** @type {const} */ (["workload", "event", "queue"])) {
      const name = condition[what];
      if (!name) continue;
      const steps = this.of(what, name);
      if (!steps) return null;
      lists.push(steps);
    }
    if (!lists.length) return -1;
    const next = (/** @type {number[]} */ steps, /** @type {number} */ at) =>
      nearest(steps, at, direction);
    if (condition.any) {
      const places = lists.map((steps) => next(steps, from)).filter((step) => step >= 0);
      if (!places.length) return -1;
      return direction > 0 ? Math.min(...places) : Math.max(...places);
    }
    const others = lists.slice(1).map((steps) => new Set(steps));
    let at = next(lists[0], from);
    while (at >= 0 && !others.every((steps) => steps.has(at))) at = next(lists[0], at);
    return at;
  }
}
