// What is above the picture: search, resource and flavor, zoom, collapse, table, export.

import { MARKS } from "./chips.js";
import { button, choice, h, setOptions } from "./dom.js";
import { icon, signed } from "./icons.js";
import { downloadPng, downloadSvg, downloadText } from "./export.js";
import { frameText, table } from "./picture_table.js";

/** @typedef {import("./picture.js").Picture} Picture */

/** The picture with its tools, its legend, and its text form. */
export class PicturePanel {
  /** @param {Picture} picture */
  constructor(picture) {
    this.picture = picture;
    const { say } = picture;
    this.search = h("input", {
      type: "search",
      placeholder: say("frontend.picture.search"),
      "aria-label": say("frontend.picture.search.name"),
      oninput: () => this.#filter(),
    });
    const all = say("frontend.picture.all");
    this.resource = choice(say("frontend.picture.resource"), say("frontend.picture.resource.hover"), [["", all]], () => this.#filter());
    this.flavor = choice(say("frontend.picture.flavor"), say("frontend.picture.flavor.hover"), [["", all]], () => this.#filter());
    const tool = (
      /** @type {string} */ id,
      /** @type {import("./icons.js").IconName} */ sign,
      /** @type {() => void} */ act,
    ) => signed(button("", "", act), sign, say(`frontend.picture.${id}`), say(`frontend.picture.${id}`));
    this.collapse = tool("collapse", "collapse", () => picture.toggleAll(true));
    this.expand = tool("expand", "expand", () => picture.toggleAll(false));
    this.asTable = tool("table", "table", () => this.toggleTable());
    this.asTable.setAttribute("aria-pressed", "false");
    const name = () => `${picture.stepping.document.name || "kueuelab"}-${picture.stepping.step + 1}`;
    this.exports = h(
      "details",
      { class: "kl-menu" },
      h("summary", { title: say("frontend.export"), "aria-label": say("frontend.export") }, icon("save")),
      h(
        "div",
        {},
        button("SVG", say("frontend.export.svg"), () => downloadSvg(picture, name()), say("frontend.export.svg")),
        button("PNG", say("frontend.export.png"), () => void downloadPng(picture, name()), say("frontend.export.png")),
        button(say("frontend.export.text.short"), say("frontend.export.text"), () => downloadText(frameText(picture), name()), say("frontend.export.text")),
      ),
    );
    this.tools = h(
      "div",
      { class: "kl-tools", role: "group", "aria-label": say("frontend.picture.tools") },
      this.search,
      this.resource.element,
      this.flavor.element,
      h("span", { class: "kl-gap" }),
      tool("zoom-out", "less", () => picture.zoomBy(0.8)),
      tool("zoom-in", "more", () => picture.zoomBy(1.25)),
      tool("fit", "fit", () => (picture.rowScale === 1 && picture.zoom === 1 ? picture.fit() : picture.reset())),
      this.collapse,
      this.expand,
      this.asTable,
      this.exports,
    );
    this.text = h("div", { class: "kl-text", hidden: true });
    this.element = h(
      "section",
      { class: "kl-picture", "aria-label": say("frontend.picture.name") },
      this.tools,
      h("div", { class: "kl-stage" }, picture.element, this.text),
      legend(say),
    );
    picture.laidOut = () => this.#offer();
  }

  /**
   * @param {Frame} frame
   * @param {Change} change
   */
  show(frame, change) {
    this.picture.show(frame, change);
    if (!this.text.hidden) this.text.replaceChildren(table(this.picture));
  }

  toggleTable() {
    this.text.hidden = !this.text.hidden;
    this.picture.element.hidden = !this.text.hidden;
    this.asTable.setAttribute("aria-pressed", String(!this.text.hidden));
    this.text.replaceChildren(...(this.text.hidden ? [] : [table(this.picture)]));
    this.picture.resized();
  }

  #filter() {
    this.picture.filter = {
      resource: this.resource.select.value,
      flavor: this.flavor.select.value,
      search: this.search.value.trim(),
    };
    this.picture.again();
    if (!this.text.hidden) this.text.replaceChildren(table(this.picture));
  }

  /** Offers the resources and flavors that there are, where there are several. */
  #offer() {
    const { layout, say } = this.picture;
    if (!layout) return;
    for (const [field, names] of /** @type {const} */ ([
      [this.resource, layout.resources],
      [this.flavor, layout.flavors],
    ])) {
      const offered = field.select.options.length - 1;
      field.element.hidden = names.size < 2;
      if (offered !== names.size)
        setOptions(field.select, [
          ["", say("frontend.picture.all")],
          ...[...names].map((each) => /** @type {[string, string]} */ ([each, each])),
        ]);
    }
    const deep = layout.children.size > 1;
    this.collapse.hidden = this.expand.hidden = !deep;
  }
}

/** @param {Say} say */
function legend(say) {
  const item = (/** @type {string} */ of) =>
    h("span", { class: "kl-key" }, h("i", { class: `kl-swatch kl-of-${of}` }), say(`frontend.legend.${of}`));
  const marks = ["preemptor", "candidate", "excluded", "skipped", "removed", "restored", "target"];
  return h(
    "div",
    { class: "kl-legend" },
    ...["nominal", "priority", "borrowed", "lent", "limit"].map(item),
    ...marks.map((role) =>
      h("span", { class: "kl-key" }, h("b", { text: MARKS[/** @type {keyof typeof MARKS} */ (role)] }), ` ${say(`frontend.role.${role}`)}`),
    ),
  );
}
