"""The extension of the Jupyter server that serves the app and the cards of the launcher.

Jupyter checks each request. A page of the app may do no more than a notebook of the same server.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, Final
from warnings import filterwarnings

from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.base.websocket import WebSocketMixin
from jupyter_server.utils import url_path_join
from tornado.web import HTTPError, authenticated

from kueuelab.app.files import TYPES
from kueuelab.app.pages import index_page, page_files
from kueuelab.app.serving import POLICY, EngineSocket, Readers
from kueuelab.messages import Catalog, english

__all__: list[str] = []

#: Where the app is, below the address of the server.
_PATH: Final = "kueuelab/studio"
_ANY_HOST: Final = ".*$"
#: The page that each card of JupyterLab's launcher opens.
_CARDS: Final = {"studio": "home", "exercises": "exercises", "scenarios": "home"}


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": __name__}]


def _link_jupyter_server_extension(_: Any) -> None:
    # Some extensions switch on warnings about settings. This one is about how another package of
    # Jupyter reads the settings, and no learner can do anything about it.
    filterwarnings("ignore", "ServerApp.token config", DeprecationWarning)


def _load_jupyter_server_extension(server: Any) -> None:
    at = partial(url_path_join, server.web_app.settings["base_url"])
    readers = Readers(english(), Path(server.root_dir))
    handlers: list[Any] = [
        (at("kueuelab/cards"), _CardsHandler),
        (at(_PATH), _MovedHandler),
        (at(_PATH, "/"), _PageHandler),
        (at(_PATH, "engine"), _EngineHandler, {"readers": readers}),
        (at(_PATH, "(.+)"), _FileHandler),
    ]
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
            "label": words.text(f"app.card.{name}"),
            "caption": words.text(f"app.card.{name}.hover"),
            "address": f"{_PATH}/#/{page}",
        }
        for name, page in _CARDS.items()
    ]


class _MovedHandler(JupyterHandler):  # type: ignore[misc,unused-ignore]
    """Leads to the page, whose files are named from its folder."""

    def get(self) -> None:
        """Redirect."""
        self.redirect(url_path_join(self.base_url, _PATH, "/"))


class _Served(JupyterHandler):  # type: ignore[misc,unused-ignore]
    """What the page and its files have in common."""

    @property
    def content_security_policy(self) -> str:
        # JupyterLab shows it in a frame.
        return f"{POLICY}; frame-ancestors 'self'"

    def send(self, kind: str, content: bytes) -> None:
        self.set_header("Content-Type", kind)
        self.set_header("Cache-Control", "no-cache")
        self.finish(content)


class _PageHandler(_Served):
    """The page."""

    @authenticated
    def get(self) -> None:
        """Return the page of the engine behind a WebSocket."""
        self.send(TYPES[".html"], index_page("machine"))


class _FileHandler(_Served):
    """One of the files of the front end, and no other."""

    @authenticated
    def get(self, name: str) -> None:
        """Return a file."""
        content = page_files().get(name)
        if content is None:
            raise HTTPError(404)
        self.send(TYPES[PurePosixPath(name).suffix], content)


class _EngineHandler(WebSocketMixin, EngineSocket, JupyterHandler):  # type: ignore[misc,unused-ignore]
    """The connection of a page."""

    def initialize(self, readers: Readers) -> None:
        super().initialize()
        self.readers = readers

    def set_default_headers(self) -> None:
        """Set none: they are those of pages."""

    async def get(self, *args: Any, **more: Any) -> None:
        """Connect a user that Jupyter knows."""
        if self.current_user is None:
            raise HTTPError(403)
        await super().get(*args, **more)
