// Change an object of the branch by its manifest: a branch with the change is made, and compared.

import { el, h, useEffect, useState } from "./lib.js";
import { Empty, Skeleton, Trouble, useAnswer } from "./parts.js";
import { address, go, route } from "./route.js";
import { branch, edit, engine, failureOf } from "./store.js";
import { say } from "./words.js";
import { YamlEditor } from "./yaml_editor.js";

/** @typedef {import("./protocol.js").Failure} Failure */
/** @typedef {import("./protocol.js").ObjectText} ObjectText */

export function Change() {
  const name = branch.value?.name ?? "";
  const object = route.value.query.object ?? "";
  const { found, failure } = useAnswer(() => engine.ask("objects", { branch: name, object }), [name, object]);
  return el("div.page", null,
    el("div.title", null, el("h1", null, say("app.page.change")), el("p", null, say("app.change.about", { name }))),
    failure ? h(Trouble, { failure })
      : !found ? h(Skeleton, { lines: 8 })
      : found.object ? h(Form, { key: `${name} ${found.object}`, name, found })
      : h(Empty, { title: say("app.change.none") }));
}

/** @param {{name: string, found: ObjectText}} props */
function Form({ name, found }) {
  const [text, setText] = useState(found.text);
  const [failure, setFailure] = useState(/** @type {Failure | null} */ (null));
  useEffect(() => setText(found.text), [found.text]);
  const run = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setFailure(null);
    try {
      await edit(name, found.object, text);
    } catch (error) {
      setFailure(failureOf(error));
    }
  };
  return el("form", { onSubmit: run },
    el("div.pair.change", null,
      el("label", null, el("span", null, say("app.change.object")),
        el("select.in", { value: found.object, onChange: (/** @type {any} */ event) => go(address("change", { object: event.target.value })) },
          ...found.objects.map((each) => el("option", { key: each, value: each }, each)))),
      el("button.btn.primary", { type: "submit", disabled: text === found.text }, say("app.change.run")),
      el("button.btn", { type: "button", disabled: text === found.text, onClick: () => setText(found.text) }, say("app.change.reset"))),
    failure ? h(Trouble, { failure }) : null,
    el("div.manifest", null, h(YamlEditor, { text, label: say("app.change.manifest", { object: found.object }), onType: setText })));
}
