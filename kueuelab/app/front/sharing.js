// A link to what is shown: it has the scenario and its changes in itself, and nothing is uploaded.

import { failureOf, engine, family, toast } from "./store.js";
import { address, route } from "./route.js";
import { say } from "./words.js";

/** Copies a link to what is shown. */
export async function copyLink() {
  const shown = family.value;
  if (!shown) return;
  try {
    const { source, link } = await engine.ask("link", { branch: shown.name });
    const { page } = route.value;
    // A page of two branches, or of the draft, has nothing to show where there is one branch.
    const there = ["build", "compare", "home", "settings"].includes(page) ? "overview" : page;
    const part = address(there, { open: source || `link:${link}`, branch: "", before: "", o: "" });
    // A cell of a notebook has no address that others could open.
    const { origin = "", pathname = "" } = location;
    await navigator.clipboard.writeText(`${origin}${pathname}${part}`);
    toast([say(link ? "app.link.copied" : "app.link.copied.packaged"), origin ? "" : say("app.link.copied.part")].filter(Boolean).join(" "), { tone: "ok" });
  } catch (error) {
    const { message, problems } = error instanceof DOMException ? { message: say("app.not-copied"), problems: [] } : failureOf(error);
    toast([message, problems[0]?.hint ?? ""].filter(Boolean).join(". "), { tone: "bad" });
  }
}

/** The part of a text that is a link of this app; "" if there is none. @param {string} text */
export function linkIn(text) {
  return /#\/[\w-]+\?\S*open=[^\s&]+\S*/.exec(text)?.[0] ?? "";
}
