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

/** What may be changed in place: all else belongs to a document. @type {WeakSet<Tree>} */
const owned = new WeakSet();

/** @param {Json | undefined} value @returns {value is Tree} */
const isObject = (value) =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/**
 * Returns an object to be changed by `merge`, with the same members.
 * @param {Tree} tree
 * @returns {Tree}
 */
function own(tree) {
  if (owned.has(tree)) return tree;
  const made = Object.assign(Object.create(null), tree);
  owned.add(made);
  return made;
}

/**
 * Returns the frame that a chunk begins with, to be changed by `merge`: what changes is copied then.
 * @param {Chunk} chunk
 * @returns {Tree}
 */
export function opened({ key, tables = {} }) {
  const frame = own(key);
  // The parts are looked into by names of the run.
  for (const part of Object.values(frame)) if (isObject(part)) Object.setPrototypeOf(part, null);
  for (const [name, table] of Object.entries(tables)) frame[name] = read(table);
  return frame;
}

/** An object without members of its own: not even `__proto__`. */
const Empty = /** @type {any} */ (function () {});
Empty.prototype = Object.create(null);

/**
 * Reads objects by key from one list: of each, the number of its member names, its key and its values.
 * @param {Table} table
 */
function read({ members, rows }) {
  const found = own({});
  for (let at = 0; at < rows.length; ) {
    const names = members[/** @type {number} */ (rows[at])];
    const each = new Empty();
    names.forEach((name, place) => (each[name] = rows[at + 2 + place]));
    found[/** @type {string} */ (rows[at + 1])] = each;
    at += 2 + names.length;
  }
  return found;
}

/**
 * Changes an object in place as a merge patch says; returns the merge patch that undoes it.
 * What is not its own stays as it is, and a copy is changed.
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
      const changed = own(before);
      target[key] = changed;
      undo[key] = merge(changed, after);
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
