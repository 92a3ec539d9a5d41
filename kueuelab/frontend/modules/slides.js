// Chips that move: a workload slides from where it was to where it is.

const TIMING = { duration: 260, easing: "cubic-bezier(.2,.7,.2,1)" };
/** More of them at once say nothing, and cost time. */
const MOST = 40;

/** Whether things may move. */
export const mayMove = () => !window.matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Slides {
  /** @param {Element} layer */
  constructor(layer) {
    this.layer = layer;
    /** Where the chips of each workload were. @type {Map<string, string>} */
    this.places = new Map();
    this.enabled = true;
    /** When the last step was shown. */
    this.last = -Infinity;
  }

  /** @param {boolean} animated */
  before(animated) {
    this.places.clear();
    const now = performance.now();
    // Of steps that follow each other faster than chips slide, only the places are seen.
    const fast = now - this.last < TIMING.duration;
    if (animated) this.last = now;
    if (!animated || fast || !this.enabled || !mayMove()) return;
    for (const chip of this.layer.children) {
      const { workload, place } = /** @type {SVGElement} */ (chip).dataset;
      if (workload && place) this.places.set(workload, place);
    }
  }

  /** @param {boolean} animated */
  after(animated) {
    if (!animated || !this.places.size) return;
    const moved = [];
    for (const chip of this.layer.children) {
      const { workload = "", place = "" } = /** @type {SVGElement} */ (chip).dataset;
      const before = this.places.get(workload);
      if (before && before !== place) moved.push({ chip, before, place });
    }
    if (moved.length > MOST) return;
    for (const { chip, before, place } of moved)
      chip.animate([{ transform: at(before) }, { transform: at(place) }], TIMING);
  }
}

/** @param {string} place */
const at = (place) => {
  const [x, y] = place.split(" ");
  return `translate(${x}px, ${y}px)`;
};
