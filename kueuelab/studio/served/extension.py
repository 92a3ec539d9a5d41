"""The extension of the Jupyter server that serves the studio and the cards of the launcher."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final
from warnings import filterwarnings

from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.services.contents.largefilemanager import LargeFileManager
from jupyter_server.utils import url_path_join
from tornado.web import authenticated
from traitlets.config import Config

from kueuelab.messages import Catalog, english
from kueuelab.studio.served import PATH, address

__all__: list[str] = []

_HERE: Final = Path(__file__).parent
_NOTEBOOK: Final = "studio.ipynb"
_ANY_HOST: Final = ".*$"
#: What draws widgets; no other extension of JupyterLab is loaded into the page.
_EXTENSIONS: Final = [
    "@jupyter-widgets/jupyterlab-manager",
    "@voila-dashboards/widgets-manager8",
    "anywidget",
]
#: Seconds until what a cell shows is given up once it has run: on a busy machine it comes late,
#: and the page would stay empty.
_PATIENCE: Final = 300
#: The page that each card of JupyterLab's launcher opens.
_CARDS: Final = {
    "studio": "home",
    "tour": "tour",
    "exercises": "exercises",
    "scenarios": "scenarios",
}


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": __name__}]


def _link_jupyter_server_extension(_: Any) -> None:
    # Voila switches on warnings about settings. This one is about how another package of Jupyter
    # reads the settings, and no learner can do anything about it.
    filterwarnings("ignore", "ServerApp.token config", DeprecationWarning)


def _load_jupyter_server_extension(server: Any) -> None:
    base = server.web_app.settings["base_url"]
    handlers: list[Any] = [(url_path_join(base, "kueuelab/cards"), _CardsHandler)]
    studio = url_path_join(base, PATH)
    if find_spec("voila") is None:
        handlers.append((studio, _MissingHandler))
    else:
        handlers.append((studio, _studio_handler(), _studio_settings(server)))
    server.web_app.add_handlers(_ANY_HOST, handlers)


class _CardsHandler(JupyterHandler):  # type: ignore[misc,unused-ignore]
    """What the launcher shows: texts, and where each card leads."""

    @authenticated
    def get(self) -> None:
        """Return the cards, in their order."""
        self.finish({"cards": _cards(english())})


def _cards(words: Catalog) -> list[dict[str, str]]:
    return [
        {
            "id": name,
            "label": words.text(f"studio.card.{name}"),
            "caption": words.text(f"studio.card.{name}.hover"),
            "address": address([], page),
        }
        for name, page in _CARDS.items()
    ]


class _MissingHandler(JupyterHandler):  # type: ignore[misc,unused-ignore]
    """Says what to install."""

    @authenticated
    def get(self) -> None:
        """Say it as plain text."""
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        words = english()
        said = (words.text("studio.not-installed"), words.text("studio.not-installed.hint"))
        self.finish("\n".join(said))


def _studio_settings(server: Any) -> dict[str, Any]:
    from voila.configuration import VoilaConfiguration
    from voila.paths import collect_template_paths

    configuration = VoilaConfiguration(
        parent=server,
        theme="light",
        extension_allowlist=_EXTENSIONS,
        page_config_hook=_with_own_mathjax,
    )
    config = Config({"VoilaExecutor": {"iopub_timeout": _PATIENCE}})
    config.merge(server.config)
    return {
        "notebook_path": _NOTEBOOK,
        "config": config,
        "template_paths": [str(_HERE), *collect_template_paths(["voila", "nbconvert"], "lab")],
        "voila_configuration": configuration,
    }


def _with_own_mathjax(page: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Have formulas set by the MathJax that Voila brings, not by one from the internet."""
    return page | {"fullMathjaxUrl": "null", "mathjaxConfig": "null"}


def _studio_handler() -> Any:
    """Return Voila's handler, with a folder of its own to take the notebook from."""
    from voila.tornado.handler import TornadoVoilaHandler

    class StudioHandler(TornadoVoilaHandler):  # type: ignore[misc]
        """Serves the studio's notebook, wherever the server's own folder is."""

        contents_manager = LargeFileManager(root_dir=str(_HERE))

    return StudioHandler
