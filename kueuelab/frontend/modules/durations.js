// Times since the start of a run, as they are printed everywhere: 1.5s, 300ms, 5m0.1s.

/**
 * @param {number} ms
 * @returns {string}
 */
export function durationText(ms) {
  if (ms < 0) return `-${durationText(-ms)}`;
  if (ms === 0) return "0s";
  if (ms < 1000) return `${ms}ms`;
  const minutes = Math.floor(ms / 60000);
  const seconds = `${(ms % 60000) / 1000}s`;
  if (!minutes) return seconds;
  const hours = Math.floor(minutes / 60);
  return hours ? `${hours}h${minutes % 60}m${seconds}` : `${minutes}m${seconds}`;
}

/**
 * Rounded to tenths of a second, as the views of several clusters show times.
 * @param {number} ms
 */
export const tenthsText = (ms) => durationText(Math.floor((ms + 50) / 100) * 100);

/**
 * Reads a list of differences.
 * @param {Deltas} deltas
 */
export function summed(deltas) {
  let sum = 0;
  return deltas.map((each) => (sum += each));
}

/** The instants of a run: which step is shown at a time, and when a step is. */
export class Instants {
  /** @param {{step: Deltas, ms: Deltas}} clock */
  constructor(clock) {
    this.steps = summed(clock.step);
    this.times = summed(clock.ms);
  }

  /** @param {number} step */
  timeOf(step) {
    return this.times[Math.max(0, last(this.steps, step))] ?? 0;
  }

  /**
   * Returns the last step by a time.
   * @param {number} ms
   * @param {number} steps of the run
   */
  stepBy(ms, steps) {
    const at = last(this.times, ms);
    return at < 0 ? 0 : (this.steps[at + 1] ?? steps) - 1;
  }
}

/**
 * Returns the place of the last number that is not greater, -1 if there is none.
 * @param {number[]} sorted
 * @param {number} wanted
 */
export function last(sorted, wanted) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= wanted) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
