"""The app on this machine: its files, and the handler of the protocol behind a WebSocket.

Only this machine reaches it: it listens on 127.0.0.1. A page of another origin reaches nothing,
because the names of the host and the origin are checked, and a connection needs a cookie that only
the address with the token gives.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any, Final
from urllib.parse import quote

from tornado import httpserver, netutil, web

from kueuelab.app.access import Access, Checked, log_in
from kueuelab.app.files import TYPES
from kueuelab.app.pages import index_page, page_files
from kueuelab.app.serving import LARGEST_MESSAGE, POLICY, EngineSocket, Readers
from kueuelab.messages import Catalog

__all__ = ["DEFAULT_PORT", "Serving", "address_of", "application", "serve"]

#: Drafts in the browser belong to an origin, and the port is a part of it.
DEFAULT_PORT: Final = 8919


class Serving(Readers, Access):
    """What the handlers of requests share.

    Parameters
    ----------
    words
        The language.
    folder
        The folder below which files may be opened.
    named
        What may be opened wherever it is.
    port
        The port, which is a part of the names of the host.
    token
        What the address has; a random one if omitted.
    """

    def __init__(
        self,
        words: Catalog,
        folder: Path,
        named: tuple[str, ...],
        port: int,
        token: str = "",
    ) -> None:
        Readers.__init__(self, words, folder, named)
        Access.__init__(self, port, token)
        self.files = page_files()
        self.index = index_page("machine")


class _Served(Checked):
    """What serves a file."""

    policy = f"{POLICY}; frame-ancestors 'none'"

    def initialize(self, serving: Serving) -> None:
        self.access = self.serving = serving


class _Start(_Served):
    """The page. The address with the token gives the cookie, and leaves the history."""

    def get(self) -> None:
        if log_in(self):
            return
        self.set_header("Content-Type", TYPES[".html"])
        self.finish(self.serving.index)


class _File(_Served):
    """One of the files of the front end, and no other."""

    def get(self, name: str) -> None:
        content = self.serving.files.get(name)
        if content is None:
            raise web.HTTPError(404)
        self.set_header("Content-Type", TYPES[PurePosixPath(name).suffix])
        self.finish(content)


class _Engine(EngineSocket):
    """The connection of a page that has the cookie."""

    def initialize(self, serving: Serving) -> None:
        self.readers = self.serving = serving

    def prepare(self) -> None:
        request, serving = self.request, self.serving
        if not serving.allows_host(request.host) or not serving.is_own_origin(request):
            raise web.HTTPError(403)
        if not serving.knows(self.get_cookie(serving.cookie)):
            raise web.HTTPError(401)

    def check_origin(self, origin: str) -> bool:
        return origin == f"http://{self.request.host}"

    def write_error(self, status_code: int, **_more: Any) -> None:
        self.finish(str(status_code))


def application(serving: Serving) -> web.Application:
    """Return what answers requests."""
    shared = {"serving": serving}
    return web.Application(
        [
            ("/", _Start, shared),
            ("/engine", _Engine, shared),
            ("/(.+)", _File, shared),
        ],
        log_function=lambda _handler: None,  # the terminal stays quiet, and the token out of it
        websocket_ping_interval=30,
    )


def address_of(port: int, token: str, files: tuple[str, ...] = ()) -> str:
    """Return the address of the app, with what it opens.

    Examples
    --------
    >>> address_of(8919, "t", ("queues.yaml",))
    'http://127.0.0.1:8919/?token=t#/overview?open=queues.yaml'
    """
    page = f"#/overview?open={quote(files[0], safe='')}" if files else ""
    return f"http://127.0.0.1:{port}/?token={token}{page}"


async def serve(
    words: Catalog,
    folder: Path,
    named: tuple[str, ...],
    port: int,
    started: Callable[[str], None],
) -> None:
    """Serve the app until the task is cancelled.

    Parameters
    ----------
    words
        The language.
    folder
        The folder below which files may be opened.
    named
        What is opened first: files, or packaged names.
    port
        The port; another one if it is taken.
    started
        Called with the address as soon as it answers.
    """
    sockets = _bound(port)
    found = sockets[0].getsockname()[1]
    serving = Serving(words, folder, named, found)
    server = httpserver.HTTPServer(application(serving), max_buffer_size=LARGEST_MESSAGE)
    server.add_sockets(sockets)
    # The import begins now, and not when a page connects.
    serving.worker.submit(import_module, "kueuelab.session.handler")
    try:
        started(address_of(found, serving.token, named))
        await asyncio.Event().wait()
    finally:
        server.stop()
        serving.worker.shutdown(wait=False, cancel_futures=True)


def _bound(port: int) -> list[socket.socket]:
    try:
        return netutil.bind_sockets(port, "127.0.0.1")
    except OSError:
        return netutil.bind_sockets(0, "127.0.0.1")
