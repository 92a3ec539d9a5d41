// Keeps the board up to date: asks for its rows, and says so when the server does not answer.

const EVERY = 2000;
const board = document.getElementById("board");
const lost = document.getElementById("lost");
let shown = board.innerHTML;

async function update() {
  try {
    const answer = await fetch("rows", { cache: "no-store" });
    if (!answer.ok) throw new Error(String(answer.status));
    const rows = await answer.text();
    lost.hidden = true;
    if (rows !== shown) {
      shown = rows;
      const focused = document.activeElement?.getAttribute("aria-labelledby");
      board.innerHTML = rows;
      if (focused) board.querySelector(`[tabindex][aria-labelledby="${focused}"]`)?.focus();
    }
  } catch {
    lost.hidden = false;
  }
  setTimeout(update, EVERY);
}

setTimeout(update, EVERY);
