// The app in a cell of a notebook. It finds there what a page of its own has: a document, an address,
// keys. Nothing of it reaches the notebook around it, or another cell.

/** @typedef {import("./wire_kernel.js").Model} Model */

/**
 * What the modules of the app take for their page.
 * @typedef {object} Place
 * @property {Document} document
 * @property {{hash: string}} location
 * @property {{replaceState: (state: null, unused: string, to: string) => void}} history
 * @property {typeof HTMLElement.prototype.addEventListener} addEventListener
 * @property {typeof HTMLElement.prototype.removeEventListener} removeEventListener
 * @property {Model} model
 */

/**
 * Shows the app, and returns what ends it.
 * @param {{model: Model, el: HTMLElement}} cell
 * @param {(place: Place) => void} app
 * @param {string} style
 */
export function shownIn({ model, el }, app, style) {
  const outer = document.createElement("div");
  // JupyterLab finds no shortcuts of its own below it.
  outer.dataset.lmSuppressShortcuts = "true";
  const shadow = outer.attachShadow({ mode: "open" });
  const styled = document.createElement("style");
  styled.textContent = style;
  const root = document.createElement("div");
  root.className = "kueuelab-app";
  const place = document.createElement("div");
  place.id = "app";
  root.append(place);
  shadow.append(styled, root);
  el.append(outer);
  for (const kind of ["keydown", "keypress", "keyup", "paste"]) outer.addEventListener(kind, (event) => event.stopPropagation());
  root.addEventListener("click", follow);
  const ended = following(outer);
  const { location, history } = addressOf(model, root);

  /** @param {MouseEvent} event */
  function follow(event) {
    const link = event.composedPath().find((each) => each instanceof HTMLAnchorElement);
    const to = link?.getAttribute("href") ?? "";
    if (event.defaultPrevented || !to.startsWith("#")) return;
    event.preventDefault();
    location.hash = to;
  }

  app({
    document: documentOf(shadow, root),
    location,
    history,
    addEventListener: root.addEventListener.bind(root),
    removeEventListener: root.removeEventListener.bind(root),
    model,
  });
  return ended;
}

/**
 * Returns the document, but for what belongs to the cell.
 * @param {ShadowRoot} shadow
 * @param {HTMLElement} root
 * @returns {Document}
 */
function documentOf(shadow, root) {
  const own = /** @type {Record<string | symbol, any>} */ ({
    documentElement: root,
    body: root,
    // What a page links there is in the style of the cell.
    head: { append: (/** @type {HTMLLinkElement} */ link) => link.dispatchEvent(new Event("load")) },
    getElementById: shadow.getElementById.bind(shadow),
    querySelector: shadow.querySelector.bind(shadow),
    querySelectorAll: shadow.querySelectorAll.bind(shadow),
  });
  return new Proxy(document, {
    get(whole, name) {
      if (name === "activeElement") return shadow.activeElement;
      if (Object.hasOwn(own, name)) return own[name];
      const found = Reflect.get(whole, name);
      return typeof found === "function" ? found.bind(whole) : found;
    },
    // The title is that of the notebook.
    set: () => true,
  });
}

/**
 * Returns the address of a cell. The model keeps it: a page that is loaded again shows the same.
 * @param {Model} model
 * @param {HTMLElement} root
 */
function addressOf(model, root) {
  let hash = /** @type {string} */ (model.get("address"));
  const keep = (/** @type {string} */ to) => {
    hash = to;
    model.set("address", to);
    try {
      model.save_changes();
    } catch {
      // Without a kernel there is nothing to save to.
    }
  };
  const location = {
    get hash() {
      return hash;
    },
    set hash(to) {
      if (to === hash) return;
      keep(to);
      queueMicrotask(() => root.dispatchEvent(new Event("hashchange")));
    },
  };
  const replaceState = (/** @type {null} */ _state, /** @type {string} */ _unused, /** @type {string} */ to) => keep(to);
  return { location, history: { replaceState } };
}

/**
 * Has the cell follow the theme of the notebook, and returns what ends that.
 * @param {HTMLElement} outer
 */
function following(outer) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => {
    const light = document.body.dataset.jpThemeLight;
    outer.toggleAttribute("data-dark", light ? light === "false" : system.matches);
  };
  follow();
  const seen = new MutationObserver(follow);
  seen.observe(document.body, { attributeFilter: ["data-jp-theme-light"] });
  system.addEventListener("change", follow);
  return () => {
    seen.disconnect();
    system.removeEventListener("change", follow);
  };
}
