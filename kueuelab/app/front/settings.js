// Settings: language, theme, time zone, and the release of Kueue that decides what is opened.

import { el } from "./lib.js";
import { family, greeting, openSource, preferences, prefer, theme, when } from "./store.js";
import { THEMES } from "./themes.js";
import { route } from "./route.js";
import { say } from "./words.js";

export function Settings() {
  const found = greeting.value;
  if (!found) return null;
  const zones = Intl.supportedValuesOf("timeZone");
  const source = route.value.query.open ?? "";
  const decided = family.value?.release ?? "";
  const wanted = found.release || found.kueueVersion;
  return el("div.page.settings", null,
    el("div.title", null, el("h1", null, say("app.page.settings")), el("p", null, say("app.settings.about"))),
    el("div.stack", null,
      Choice("release", found.release, [["", say("app.settings.release.input", { version: found.kueueVersion })], ...found.releases.map(Same)], (release) => prefer({ release })),
      decided && decided !== wanted && source && !source.startsWith("draft:") && !source.startsWith("link:")
        ? el("p.row", null, say("app.settings.decided", { version: decided }), el("button.btn", { onClick: () => void openSource(source) }, say("app.settings.again"))) : null,
      el("section.card", null, el("fieldset.themes", null, el("legend", null, say("app.settings.theme")),
        ...THEMES.map((name) => el("label.tick", { key: name }, el("input", { type: "radio", name: "theme", checked: theme.value === name, onChange: () => (theme.value = name) }), say(`app.settings.theme.${name}`))))),
      Choice("language", found.language, found.languages.map((each) => [each, language(each)]), (chosen) => prefer({ language: chosen })),
      Choice("zone", preferences.value.zone, [["", say("app.settings.zone.browser", { zone: Intl.DateTimeFormat().resolvedOptions().timeZone })], ["UTC", "UTC"], ...zones.filter((each) => each !== "UTC").map(Same)], (zone) => prefer({ zone })),
      el("p.note", null, say("app.settings.now", { time: when(Date.now()) }))));
}

/** @param {string} value @returns {[string, string]} */
function Same(value) {
  return [value, value];
}

/** A language in its own words; that of translators has none. @param {string} code */
export function language(code) {
  return code === "en-XA" ? say("app.settings.language.pseudo") : new Intl.DisplayNames([code], { type: "language" }).of(code) ?? code;
}

/**
 * @param {string} name
 * @param {string} value
 * @param {[string, string][]} choices
 * @param {(value: string) => unknown} choose
 */
function Choice(name, value, choices, choose) {
  return el("section.card.setting", { key: name }, el("label", { for: `setting-${name}` }, say(`app.settings.${name}`)),
    el("select.in", { id: `setting-${name}`, value, onChange: (/** @type {any} */ event) => void choose(event.target.value) },
      ...choices.map(([id, label]) => el("option", { key: id, value: id }, label))),
    el("p.note", null, say(`app.settings.${name}.about`)));
}
