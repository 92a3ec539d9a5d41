// A text with numbered lines; those that were changed and those with mistakes are marked.

function render({ model, el }) {
  el.classList.add("kl-editor");
  // Each widget loads this module for itself: a counter would begin anew.
  const id = `kl-editor-${Math.random().toString(36).slice(2)}`;
  const label = document.createElement("label");
  label.htmlFor = id;
  const frame = document.createElement("div");
  frame.className = "kl-editor-frame";
  const gutter = document.createElement("div");
  gutter.className = "kl-gutter";
  gutter.setAttribute("aria-hidden", "true");
  const text = document.createElement("textarea");
  text.id = id;
  text.spellcheck = false;
  text.wrap = "off";
  text.setAttribute("autocapitalize", "off");
  text.setAttribute("autocomplete", "off");
  const verdict = document.createElement("ul");
  verdict.id = `${id}-verdict`;
  verdict.setAttribute("role", "status");
  text.setAttribute("aria-describedby", verdict.id);
  frame.append(gutter, text);
  el.append(label, frame, verdict);

  const showLines = () => {
    const wrong = new Set(model.get("problems").map(([line]) => line));
    const changed = new Set(model.get("changed"));
    const count = text.value.split("\n").length;
    gutter.replaceChildren(
      ...Array.from({ length: count }, (_, index) => {
        const line = document.createElement("div");
        const number = index + 1;
        const mark = wrong.has(number) ? "✖" : changed.has(number) ? "●" : "";
        line.textContent = `${mark} ${number}`;
        if (wrong.has(number)) line.className = "kl-wrong";
        else if (changed.has(number)) line.className = "kl-changed";
        return line;
      }),
    );
    gutter.scrollTop = text.scrollTop;
  };
  const showVerdict = () => {
    const problems = model.get("problems");
    text.setAttribute("aria-invalid", String(problems.length > 0));
    verdict.classList.toggle("kl-wrong", problems.length > 0);
    const lines = problems.length ? problems.map(([, said]) => `✖ ${said}`) : [model.get("said")];
    verdict.replaceChildren(
      ...lines.map((said) => {
        const line = document.createElement("li");
        line.textContent = said;
        return line;
      }),
    );
    showLines();
  };
  const showValue = () => {
    // What is being typed just now is newer than what comes back.
    if (text.value !== model.get("value") && !typing) text.value = model.get("value");
    showLines();
  };
  const showLabel = () => {
    label.textContent = model.get("label");
    text.title = model.get("hint");
  };

  let typing = 0;
  const send = () => {
    clearTimeout(typing);
    typing = 0;
    model.set("value", text.value);
    model.save_changes();
  };
  const typed = () => {
    showLines();
    clearTimeout(typing);
    typing = setTimeout(send, 150);
  };
  text.addEventListener("input", typed);
  // A button that is pressed next finds what was typed.
  text.addEventListener("change", send);
  text.addEventListener("scroll", () => {
    gutter.scrollTop = text.scrollTop;
  });
  // Keys typed here are no commands of the notebook.
  frame.setAttribute("data-lm-suppress-shortcuts", "true");

  showLabel();
  showValue();
  showVerdict();
  const events = [
    ["change:value", showValue],
    ["change:problems", showVerdict],
    ["change:said", showVerdict],
    ["change:changed", showLines],
    ["change:label", showLabel],
  ];
  events.forEach(([name, listener]) => model.on(name, listener));
  return () => {
    clearTimeout(typing);
    events.forEach(([name, listener]) => model.off(name, listener));
  };
}

export default { render };
