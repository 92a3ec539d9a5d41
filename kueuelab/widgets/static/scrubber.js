// A slider over the steps of a run: marks where cycles begin, plays, and listens to keys.

const KEYS = {
  ArrowRight: "forward",
  ArrowLeft: "back",
  Home: "first",
  End: "last",
  " ": "toggle",
};

let views = 0;

function takesKeys(target) {
  return (
    target.isContentEditable ||
    target.tagName === "TEXTAREA" ||
    target.tagName === "SELECT" ||
    target.tagName === "INPUT"
  );
}

function render({ model, el }) {
  const say = speaker(model.get("sentences"));
  el.classList.add("kl-scrubber");
  const slider = document.createElement("input");
  slider.type = "range";
  slider.min = "0";
  slider.step = "1";
  slider.setAttribute("aria-label", say("widgets.scrubber.label"));
  slider.title = say("widgets.scrubber.hover");
  const marks = document.createElement("datalist");
  marks.id = `kl-marks-${(views += 1)}-${Math.floor(performance.now())}`;
  slider.setAttribute("list", marks.id);
  el.append(slider, marks);

  const showValue = () => {
    slider.value = String(model.get("value"));
    slider.setAttribute("aria-valuetext", model.get("text"));
  };
  const showMarks = () => {
    slider.max = String(model.get("maximum"));
    marks.replaceChildren(
      ...model.get("marks").map(([index, label]) => {
        const option = document.createElement("option");
        option.value = String(index);
        option.label = label;
        return option;
      }),
    );
    showValue();
  };
  slider.addEventListener("input", () => {
    model.set("value", Number(slider.value));
    model.save_changes();
  });

  let timer = 0;
  let waiting = 0;
  const play = () => {
    clearInterval(timer);
    timer = 0;
    if (!model.get("playing")) return;
    timer = setInterval(() => {
      // The next step is asked for when the last one is shown, or nobody answers any more.
      if (waiting > 0 && waiting < 20) {
        waiting += 1;
        return;
      }
      waiting = 1;
      model.send({ type: "tick" });
    }, model.get("interval"));
  };
  const answered = () => {
    waiting = 0;
    showValue();
  };
  // A button that has the focus and is disabled, at either end, would swallow all keys.
  let inside = false;
  const disabling = new MutationObserver(() => {
    const active = document.activeElement;
    const lost = !active || active === document.body || active.disabled;
    if (inside && lost) root.focus({ preventScroll: true });
  });
  const cameIn = () => {
    inside = true;
  };
  const wentOut = (event) => {
    if (event.relatedTarget && !root.contains(event.relatedTarget)) inside = false;
  };

  const onKey = (event) => {
    const action = KEYS[event.key];
    if (!action || event.defaultPrevented) return;
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const own = event.target === slider;
    if (takesKeys(event.target) && !(own && event.key === " ")) return;
    if (event.target.tagName === "BUTTON" && event.key === " ") return;
    event.preventDefault();
    event.stopPropagation();
    model.send({ type: action });
  };
  // Figures fit themselves to their place only when the window changes.
  let fitting = 0;
  const sizes = new ResizeObserver(() => {
    cancelAnimationFrame(fitting);
    fitting = requestAnimationFrame(() => {
      window.dispatchEvent(new Event("resize"));
    });
  });
  let root = null;
  const attach = () => {
    root = el.closest(".kl-view");
    if (!root) {
      if (el.isConnected) return;
      requestAnimationFrame(attach);
      return;
    }
    root.tabIndex = 0;
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", model.get("name"));
    root.setAttribute("data-lm-suppress-shortcuts", "true");
    root.addEventListener("keydown", onKey);
    root.addEventListener("focusin", cameIn);
    root.addEventListener("focusout", wentOut);
    disabling.observe(root, { attributeFilter: ["disabled"], subtree: true });
    sizes.observe(root);
    root.querySelectorAll(".kl-figure").forEach((figure) => sizes.observe(figure.parentElement));
  };
  requestAnimationFrame(attach);

  showMarks();
  play();
  model.on("change:value", answered);
  model.on("change:text", showValue);
  model.on("change:marks", showMarks);
  model.on("change:maximum", showMarks);
  model.on("change:playing", play);
  model.on("change:interval", play);

  return () => {
    clearInterval(timer);
    sizes.disconnect();
    disabling.disconnect();
    if (root) {
      root.removeEventListener("keydown", onKey);
      root.removeEventListener("focusin", cameIn);
      root.removeEventListener("focusout", wentOut);
    }
    model.off("change:value", answered);
    model.off("change:text", showValue);
    model.off("change:marks", showMarks);
    model.off("change:maximum", showMarks);
    model.off("change:playing", play);
    model.off("change:interval", play);
  };
}

export default { render };
