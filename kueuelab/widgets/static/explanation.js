// An explanation in sections; from a sentence a button leads to the step that it comes from.

function made(tag, text, className) {
  const element = document.createElement(tag);
  element.textContent = text;
  if (className) element.className = className;
  return element;
}

function render({ model, el }) {
  const say = speaker(model.get("sentences"));
  el.classList.add("kl-explanation");

  const show = () => {
    el.replaceChildren();
    el.append(made("p", model.get("title"), "kl-kind"));
    for (const { title, lines } of model.get("sections")) {
      el.append(made("h4", title));
      const list = document.createElement("ul");
      for (const { text, step, here } of lines) {
        const item = made("li", text);
        if (here) item.className = "kl-here";
        if (step !== null) {
          const button = made("button", say("widgets.explanation.step", { step: step + 1 }), "kl-link");
          button.type = "button";
          button.title = say("widgets.explanation.go");
          button.addEventListener("click", () => model.send({ type: "go", step }));
          item.append(" ", button);
        }
        list.append(item);
      }
      el.append(list);
    }
  };
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
  model.on("change:title", soon);
  model.on("change:sections", soon);
  return () => {
    model.off("change:title", soon);
    model.off("change:sections", soon);
  };
}

export default { render };
