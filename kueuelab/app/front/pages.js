// Which pages there are for what is open: a page that has nothing to show is not offered.

import { branch, family, isAsRead, opened } from "./store.js";

/** Pages that need nothing open. */
const FREE = ["home", "build", "exercises", "settings"];
/** Pages about a large input that show it as it was read, before anything is decided. */
const READS = ["overview", "workloads"];
/** Pages about one cluster: of several, jobs are not tried, and no other release reads them. */
const OF_ONE = ["try-job", "capacity", "upgrade"];

/** @param {string} page */
export function needsInput(page) {
  return !FREE.includes(page);
}

/** Whether a page shows nothing before what is open is decided. @param {string} page */
export function needsDecisions(page) {
  return needsInput(page) && !READS.includes(page) && isAsRead();
}

/** Whether a page can be opened now. @param {string} page */
export function isUsable(page) {
  return !needsInput(page) || Boolean(opened.value?.branches.length);
}

/** Whether what is open is anything for a page. @param {string} page */
export function isOffered(page) {
  const isSet = Boolean(family.value?.clusters.length);
  if (page === "clusters") return isSet;
  if (page === "topology") return Boolean(branch.value?.topologies);
  return !(isSet && OF_ONE.includes(page));
}
