"""A JupyterLab of its own for the tests that drive a browser."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import URLError

import pytest
from static_site import NODE, PYODIDE, obstacle, serving

from kueuelab import scenarios
from kueuelab.app.site import write_site
from kueuelab.cli import lab as lab_command
from kueuelab.messages import english

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

# Lets the tests here import what lies next to them, and the pretended API server.
sys.path[:0] = [
    str(Path(__file__).parent),
    str(Path(__file__).parents[1] / "unit" / "live"),
]

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "multikueue_board.py"
#: Pictures that a run leaves for the reader.
PICTURES = Path(os.environ.get("KUEUELAB_PICTURES", Path(__file__).parents[2] / "test-results"))

#: All cells are in the page at once, and nobody asks about news.
SETTINGS: Mapping[str, Mapping[str, object]] = {
    "notebook-extension/tracker": {"windowingMode": "none"},
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab."""

    url: str
    progress: Path
    """Where learners' progress is kept."""
    kubeconfig: Path
    """Where contexts are looked for; there is no such file at first."""
    log: Path
    """What the server and its kernels write."""

    def open(self, page: Page, notebook: str, interface: str = "lab/tree") -> None:
        """Open a notebook and run all its cells."""
        page.goto(f"{self.url}/{interface}/{notebook}?reset")
        page.wait_for_selector(".jp-Notebook .jp-Cell")
        page.wait_for_function(
            """() => {
                const session = window.jupyterapp?.shell.currentWidget?.sessionContext;
                return session?.isReady && session.session?.kernel?.status === 'idle';
            }""",
        )
        self.command(page, "notebook:run-all-cells")
        # The last cell has run when it has a number, and nothing is running any more.
        page.wait_for_function(
            """() => {
                const prompts = [...document.querySelectorAll(
                    '.jp-Notebook .jp-CodeCell .jp-InputArea-prompt')];
                return prompts.length > 0
                    && prompts.every(each => /\\[\\d+\\]/.test(each.textContent));
            }""",
        )

    @staticmethod
    def command(page: Page, name: str, **arguments: str) -> None:
        """Start a command of JupyterLab; it isn't waited for."""
        page.evaluate(
            "([name, args]) => { window.jupyterapp.commands.execute(name, args); }",
            [name, arguments],
        )

    def trust(self, page: Page) -> None:
        """Trust the notebook that is open; one that is not yet read has nothing to trust."""
        page.wait_for_function(
            "() => window.jupyterapp?.shell.currentWidget?.context?.isReady",
        )
        self.command(page, "notebook:trust")
        page.get_by_role("dialog").get_by_role("button", name="Trust").click()

    def theme(self, page: Page, shade: str) -> None:
        """Choose JupyterLab's theme, ``Light`` or ``Dark``, and wait until the page is in it."""
        self.command(page, "apputils:change-theme", theme=f"JupyterLab {shade}")
        light = str(shade == "Light").lower()
        page.locator(f"body[data-jp-theme-light={light}]").wait_for(state="attached")
        # The splash lies over the page while the theme is loaded.
        page.locator("#jupyterlab-splash").wait_for(state="detached")

    def view(self, page: Page, index: int = 0) -> Locator:
        """Return one of the stepping views of the notebook, scrolled to."""
        # It is drawn when it comes into view.
        place = page.locator(".kl-embedded, .kl-awaited").nth(index)
        place.wait_for(state="attached")
        place.scroll_into_view_if_needed()
        view = place.locator(".kl-view[data-step]").first
        view.wait_for()
        return view


@pytest.fixture
def jupyterlab(jupyterlab_server: Lab) -> Lab:
    """JupyterLab without a learner's progress, and without kernels of earlier pages.

    What such a kernel still sends is discarded when the next page connects to it, and the server
    then loses answers for that page, too.
    """
    url = f"{jupyterlab_server.url}/api/sessions"
    with urllib.request.urlopen(url, timeout=300) as answer:
        sessions = json.load(answer)
    for session in sessions:
        ended = urllib.request.Request(f"{url}/{session['id']}", method="DELETE")
        urllib.request.urlopen(ended, timeout=300).close()
    for file in (jupyterlab_server.progress, jupyterlab_server.kubeconfig):
        file.unlink(missing_ok=True)
    return jupyterlab_server


