// Elements: made with texts only, never from markup.

/** @typedef {string | number | boolean | null | undefined | EventListener | object} Value */

/**
 * Makes an element. `on…` adds a listener; `text` is its text; null and false leave out.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, Value>} [attributes]
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  put(element, attributes);
  for (const child of children) if (child) element.append(child);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/**
 * Makes an element of SVG.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, Value>} [attributes]
 * @param {...Node} children
 * @returns {SVGElementTagNameMap[T]}
 */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  put(element, attributes);
  element.append(...children);
  return element;
}

/**
 * Sets attributes, those only that differ.
 * @param {Element} element
 * @param {Record<string, Value>} attributes
 */
export function put(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function")
      element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (name === "text") write(element, String(value ?? ""));
    else if (value === null || value === undefined || value === false)
      element.removeAttribute(name);
    else {
      const text = value === true ? "" : String(value);
      if (element.getAttribute(name) === text) continue;
      // A page whose policy allows no inline styles takes them from scripts.
      if (name === "style" && element instanceof HTMLElement) element.style.cssText = text;
      else element.setAttribute(name, text);
    }
  }
}

/**
 * Writes a text, if it differs.
 * @param {Node} element
 * @param {string} text
 */
export function write(element, text) {
  const first = element.firstChild;
  if (first && first === element.lastChild && first.nodeType === Node.TEXT_NODE) {
    if (first.nodeValue !== text) first.nodeValue = text;
  } else element.textContent = text;
}

let made = 0;

/** Returns an id for an element that no other element of the page has, whichever module made it. */
export const freshId = () => `kl-${Math.random().toString(36).slice(2, 8)}-${(made += 1)}`;

/**
 * Makes the children of an element those of a list, keeping the elements of keys that stay.
 * @template T
 * @param {Element} parent
 * @param {Iterable<[string, T]>} items
 * @param {(item: T, key: string) => Element} make
 * @param {(element: any, item: T, key: string) => void} update
 * @param {(key: string, item: T) => boolean} [stays] whether an element that was there is as it was
 */
export function keyed(parent, items, make, update, stays = () => false) {
  /** @type {Map<string, Element>} */
  const known = /** @type {any} */ (parent)[KEYED] ?? new Map();
  const next = new Map();
  let place = parent.firstElementChild;
  for (const [key, item] of items) {
    let element = known.get(key);
    if (element) known.delete(key);
    if (!element || !stays(key, item)) {
      element ??= make(item, key);
      update(element, item, key);
    }
    next.set(key, element);
    if (element === place) place = place.nextElementSibling;
    else parent.insertBefore(element, place);
  }
  for (const element of known.values()) element.remove();
  /** @type {any} */ (parent)[KEYED] = next;
}

const KEYED = Symbol("keyed");

/**
 * Makes a labelled list of options.
 * @param {string} label
 * @param {string} hover
 * @param {Iterable<[string, string]>} options values and texts
 * @param {(value: string) => void} chosen
 */
export function choice(label, hover, options, chosen) {
  const select = h("select", { title: hover, "aria-label": label });
  setOptions(select, options);
  select.addEventListener("change", () => chosen(select.value));
  const element = h("label", { class: "kl-field" }, h("span", { text: label }), select);
  return { element, select };
}

/**
 * @param {HTMLSelectElement} select
 * @param {Iterable<[string, string]>} options values and texts
 */
export function setOptions(select, options) {
  const { value } = select;
  select.replaceChildren(...[...options].map(([key, text]) => h("option", { value: key, text })));
  if ([...select.options].some((each) => each.value === value)) select.value = value;
}

/**
 * @param {string} text
 * @param {string} hover
 * @param {() => void} pressed
 * @param {string} [name] what a screen reader says, where the text is a sign
 */
export function button(text, hover, pressed, name) {
  return h("button", {
    type: "button",
    text,
    title: hover,
    "aria-label": name,
    onclick: () => pressed(),
  });
}

/** @type {CanvasRenderingContext2D | null} */
let pen = null;
/** @type {Map<string, number>} */
const widths = new Map();

/**
 * Returns how wide a text is, in pixels.
 * @param {string} text
 * @param {number} size
 */
export function widthOf(text, size) {
  const key = `${size} ${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    pen ??= document.createElement("canvas").getContext("2d");
    if (!pen) return text.length * size * 0.6;
    pen.font = `${size}px system-ui`;
    width = pen.measureText(text).width;
    if (widths.size > 20000) widths.clear();
    widths.set(key, width);
  }
  return width;
}

/** The widths of characters, by size and code. @type {number[][]} */
const characters = [];

/**
 * Returns about how wide a text is: the sum of its characters. None of thousands of texts is measured.
 * @param {string} text
 * @param {number} size
 */
export function aboutWidthOf(text, size) {
  const known = (characters[size] ??= []);
  let width = 0;
  for (let at = 0; at < text.length; at += 1)
    width += known[text.charCodeAt(at)] ??= widthOf(text[at], size);
  return width;
}

/**
 * Returns as much of a text as has room, with an ellipsis if that is not all.
 * @param {string} text
 * @param {number} room
 * @param {number} size
 */
export function fitted(text, room, size) {
  if (widthOf(text, size) <= room) return text;
  let low = 0;
  let high = Math.min(text.length, 200);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (widthOf(`${text.slice(0, middle)}…`, size) <= room) low = middle;
    else high = middle - 1;
  }
  return low ? `${text.slice(0, low)}…` : "";
}
