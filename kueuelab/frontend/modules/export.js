// Files: the picture as SVG and PNG, a frame as text.

import { s } from "./dom.js";

/** @typedef {import("./picture.js").Picture} Picture */

/** What a drawing needs of the styles of the page. */
const STYLED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-family", "font-weight", "opacity", "fill-opacity", "text-anchor", "rx"];

/**
 * Returns the picture as it is drawn, with its styles in it.
 * @param {Picture} picture
 */
export function svgText(picture) {
  const { svg, element, frame } = picture;
  const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
  const [from, to] = [svg, copy].map((each) => [...each.querySelectorAll("*")]);
  from.forEach((each, place) => {
    const style = getComputedStyle(each);
    const found = STYLED.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";");
    to[place].setAttribute("style", found);
    for (const name of ["tabindex", "data-key", "data-chip", "data-place", "data-workload"])
      to[place].removeAttribute(name);
  });
  copy.removeAttribute("class");
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const ground = getComputedStyle(element).backgroundColor;
  const title = s("title");
  title.textContent = `${picture.stepping.place}. ${frame.sentence}`;
  copy.prepend(title, s("rect", { width: "100%", height: "100%", fill: ground }));
  return new XMLSerializer().serializeToString(copy);
}

/**
 * @param {Picture} picture
 * @param {string} name
 */
export function downloadSvg(picture, name) {
  save(new Blob([svgText(picture)], { type: "image/svg+xml" }), `${name}.svg`);
}

/**
 * @param {Picture} picture
 * @param {string} name
 */
export async function downloadPng(picture, name) {
  const { clientWidth: width, clientHeight: height } = picture.svg;
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(picture))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width * 2;
  canvas.height = height * 2;
  canvas.getContext("2d")?.drawImage(image, 0, 0, width * 2, height * 2);
  canvas.toBlob((blob) => blob && save(blob, `${name}.png`));
}

/**
 * @param {string} text
 * @param {string} name
 */
export function downloadText(text, name) {
  save(new Blob([text], { type: "text/plain" }), `${name}.txt`);
}

/**
 * @param {Blob} blob
 * @param {string} name
 */
function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name.replace(/[^\w.-]+/g, "-");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
