// The run step by step: the lab view of the drawing modules, inside the shell.

import { el, h, useEffect, useRef, useState } from "./lib.js";
import { Skeleton, Trouble } from "./parts.js";
import { address, go, route } from "./route.js";
import { branch, engine, failureOf } from "./store.js";
import { say } from "./words.js";

/** @type {Promise<any> | null} */
let loading = null;

/** The drawing modules and their styles are only fetched when a run is shown. */
function drawing() {
  loading ??= (async () => {
    const styles = ["theme", "frame", "picture", "panels", "over_time", "domains", "clusters"];
    await Promise.all(styles.map((name) => new Promise((resolve) => {
      const link = document.createElement("link");
      Object.assign(link, { rel: "stylesheet", href: new URL(`../styles/${name}.css`, import.meta.url).href, onload: resolve, onerror: resolve });
      document.head.append(link);
    })));
    return import(new URL("../modules/comparison.js", import.meta.url).href);
  })();
  return loading;
}

export function Steps() {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const [state, setState] = useState({ ready: false, failure: /** @type {import("./protocol.js").Failure | null} */ (null) });
  const view = useRef(/** @type {any} */ (null));
  const name = branch.value?.name ?? "";
  const steps = branch.value?.steps ?? 0;
  const wanted = Number(route.value.query.step ?? 0);
  useEffect(() => {
    let gone = false;
    setState({ ready: false, failure: null });
    const step = wanted >= 1 ? wanted - 1 : null;
    const show = async () => {
      const [{ shown }, { data }] = await Promise.all([drawing(), engine.ask("frames", { branch: name, step })]);
      if (gone || !place.current) return;
      const ask = async (/** @type {Record<string, any>} */ question) => (await engine.ask("frames", { branch: name, question })).data;
      view.current = shown(place.current, data, { ask, step: data.start, selected: null });
      let timer = 0;
      view.current.stepping.onStep(() => {
        clearTimeout(timer);
        timer = window.setTimeout(() => { if (!gone) go(address("steps", { step: view.current.stepping.step + 1 }), true); }, 150);
      });
      await view.current.start();
      setState({ ready: true, failure: null });
    };
    show().catch((error) => { if (!gone) setState({ ready: false, failure: failureOf(error) }); });
    return () => {
      gone = true;
      view.current?.end();
      view.current = null;
    };
  }, [name, steps]);
  useEffect(() => {
    // An address that names another step, by the browser's back button for example.
    const { stepping } = view.current ?? {};
    if (stepping && wanted >= 1 && stepping.step !== wanted - 1) void stepping.go(wanted - 1);
  }, [wanted]);
  return el("div.page.steps", null,
    el("div.title", null, el("h1", null, say("app.page.steps")), el("p", null, branch.value?.title ?? "")),
    state.failure ? h(Trouble, { failure: state.failure }) : state.ready ? null : h(Skeleton, { lines: 8 }),
    el("div.lab", { ref: place }));
}
