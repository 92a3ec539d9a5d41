// JSON merge patches (RFC 7386) on frames, with the patch that undoes each.

/**
 * Copies plain JSON into objects without a prototype: a name in a file may be `__proto__`.
 * @template {Json} T
 * @param {T} value
 * @returns {T}
 */
export function copied(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return /** @type {T} */ (value.map(copied));
  const made = Object.create(null);
  for (const key of Object.keys(value)) made[key] = copied(/** @type {Tree} */ (value)[key]);
  return made;
}

/** @param {Json | undefined} value @returns {value is Tree} */
const isObject = (value) =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/**
 * Changes an object in place as a merge patch says; returns the merge patch that undoes it.
 * @param {Tree} target
 * @param {Tree} patch
 * @returns {Tree}
 */
export function merge(target, patch) {
  /** @type {Tree} */
  const undo = Object.create(null);
  for (const key of Object.keys(patch)) {
    const after = patch[key];
    const before = target[key];
    if (after === null) {
      if (before === undefined) continue;
      delete target[key];
      undo[key] = before;
    } else if (isObject(after) && isObject(before)) {
      undo[key] = merge(before, after);
    } else {
      undo[key] = before === undefined ? null : before;
      target[key] = withoutNulls(copied(after));
    }
  }
  return undo;
}

/**
 * @param {Json} value a copy
 * @returns {Json}
 */
function withoutNulls(value) {
  if (isObject(value))
    for (const key of Object.keys(value))
      if (value[key] === null) delete value[key];
      else withoutNulls(value[key]);
  return value;
}
