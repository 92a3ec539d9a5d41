// The sentences of the app, in the reader's language: Python hands them over when it is asked first.

/** @type {(id: string, values?: Record<string, string | number>) => string} */
let spoken = () => "";

/** @param {Record<string, any>} table */
export function speak(table) {
  spoken = speaker(table);
}

/**
 * Returns a sentence with its values filled in.
 * @param {string} id
 * @param {Record<string, string | number>} [values]
 */
export function say(id, values) {
  return spoken(id, values);
}
