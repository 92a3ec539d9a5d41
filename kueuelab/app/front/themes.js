// The themes in the order in which a press changes them.

import { theme } from "./store.js";

export const THEMES = ["auto", "light", "dark", "contrast"];

export function nextTheme() {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length];
}
