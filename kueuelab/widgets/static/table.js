// A table whose rows can be chosen, by mouse and by keyboard. A cell is a text, or two: the
// second one stands below the first in small letters.

function cell(tag, text, className) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

function render({ model, el }) {
  el.classList.add("kl-table");

  const line = (row, columns) => {
    const made = document.createElement("tr");
    row.cells.forEach((texts, column) => {
      const place = document.createElement("td");
      // In a narrow place a row is a block, and each cell says what it is.
      if (columns[column]) place.dataset.name = columns[column];
      const [text, below] = Array.isArray(texts) ? texts : [texts, ""];
      if (column === model.get("link") && row.key) {
        const button = cell("button", text, "kl-link");
        button.type = "button";
        button.title = `Select ${text}`;
        button.addEventListener("click", () => model.send({ type: "select", key: row.key }));
        place.append(button);
      } else {
        place.textContent = text;
      }
      if (below) place.append(cell("div", below, "kl-below"));
      if (row.cells.length === 1) place.colSpan = columns.length;
      made.append(place);
    });
    if (row.mark) made.classList.add(`kl-${row.mark}`);
    if (row.key && row.key === model.get("selected")) {
      made.classList.add("kl-selected");
      made.setAttribute("aria-selected", "true");
    }
    return made;
  };

  // Kept in mind, as to ask for it between two changes would have the browser lay out twice.
  let top = 0;
  el.addEventListener("scroll", () => {
    top = el.scrollTop;
  });
  const show = () => {
    const rows = model.get("rows");
    const columns = model.get("columns");
    const focused = el.contains(document.activeElement) ? document.activeElement.textContent : null;
    el.replaceChildren();
    if (!rows.length) return;
    const table = document.createElement("table");
    table.append(cell("caption", model.get("caption")));
    const head = table.createTHead().insertRow();
    columns.forEach((name) => {
      const title = cell("th", name);
      title.scope = "col";
      head.append(title);
    });
    const body = table.createTBody();
    rows.forEach((row) => body.append(line(row, columns)));
    el.append(table);
    if (top) el.scrollTop = top;
    // Whoever chose a row goes on from there.
    if (focused !== null) {
      const again = [...el.querySelectorAll("button")].find((each) => each.textContent === focused);
      if (again) again.focus({ preventScroll: true });
    }
    const chosen = el.querySelector("tr.kl-selected");
    if (!chosen) return;
    const seen = el.scrollTop <= chosen.offsetTop;
    const below = chosen.offsetTop + chosen.offsetHeight - el.clientHeight;
    if (!seen || el.scrollTop < below) el.scrollTop = chosen.offsetTop - el.clientHeight / 3;
  };
  // Rows, caption and selection change together: once is enough.
  let waiting = false;
  const soon = () => {
    if (waiting) return;
    waiting = true;
    queueMicrotask(() => {
      waiting = false;
      show();
    });
  };

  show();
  const names = ["change:rows", "change:selected", "change:caption", "change:columns"];
  names.forEach((name) => model.on(name, soon));
  return () => names.forEach((name) => model.off(name, soon));
}

export default { render };
