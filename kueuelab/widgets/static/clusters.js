// Lanes of clusters with their queues and copies, the jobs with their rounds, races, hazards.
// Everything is put in as text: what a file says is never markup.

function made(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function render({ model, el }) {
  const say = speaker(model.get("sentences"));
  el.classList.add("kl-clusters");

  const button = (className, text, label, id, message) => {
    const node = made("button", className, text);
    node.type = "button";
    node.title = label;
    node.setAttribute("aria-label", label);
    node.dataset.id = id;
    node.addEventListener("click", () => model.send(message));
    return node;
  };

  const chip = (each, cluster) => {
    const node = button(
      `kl-chip kl-chip-${each.kind}`,
      each.text,
      say("widgets.clusters.select-chip", { label: each.label, name: each.name }),
      `chip ${cluster} ${each.workload}`,
      { type: "select", workload: each.workload, cluster: each.cluster },
    );
    node.setAttribute("aria-pressed", String(each.chosen));
    if (each.chosen) node.classList.add("kl-picked");
    return node;
  };

  const queue = (each) => {
    const node = made("div", "kl-queue");
    const frame = made("div", each.over ? "kl-bar kl-over" : "kl-bar");
    frame.setAttribute("aria-hidden", "true");
    const fill = made("div");
    fill.style.width = `${each.share}%`;
    frame.append(fill);
    node.append(made("div", each.stopped ? "kl-bad" : "", each.text), frame);
    return node;
  };

  const lane = (each) => {
    const node = made("section", `kl-lane kl-${each.kind}`);
    node.setAttribute("aria-label", `cluster ${each.name}`);
    const head = made("div", "kl-lane-head");
    const title = made("div", "kl-lane-title");
    title.append(made("strong", "", each.name), made("span", "kl-soft", each.role));
    head.append(title);
    const wrong = each.statuses.filter((status) => !status.ok);
    each.statuses
      .filter((status) => status.ok)
      .forEach((status) => head.append(made("div", "kl-status", status.text)));
    const buttons = made("div", "kl-lane-buttons");
    each.buttons.forEach((fault) => {
      buttons.append(
        button("kl-fault", fault.text, fault.label, `fault ${each.name} ${fault.text}`, {
          type: "inject",
          id: fault.id,
          cluster: each.name,
        }),
      );
    });
    head.append(buttons);
    const queues = made("div", "kl-lane-queues");
    queues.append(...each.queues.map(queue));
    const chips = made("div", "kl-lane-chips");
    chips.append(...each.chips.map((found) => chip(found, each.name)));
    if (each.more) chips.append(made("span", "kl-soft", each.more));
    node.append(head, queues, chips);
    wrong.forEach((status) => node.append(made("div", "kl-status kl-bad", status.text)));
    return node;
  };

  const clock = (share, text) => {
    const node = made("div", "kl-clock");
    if (share !== null) {
      const bar = made("div", "kl-bar");
      bar.setAttribute("aria-hidden", "true");
      const fill = made("div");
      fill.style.width = `${Math.round(100 * share)}%`;
      bar.append(fill);
      node.append(bar);
    }
    node.append(made("span", "", text));
    return node;
  };

  const jobs = (found) => {
    const table = made("table", "kl-jobs");
    table.append(made("caption", "", found.caption));
    const head = table.createTHead().insertRow();
    found.columns.forEach((name) => {
      const title = made("th", "", name);
      title.scope = "col";
      head.append(title);
    });
    const body = table.createTBody();
    found.rows.forEach((row) => {
      const line = body.insertRow();
      if (row.chosen) {
        line.classList.add("kl-selected");
        line.setAttribute("aria-selected", "true");
      }
      line.insertCell().append(
        button("kl-link", row.name, say("widgets.clusters.select", { name: row.name }), `row ${row.workload}`, {
          type: "select",
          workload: row.workload,
          cluster: row.cluster,
        }),
      );
      row.cells.forEach((text, column) => {
        const cell = line.insertCell();
        cell.textContent = text;
        if (column === row.clock_at) cell.append(clock(row.clock_share, row.clock));
      });
    });
    const scroller = made("div", "kl-scroller");
    scroller.append(table);
    return scroller;
  };

  const list = (className, label, lines) => {
    const node = made("ul", className);
    node.setAttribute("aria-label", label);
    lines.forEach(([kind, text]) => node.append(made("li", `kl-note-${kind}`, text)));
    return node;
  };

  const why = (found) => {
    const node = made("section", "kl-clusters-why");
    node.setAttribute("aria-label", found.title);
    node.append(made("div", "kl-caption", found.title));
    const terms = made("dl");
    found.lines.forEach(([cluster, sentence]) => {
      const pair = made("div");
      pair.append(made("dt", "", cluster), made("dd", "", sentence));
      terms.append(pair);
    });
    node.append(terms);
    return node;
  };

  const show = () => {
    const picture = model.get("picture");
    if (!picture.lanes) return;
    const had = el.contains(document.activeElement) ? document.activeElement.dataset.id : undefined;
    const lanes = made("div", "kl-lanes");
    lanes.append(...picture.lanes.map(lane));
    const parts = [];
    if (picture.clock) parts.push(made("p", "kl-now", picture.clock));
    parts.push(lanes, made("p", "kl-legend", picture.legend));
    if (picture.notes.length) parts.push(list("kl-notes", say("widgets.clusters.notes"), picture.notes));
    if (picture.why) parts.push(why(picture.why));
    if (picture.jobs.rows.length) parts.push(jobs(picture.jobs));
    el.replaceChildren(...parts);
    if (had) {
      const again = [...el.querySelectorAll("button")].find((node) => node.dataset.id === had);
      if (again) again.focus({ preventScroll: true });
      else el.closest(".kl-view")?.focus({ preventScroll: true });
    }
  };

  show();
  model.on("change:picture", show);
  return () => model.off("change:picture", show);
}

export default { render };