@pytest.fixture(scope="session")
def jupyterlab_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """JupyterLab on this machine only, with a configuration and files of its own."""
    pytest.importorskip("jupyterlab", reason="JupyterLab is not installed: pip install '.[lab]'")
    home = tmp_path_factory.mktemp("jupyterlab")
    shutil.copytree(NOTEBOOKS, home / "notebooks")
    _write(home / "notebooks" / "views.ipynb", VIEWS)
    _write(home / "notebooks" / "boards.ipynb", *BOARDS)
    _write(home / "notebooks" / "magic.ipynb", *MAGIC)
    _write(home / "notebooks" / "app.ipynb", *APP)
    _write(home / "notebooks" / "home.ipynb", HOME)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = os.environ | {
        "HOME": str(home),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTER_PLATFORM_DIRS": "1",
        "KUEUELAB_PROGRESS": str(home / "progress.json"),
        "KUBECONFIG": str(home / "kubeconfig"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
    }
    for name, settings in SETTINGS.items():
        file = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(settings), "utf-8")
    command = [
        *(sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root"),
        *("--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}", "--ServerApp.port_retries=0"),
        # Nobody else can reach this server, and it lives for one test run.
        *("--IdentityProvider.token=", "--ServerApp.password=", "--expose-app-in-browser"),
        "--ServerApp.disable_check_xsrf=True",
        "--JupyterNotebookApp.expose_app_in_browser=True",
        *(f"--ServerApp.root_dir={home / 'notebooks'}", "--LabApp.news_url="),
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        f"--ServerApp.jpserver_extensions={lab_command.EXTENSION}=True",
        f"--LabApp.extra_labextensions_path={lab_command.CARDS}",
    ]
    with (home / "log").open("wb") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        _wait(f"http://127.0.0.1:{port}/api", server, home / "log")
        yield Lab(
            f"http://127.0.0.1:{port}",
            home / "progress.json",
            home / "kubeconfig",
            home / "log",
        )
    finally:
        server.terminate()
        server.wait()


#: All views of one run.
VIEWS = """\
import kueuelab as kl
from kueuelab import scenarios
run = scenarios.load('reclaim-1-take-back').run()
lab = kl.widgets.lab(run)
lab
"""
#: The app with a run, the app with a dump, and a word in red that no style of the app changes.
APP = (
    """\
import kueuelab as kl
from kueuelab import scenarios
kl.studio(scenarios.load('reclaim-1-take-back').run())
""",
    "second = kl.studio('two-teams')\nsecond",
    "%%html\n<h1 class='top' style='color: rgb(255, 0, 0)'>outside</h1>",
    "second.session.names",
)
#: The app alone, with nothing open.
HOME = """\
import kueuelab as kl
app = kl.studio()
app
"""
#: A scenario in a cell, and what its run is called in the next one.
MAGIC = (
    "%load_ext kueuelab",
    f"%%kueue --name first\n{scenarios.text('reclaim-1-take-back')}",
    "print(first.why('default/job-1').as_text())",
)
#: MultiKueue boards: one that is waited for, one that a worker is lost on, a large one.
BOARDS = (
    """\
import kueuelab as kl
import kueuelab.multikueue as mk
kl.widgets.multikueue_board(mk.load('rounds-step-by-step').run())
""",
    """\
board = kl.widgets.multikueue_board(mk.load('lost-worker').run())
board
""",
    f"""\
import runpy
benchmark = runpy.run_path({str(BENCHMARK)!r})
large = kl.widgets.multikueue_board(benchmark['fleet'](8, 40).run())
large.at(30)
large
""",
)


def _write(path: Path, *cells: str) -> None:
    """Write a notebook."""
    import nbformat

    notebook = nbformat.v4.new_notebook()
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
    nbformat.write(notebook, path)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The app as a site that needs no server of kueuelab."""
    if reason := obstacle():
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("site")
    write_site(folder, PYODIDE, english(), NODE)
    return folder


@contextmanager
def _machine(folder: Path, port: int = 0) -> Iterator[str]:
    """Serve the app from a folder of its own; yields the address."""
    studio = [sys.executable, "-m", "kueuelab", "studio", "--no-browser", "--json"]
    command = [*studio, "--port", str(port)]
    environment = os.environ | {"KUEUELAB_PROGRESS": str(folder / "progress.json")}
    server = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        lines = [next(server.stdout) for _ in range(3)]
        yield json.loads("".join(lines))["url"]
    finally:
        server.terminate()
        server.wait()
        assert server.stdout is not None
        server.stdout.close()


@pytest.fixture(scope="session")
def machine() -> Callable[..., AbstractContextManager[str]]:
    """What serves the app from a folder, on a port, as long as a test wants it."""
    return _machine


@pytest.fixture(scope="module", params=["machine", "page"])
def address(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The address of an app that runs for the tests of a module, with each engine."""
    if request.param == "machine":
        with _machine(tmp_path_factory.mktemp("served")) as found:
            yield found
    else:
        with serving(request.getfixturevalue("site")) as found:
            yield found


@pytest.fixture
def app(page: Page, address: str) -> Iterator[Page]:
    """The app in a new page; nothing goes wrong in it, and no other origin is asked."""
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda line: wrong.append(line.text) if line.type == "error" else None)
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    page.locator(".app").wait_for()
    yield page
    assert wrong == []
    origin = address.partition("?")[0]
    assert [url for url in asked if not url.startswith((origin, "data:"))] == []


@pytest.fixture(scope="session")
def pictures() -> Path:
    """Where screenshots go."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    return PICTURES


def _wait(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        if server.poll() is not None:
            break
        try:
            with urllib.request.urlopen(url, timeout=60):
                return
        except (URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text('utf-8')[-2000:]}")
