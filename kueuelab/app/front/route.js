// The address is the state: #/workloads?open=two-teams&phase=Pending&w=team-a/job.

import { signal } from "./lib.js";

/**
 * @typedef {object} Route
 * @property {string} page
 * @property {Record<string, string>} query
 */

export const PAGES = ["home", "overview", "workloads", "levers", "try-job", "change", "steps", "topology", "clusters", "compare", "capacity", "upgrade", "build", "exercises", "settings"];

/** The address that was read last. */
let known = "";

/** @returns {Route} */
function read() {
  known = location.hash;
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const page = PAGES.includes(path) ? path : "home";
  return { page, query: Object.fromEntries(new URLSearchParams(query)) };
}

export const route = signal(read());
addEventListener("hashchange", () => (route.value = read()));

/**
 * Returns an address with some values changed; an empty value is left out.
 * @param {string} page
 * @param {Record<string, string | number | null | undefined>} [changes]
 * @param {boolean} [afresh] whether only what is open is kept
 */
export function address(page, changes = {}, afresh = false) {
  const { query } = route.value;
  const kept = afresh ? { open: query.open, branch: query.branch, cluster: query.cluster } : query;
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...kept, ...changes }))
    if (value !== "" && value != null) parts.set(name, String(value));
  const text = String(parts).replaceAll("%2F", "/").replaceAll("%3A", ":");
  return `#/${page}${text ? `?${text}` : ""}`;
}

/**
 * Goes to an address; a small change replaces the last one in the history.
 * @param {string} to
 * @param {boolean} [small]
 */
export function go(to, small = false) {
  if (to === location.hash) return;
  if (small) {
    // The address has changed, and the page has not read it yet: what was shown before is not written.
    if (location.hash !== known) return;
    history.replaceState(null, "", to);
    route.value = read();
  } else {
    location.hash = to;
  }
}
