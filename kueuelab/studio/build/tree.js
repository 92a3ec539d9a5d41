// The tree of a draft: rows that are chosen, renamed, moved and deleted, by keyboard or mouse.

function render({ model, el }) {
  const tree = document.createElement("ul");
  tree.className = "kl-tree";
  tree.setAttribute("role", "tree");
  const hint = document.createElement("p");
  hint.className = "kl-tree-hint";
  el.append(tree, hint);
  // Keys pressed here are no commands of the notebook.
  el.setAttribute("data-lm-suppress-shortcuts", "true");
  const collapsed = new Set();
  let current = "";
  let cut = "";
  let editing = false;

  const tell = (action) => model.send(action);
  const hasChildren = (rows, index) => index + 1 < rows.length && rows[index + 1].level > rows[index].level;

  const visible = () => {
    const rows = model.get("rows");
    const found = [];
    let below = Infinity;
    rows.forEach((row, index) => {
      if (row.level > below) return;
      below = collapsed.has(row.id) ? row.level : Infinity;
      found.push({ ...row, open: !collapsed.has(row.id), parent: hasChildren(rows, index) });
    });
    return found;
  };

  const draw = () => {
    const hadFocus = tree.contains(document.activeElement) && !editing;
    const rows = visible();
    const chosen = model.get("selected");
    if (!rows.some((row) => row.id === current)) current = chosen;
    if (!rows.some((row) => row.id === current)) current = rows.length ? rows[0].id : "";
    tree.setAttribute("aria-label", model.get("label"));
    hint.textContent = model.get("hint");
    tree.replaceChildren(
      ...rows.map((row) => {
        const item = document.createElement("li");
        item.setAttribute("role", "treeitem");
        item.setAttribute("aria-level", row.level);
        item.setAttribute("aria-selected", row.id === chosen);
        if (row.parent) item.setAttribute("aria-expanded", row.open);
        item.tabIndex = row.id === current ? 0 : -1;
        item.dataset.id = row.id;
        item.style.paddingLeft = `${row.level * 14 - 6}px`;
        item.draggable = true;
        item.classList.toggle("kl-cut", row.id === cut);
        const mark = document.createElement("span");
        mark.className = "kl-tree-mark";
        mark.setAttribute("aria-hidden", "true");
        mark.textContent = row.parent ? (row.open ? "▾" : "▸") : "";
        mark.addEventListener("click", (event) => {
          event.stopPropagation();
          fold(row, row.open);
        });
        const name = document.createElement("span");
        name.className = "kl-tree-name";
        name.textContent = row.name;
        const kind = document.createElement("span");
        kind.className = "kl-tree-kind";
        kind.textContent = row.kind;
        item.append(mark, name, kind);
        if (row.wrong) {
          const wrong = document.createElement("span");
          wrong.className = "kl-wrong";
          wrong.textContent = "✖";
          wrong.title = row.wrong;
          item.append(wrong);
        }
        return item;
      }),
    );
    if (hadFocus) focus(current);
  };

  const item = (id) => [...tree.children].find((each) => each.dataset.id === id);
  const focus = (id) => {
    current = id;
    [...tree.children].forEach((each) => {
      each.tabIndex = each.dataset.id === id ? 0 : -1;
    });
    const found = item(id);
    if (found) found.focus();
  };
  const choose = (id) => {
    current = id;
    model.set("selected", id);
    model.save_changes();
  };
  const fold = (row, close) => {
    if (close) collapsed.add(row.id);
    else collapsed.delete(row.id);
    draw();
  };
  const rename = (row) => {
    const place = item(row.id);
    const input = document.createElement("input");
    input.value = row.name;
    input.setAttribute("aria-label", `${row.kind} ${row.name}`);
    place.replaceChildren(input);
    editing = true;
    input.focus();
    input.select();
    const end = (kept) => {
      if (!editing) return;
      editing = false;
      const to = input.value.trim();
      draw();
      focus(row.id);
      if (kept && to && to !== row.name) tell({ do: "rename", id: row.id, to });
    };
    input.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter") end(true);
      else if (event.key === "Escape") end(false);
    });
    input.addEventListener("blur", () => end(true));
  };
  const move = (id, to) => {
    if (id && id !== to) tell({ do: "move", id, to });
  };

  tree.addEventListener("keydown", (event) => {
    const rows = visible();
    const index = rows.findIndex((row) => row.id === current);
    if (index < 0) return;
    const row = rows[index];
    const command = event.ctrlKey || event.metaKey;
    const keys = {
      ArrowDown: () => focus(rows[Math.min(index + 1, rows.length - 1)].id),
      ArrowUp: () => focus(rows[Math.max(index - 1, 0)].id),
      Home: () => focus(rows[0].id),
      End: () => focus(rows[rows.length - 1].id),
      ArrowRight: () => {
        if (row.parent && !row.open) fold(row, false);
        else if (row.parent) focus(rows[index + 1].id);
      },
      ArrowLeft: () => {
        if (row.parent && row.open) return fold(row, true);
        const above = rows.slice(0, index).reverse().find((each) => each.level < row.level);
        if (above) focus(above.id);
      },
      Enter: () => choose(row.id),
      " ": () => choose(row.id),
      F2: () => rename(row),
      Delete: () => tell({ do: "delete", id: row.id }),
    };
    const commands = {
      x: () => {
        cut = row.id;
        draw();
      },
      v: () => {
        move(cut, row.id);
        cut = "";
        draw();
      },
      z: () => tell({ do: event.shiftKey ? "redo" : "undo" }),
    };
    const action = command ? commands[event.key.toLowerCase()] : keys[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  });
  const at = (event) => event.target.closest?.("[role=treeitem]")?.dataset.id;
  tree.addEventListener("click", (event) => {
    const id = at(event);
    if (!id || editing) return;
    focus(id);
    choose(id);
  });
  tree.addEventListener("focusin", (event) => {
    if (!editing) current = at(event) || current;
  });
  tree.addEventListener("dblclick", (event) => {
    const row = visible().find((each) => each.id === at(event));
    if (row && !editing) rename(row);
  });
  tree.addEventListener("dragstart", (event) => {
    const id = at(event);
    if (id) event.dataTransfer.setData("text/plain", id);
  });
  tree.addEventListener("dragover", (event) => event.preventDefault());
  tree.addEventListener("drop", (event) => {
    event.preventDefault();
    move(event.dataTransfer.getData("text/plain"), at(event) || "");
  });

  draw();
  const events = ["change:rows", "change:selected", "change:label", "change:hint"];
  events.forEach((name) => model.on(name, draw));
  return () => events.forEach((name) => model.off(name, draw));
}

export default { render };
