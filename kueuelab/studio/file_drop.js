// A place for files: chosen with a button, or dropped on it. Their content goes to the kernel.

function render({ model, el }) {
  el.classList.add("kl-drop");
  const label = document.createElement("label");
  const text = document.createElement("span");
  text.textContent = model.get("label");
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  input.accept = ".yaml,.yml,.json";
  label.append(text, input);
  el.append(label);

  const send = async files => {
    for (const file of files) {
      const content = await file.arrayBuffer();
      model.send({ name: file.name }, undefined, [content]);
    }
  };
  input.addEventListener("change", async () => {
    await send([...input.files]);
    // The same file can be chosen again when it was changed.
    input.value = "";
  });
  el.addEventListener("dragover", event => {
    event.preventDefault();
    el.classList.add("kl-over");
  });
  el.addEventListener("dragleave", () => el.classList.remove("kl-over"));
  el.addEventListener("drop", event => {
    event.preventDefault();
    el.classList.remove("kl-over");
    void send([...event.dataTransfer.files]);
  });
}

export default { render };
