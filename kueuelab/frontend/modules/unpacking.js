// What was packed for a notebook: JSON as gzip in base64. The modules themselves come so, too:
// what opens them is a part of each page, and of each widget.

/**
 * Returns what a packed text holds; what is not packed is returned as it is.
 * @param {any} packed
 * @returns {Promise<any>}
 */
export async function unpacked(packed) {
  if (typeof packed !== "string") return packed;
  const text = atob(packed);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = text.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

/**
 * Returns the modules: they are opened and run once a page, whatever needs them first.
 * @param {string} key that of their text
 * @param {() => string | Promise<string>} packed
 * @returns {Promise<any>}
 */
export function modulesOf(key, packed) {
  const page = /** @type {any} */ (globalThis);
  /** @type {Map<string, Promise<any>>} */
  const known = (page[Symbol.for("kueuelab.modules")] ??= new Map());
  const found = known.get(key) ?? evaluated(packed);
  known.set(key, found);
  found.catch(() => known.delete(key));
  return found;
}

/** @param {() => string | Promise<string>} packed */
async function evaluated(packed) {
  const { script, style } = await unpacked(await packed());
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const found = await import(url);
  URL.revokeObjectURL(url);
  const styled = document.createElement("style");
  styled.textContent = style;
  document.head.append(styled);
  return found;
}
