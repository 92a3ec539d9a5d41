// Jobs on an axis of time: a bar begins where a job arrives and is as long as it runs.

const SVG = "http://www.w3.org/2000/svg";
const ROW = 22;
const NAMES = 150;
const WIDTH = 860;

function make(name, attributes, ...children) {
  const found = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => found.setAttribute(key, value));
  found.append(...children);
  return found;
}

function steps(end) {
  const wanted = end / 8;
  const sizes = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 86400];
  return sizes.find((size) => size >= wanted) || Math.ceil(wanted / 86400) * 86400;
}

function clock(seconds) {
  const parts = [
    [3600, "h"],
    [60, "m"],
    [1, "s"],
  ];
  let rest = Math.round(seconds);
  const text = parts
    .map(([size, unit]) => {
      const count = Math.floor(rest / size);
      rest -= count * size;
      return count ? `${count}${unit}` : "";
    })
    .join("");
  return text || "0s";
}

function render({ model, el }) {
  el.classList.add("kl-time-axis");
  el.setAttribute("data-lm-suppress-shortcuts", "true");
  let scale = 1;
  let step = 1;
  let dragged = null;

  const draw = () => {
    const jobs = model.get("jobs");
    const chosen = model.get("selected");
    const focused = el.contains(document.activeElement) ? document.activeElement.dataset.job : null;
    const last = Math.max(10, ...jobs.map((job) => job.at + (job.runs || 0)));
    step = steps(last);
    const end = Math.ceil(last / step + 0.2) * step;
    scale = (WIDTH - NAMES - 20) / end;
    const height = jobs.length * ROW + 30;
    const svg = make("svg", {
      viewBox: `0 0 ${WIDTH} ${height}`,
      role: "group",
      "aria-label": model.get("label"),
    });
    for (let at = 0; at <= end; at += step) {
      const x = NAMES + at * scale;
      svg.append(
        make("line", { x1: x, x2: x, y1: 18, y2: height, class: "kl-axis-line" }),
        make("text", { x, y: 12, class: "kl-axis-text", "text-anchor": "middle" }, clock(at)),
      );
    }
    jobs.forEach((job, index) => {
      const y = 22 + index * ROW;
      const x = NAMES + job.at * scale;
      const open = job.runs === null;
      const width = Math.max(6, open ? WIDTH - 10 - x : job.runs * scale);
      const bar = make("g", {
        tabindex: 0,
        role: "button",
        class: `kl-axis-job${job.id === chosen ? " kl-chosen" : ""}${open ? " kl-open-end" : ""}`,
        "aria-label": job.text,
        "aria-pressed": job.id === chosen,
        "data-job": job.id,
      });
      bar.append(
        make("title", {}, job.text),
        make("text", { x: NAMES - 6, y: y + 13, "text-anchor": "end" }, job.name.slice(0, 22)),
        make("rect", { x, y, width, height: ROW - 5, rx: 3 }),
      );
      svg.append(bar);
    });
    el.replaceChildren(svg);
    if (focused) [...svg.children].find((each) => each.dataset.job === focused)?.focus();
  };

  const jobAt = (event) => {
    const id = event.target.closest?.("[data-job]")?.dataset.job;
    return model.get("jobs").find((job) => job.id === id);
  };
  const choose = (job) => {
    model.set("selected", job.id);
    model.save_changes();
  };
  const seconds = (event) => {
    const svg = el.querySelector("svg");
    const box = svg.getBoundingClientRect();
    return ((event.clientX - box.left) * (WIDTH / box.width) - NAMES) / scale;
  };
  el.addEventListener("pointerdown", (event) => {
    const job = jobAt(event);
    if (job) dragged = { job, from: seconds(event) };
  });
  el.addEventListener("pointerup", (event) => {
    if (!dragged) return;
    const { job, from } = dragged;
    dragged = null;
    const moved = Math.round(seconds(event) - from);
    if (moved) model.send({ do: "arrive", id: job.id, at: Math.max(0, Math.round(job.at + moved)) });
    else choose(job);
  });
  el.addEventListener("dblclick", (event) => {
    if (!jobAt(event)) model.send({ do: "add", at: Math.max(0, Math.round(seconds(event))) });
  });
  el.addEventListener("keydown", (event) => {
    const job = jobAt(event);
    if (!job) return;
    const by = event.shiftKey ? 10 : 1;
    const keys = {
      ArrowLeft: () => model.send({ do: "arrive", id: job.id, at: Math.max(0, job.at - by) }),
      ArrowRight: () => model.send({ do: "arrive", id: job.id, at: job.at + by }),
      Enter: () => choose(job),
      " ": () => choose(job),
      Delete: () => model.send({ do: "delete", id: job.id }),
    };
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  });

  draw();
  const events = ["change:jobs", "change:selected", "change:label"];
  events.forEach((name) => model.on(name, draw));
  return () => events.forEach((name) => model.off(name, draw));
}

export default { render };
