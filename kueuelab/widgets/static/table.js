// A table whose rows can be chosen, by mouse and by keyboard.

function cell(tag, text, className) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

function render({ model, el }) {
  el.classList.add("kl-table");

  const line = (row) => {
    const made = document.createElement("tr");
    row.cells.forEach((text, column) => {
      const place = document.createElement("td");
      if (column === model.get("link") && row.key) {
        const button = cell("button", text, "kl-link");
        button.type = "button";
        button.title = `Select ${text}`;
        button.addEventListener("click", () => model.send({ type: "select", key: row.key }));
        place.append(button);
      } else {
        place.textContent = text;
      }
      made.append(place);
    });
    if (row.mark) made.classList.add(`kl-${row.mark}`);
    if (row.key && row.key === model.get("selected")) {
      made.classList.add("kl-selected");
      made.setAttribute("aria-selected", "true");
    }
    return made;
  };

  const show = () => {
    const rows = model.get("rows");
    el.replaceChildren();
    if (!rows.length) return;
    const table = document.createElement("table");
    table.append(cell("caption", model.get("caption")));
    const head = table.createTHead().insertRow();
    model.get("columns").forEach((name) => {
      const title = cell("th", name);
      title.scope = "col";
      head.append(title);
    });
    const body = table.createTBody();
    rows.forEach((row) => body.append(line(row)));
    el.append(table);
  };

  show();
  model.on("change:rows", show);
  model.on("change:selected", show);
  model.on("change:caption", show);
  return () => {
    model.off("change:rows", show);
    model.off("change:selected", show);
    model.off("change:caption", show);
  };
}

export default { render };
