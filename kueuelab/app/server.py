"""The app on this machine: its files, and the handler of the protocol behind a WebSocket.

Only this machine reaches it: it listens on 127.0.0.1. A page of another origin reaches nothing,
because the names of the host and the origin are checked, and a connection needs a cookie that only
the address with the token gives.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from tornado import httpserver, netutil, web, websocket

from kueuelab.app.files import TYPES, front_files, index_page
from kueuelab.messages import Catalog

if TYPE_CHECKING:
    from kueuelab.session.handler import Handler

__all__ = ["DEFAULT_PORT", "Serving", "address_of", "application", "serve"]

#: Drafts in the browser belong to an origin, and the port is a part of it.
DEFAULT_PORT: Final = 8919
_LARGEST_MESSAGE: Final = 2**28
#: So many readers, each a tab of a browser, have their own session.
_MOST_READERS: Final = 16
_LONGEST_NAME: Final = 64
_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval';"
    " style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


class Serving:
    """What the handlers of requests share.

    Parameters
    ----------
    words
        The language.
    folder
        The folder below which files may be opened.
    named
        Files that may be opened wherever they are.
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
        self.words = words
        self.folder = folder
        self.named = named
        self.hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        self.cookie = f"kueuelab-{port}"
        self.token = token or secrets.token_urlsafe(24)
        self.files = front_files()
        self.index = index_page("machine")
        # One command after the other: the answers of a session have an order.
        self.worker = ThreadPoolExecutor(1)
        self._handlers: dict[str, Handler] = {}

    def handler_of(self, reader: str) -> Handler:
        """Return the handler of a reader: a page that was loaded again finds what was open."""
        # The address is ready before the scheduler is imported.
        from kueuelab.session.handler import Handler
        from kueuelab.session.opening import require_openable

        found = self._handlers.pop(reader, None) or Handler(
            self.words,
            lambda file: require_openable(file, self.folder, self.named),
            exercises=self.folder,
        )
        self._handlers[reader] = found
        while len(self._handlers) > _MOST_READERS:
            del self._handlers[next(iter(self._handlers))]
        return found

    def knows(self, given: str | None) -> bool:
        """Tell whether a token is the one of this server."""
        return hmac.compare_digest((given or "").encode(), self.token.encode())


class _Checked(web.RequestHandler):
    """What all answers have in common: headers, and the check of the host."""

    def initialize(self, serving: Serving) -> None:
        self.serving = serving

    def set_default_headers(self) -> None:
        for name, value in _HEADERS.items():
            self.set_header(name, value)
        self.clear_header("Server")

    def prepare(self) -> None:
        # A name of another host that leads here is how a page of a stranger would ask.
        if self.request.host not in self.serving.hosts:
            raise web.HTTPError(403)

    def write_error(self, status_code: int, **_more: Any) -> None:
        self.finish(str(status_code))


class _Start(_Checked):
    """The page. The address with the token gives the cookie, and leaves the history."""

    def get(self) -> None:
        given = self.get_query_argument("token", "")
        if given:
            if not self.serving.knows(given):
                raise web.HTTPError(403)
            self.set_cookie(self.serving.cookie, given, httponly=True, samesite="Strict")
            self.redirect("/")
            return
        self.set_header("Content-Type", TYPES[".html"])
        self.finish(self.serving.index)


class _File(_Checked):
    """One of the files of the front end, and no other."""

    def get(self, name: str) -> None:
        file = self.serving.files.get(name)
        if file is None:
            raise web.HTTPError(404)
        self.set_header("Content-Type", TYPES[file.suffix])
        self.finish(file.read_bytes())


class _Engine(websocket.WebSocketHandler):
    """The connection of a page: text of commands in, text of answers out."""

    def initialize(self, serving: Serving) -> None:
        self.serving = serving

    def prepare(self) -> None:
        request, serving = self.request, self.serving
        origin = request.headers.get("Origin", "")
        if request.host not in serving.hosts or origin != f"http://{request.host}":
            raise web.HTTPError(403)
        if not serving.knows(self.get_cookie(serving.cookie)):
            raise web.HTTPError(401)

    def check_origin(self, origin: str) -> bool:
        return origin == f"http://{self.request.host}"

    async def open(self, *_args: str, **_more: str) -> None:
        reader = self.get_query_argument("reader", "")[:_LONGEST_NAME]
        # Where the scheduler is imported; messages wait until this has returned.
        self._handler = await asyncio.get_running_loop().run_in_executor(
            self.serving.worker, self.serving.handler_of, reader or secrets.token_hex(8)
        )

    async def on_message(self, message: str | bytes) -> None:
        text = message if isinstance(message, str) else message.decode("utf-8", "replace")
        loop = asyncio.get_running_loop()
        answer = await loop.run_in_executor(self.serving.worker, self._handler.reply, text)
        with suppress(websocket.WebSocketClosedError):
            await self.write_message(answer)

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
        websocket_max_message_size=_LARGEST_MESSAGE,
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
    server = httpserver.HTTPServer(application(serving), max_buffer_size=_LARGEST_MESSAGE)
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
