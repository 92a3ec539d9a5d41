// Names that nothing else has.

/** Unlike randomUUID, it is also there in a page of another machine that came without encryption. */
export function randomName() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((each) => each.toString(16).padStart(2, "0")).join("");
}
