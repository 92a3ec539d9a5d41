// Cards of JupyterLab's launcher, and how printed text is broken. A prebuilt extension is a container of webpack's module
// federation; this one is written by hand, so that nothing has to be built.
(() => {
  let scope;

  // Returns a module that JupyterLab shares with its extensions.
  async function shared(name) {
    const versions = Object.values(scope[name] ?? {});
    if (!versions.length) throw new Error(name);
    return (await versions[0].get())();
  }

  const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">
    <rect x="3" y="4" width="18" height="16" rx="2" fill="none" stroke="#1976d2" stroke-width="2"/>
    <rect x="6" y="8" width="5" height="8" fill="#1976d2"/>
    <rect x="13" y="8" width="5" height="3" fill="#e69f00"/>
    <rect x="13" y="13" width="5" height="3" fill="#009e73"/></svg>`;

  const option = name =>
    JSON.parse(document.getElementById('jupyter-config-data').textContent)[name];

  // Shows a page of the same server in the main area; its links to notebooks open here, too.
  function pane(app, { Widget }, card, base) {
    const widget = new Widget();
    widget.id = `kueuelab-${card.id}`;
    widget.title.label = card.label;
    widget.title.closable = true;
    const frame = document.createElement('iframe');
    frame.title = card.label;
    frame.style.cssText = 'border:0;width:100%;height:100%';
    frame.src = base + card.address;
    frame.addEventListener('load', () => {
      frame.contentDocument?.addEventListener('click', event => {
        const path = event.target.closest?.('a[href*="/lab/tree/"]')?.pathname;
        if (!path) return;
        event.preventDefault();
        const [, name] = path.split('/lab/tree/');
        void app.commands.execute('docmanager:open', { path: decodeURIComponent(name) });
      });
    });
    widget.node.append(frame);
    return widget;
  }

  // JupyterLab breaks lines of printed text inside of words ("priorit|y"). Here they are broken
  // between words, and inside of one only where it is longer than the line.
  function breakBetweenWords() {
    const style = document.createElement('style');
    style.textContent =
      '.jp-OutputArea .jp-OutputArea-output pre{word-break:normal;overflow-wrap:anywhere}';
    document.head.append(style);
  }

  async function extension() {
    // Notebook has no launcher.
    if (!scope['@jupyterlab/launcher']) return [];
    const [{ ILauncher }, { LabIcon }, widgets] = await Promise.all(
      ['@jupyterlab/launcher', '@jupyterlab/ui-components', '@lumino/widgets'].map(shared)
    );
    return {
      id: 'kueuelab:launcher',
      autoStart: true,
      optional: [ILauncher],
      async activate(app, launcher) {
        if (!launcher) return;
        const base = option('baseUrl');
        const answer = await fetch(`${base}kueuelab/cards`);
        // Without its extension of the server there is no studio to open.
        if (!answer.ok) return;
        const icon = new LabIcon({ name: 'kueuelab:studio', svgstr: ICON });
        for (const [rank, card] of (await answer.json()).cards.entries()) {
          const command = `kueuelab:${card.id}`;
          app.commands.addCommand(command, {
            label: card.label,
            caption: card.caption,
            icon,
            execute() {
              const id = `kueuelab-${card.id}`;
              const open = [...app.shell.widgets('main')].find(each => each.id === id);
              if (!open) app.shell.add(pane(app, widgets, card, base), 'main');
              app.shell.activateById(id);
            },
          });
          launcher.add({ command, category: 'kueuelab', rank });
        }
      },
    };
  }

  window._JUPYTERLAB ??= {};
  window._JUPYTERLAB.kueuelab = {
    init(shareScope) {
      scope = shareScope;
    },
    async get() {
      breakBetweenWords();
      const plugin = await extension();
      return () => ({ __esModule: true, default: plugin });
    },
  };
})();
