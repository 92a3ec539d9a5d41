// The address of the page: #step=58 shows step 58.

/** @typedef {import("./stepping.js").Stepping} Stepping */

/**
 * Returns the step of an address, counted from 0; -1 if it names none.
 * @param {string} [address]
 */
export function stepOfAddress(address = location.href) {
  const step = Number(new URLSearchParams(new URL(address).hash.slice(1)).get("step"));
  return step >= 1 ? Math.round(step) - 1 : -1;
}

/**
 * Keeps the address and the step the same.
 * @param {Stepping} stepping
 */
export function followAddress(stepping) {
  let timer = 0;
  stepping.onStep(() => {
    clearTimeout(timer);
    // Browsers allow some changes of the address in a time only.
    timer = window.setTimeout(() => {
      const parts = new URLSearchParams(location.hash.slice(1));
      parts.set("step", String(stepping.step + 1));
      try {
        history.replaceState(null, "", `#${parts}`);
      } catch {
        // A frame without an address of its own steps without one.
      }
    }, 200);
  });
  window.addEventListener("hashchange", (event) => {
    // The address may have been written again since it was changed.
    const step = stepOfAddress(event.newURL);
    if (step >= 0 && step !== stepping.step) void stepping.go(step);
  });
}
