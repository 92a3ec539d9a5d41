// A view of the drawing modules inside the shell: it follows the address, and the address follows it.

import { el, h, useEffect, useRef, useState } from "./lib.js";
import { Skeleton, Trouble } from "./parts.js";
import { address, go, route } from "./route.js";
import { engine, failureOf } from "./store.js";

/** @typedef {{kind: string, name: string, cluster?: string}} Chosen */
/** @typedef {{step: number, elapsed: number}} Moment */

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

/** @param {Chosen | null} chosen */
const keyOf = (chosen) => (chosen ? JSON.stringify([chosen.kind, chosen.name, chosen.cluster ?? ""]) : "");

/**
 * @param {object} props
 * @param {string} props.page whose address has the step
 * @param {string} props.name the branch, or what else has frames
 * @param {number} props.steps how many it has: another run of it is drawn anew
 * @param {string} [props.view]
 * @param {(fields: {question?: Record<string, any>, step?: number | null}) => Promise<{data: Record<string, any>}>} [props.frames] asks for frames that are no branch's
 * @param {Chosen | null} [props.chosen] what is selected, as the address has it
 * @param {(chosen: Chosen | null) => void} [props.onChoose]
 * @param {(moment: Moment) => void} [props.onMove]
 * @param {(stepping: any) => void} [props.onShow] gets what steps through the run once it is shown, and null when it is not
 * @param {(question: Record<string, any>) => Promise<any> | null} [props.answer] answers what is not asked about frames
 */
export function Lab({ page, name, steps, view = "lab", frames, chosen = null, onChoose, onMove, onShow, answer }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const [state, setState] = useState({ ready: false, failure: /** @type {import("./protocol.js").Failure | null} */ (null) });
  const shown = useRef(/** @type {any} */ (null));
  const latest = useRef({ onChoose, onMove, onShow, answer });
  latest.current = { onChoose, onMove, onShow, answer };
  const wanted = Number(route.value.query.step ?? 0);
  /** What stands in the address because it was shown. */
  const written = useRef(0);
  const key = keyOf(chosen);
  useEffect(() => {
    let gone = false;
    setState({ ready: false, failure: null });
    const step = wanted >= 1 ? wanted - 1 : null;
    const asked = frames ?? ((/** @type {{question?: Record<string, any>, step?: number | null}} */ fields) => engine.ask("frames", { branch: name, view, ...fields }));
    const show = async () => {
      const [modules, { data }] = await Promise.all([drawing(), asked({ step })]);
      if (gone || !place.current) return;
      const ask = async (/** @type {Record<string, any>} */ question) =>
        latest.current.answer?.(question) ?? (await asked({ question })).data;
      shown.current = modules.shown(place.current, data, { ask, step: data.start, selected: chosen, bare: true });
      const { stepping } = shown.current;
      let timer = 0;
      const moved = () => {
        clearTimeout(timer);
        timer = window.setTimeout(() => {
          if (gone) return;
          written.current = stepping.step + 1;
          go(address(page, { step: written.current }), true);
          latest.current.onMove?.({ step: stepping.step, elapsed: stepping.elapsed });
        }, 150);
      };
      stepping.onStep(moved);
      stepping.clocks.add(moved);
      stepping.onSelect((/** @type {Chosen | null} */ found) => { if (!gone) latest.current.onChoose?.(found); });
      await shown.current.start();
      if (gone) return;
      setState({ ready: true, failure: null });
      latest.current.onShow?.(stepping);
    };
    show().catch((error) => { if (!gone) setState({ ready: false, failure: failureOf(error) }); });
    return () => {
      gone = true;
      latest.current.onShow?.(null);
      shown.current?.end();
      shown.current = null;
    };
  }, [name, steps, view]);
  useEffect(() => {
    // An address that names another step, by the browser's back button for example. What was shown
    // a moment ago, when the reader has gone on already, is none.
    const { stepping } = shown.current ?? {};
    if (stepping && wanted >= 1 && wanted !== written.current && stepping.step !== wanted - 1) void stepping.go(wanted - 1);
  }, [wanted]);
  useEffect(() => {
    const { stepping } = shown.current ?? {};
    if (!stepping) return;
    if (keyOf(stepping.selection) !== key) stepping.select(chosen ?? stepping.selection);
  }, [key]);
  return [
    state.failure ? h(Trouble, { failure: state.failure }) : state.ready ? null : h(Skeleton, { lines: 8 }),
    el("div.lab", { ref: place }),
  ];
}
