"""The service over HTTP: requests are checked here, and answered by the engine.

A request needs the token, as a bearer token; a page that was opened with the address of the server
has it in a cookie. Nothing here reads a cluster or decides.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from typing import Any, Final

from tornado import httpserver, netutil, web

from kueuelab.app.access import Access, Checked, log_in
from kueuelab.errors import KueueLabError
from kueuelab.messages import Catalog, Message
from kueuelab.model import RELEASE
from kueuelab.service.engine import Engine, Outcome, Reply, Shape
from kueuelab.service.metrics import CONTENT_TYPE
from kueuelab.service.openapi import document
from kueuelab.service.operations import OPERATIONS
from kueuelab.service.page import STYLE, page
from kueuelab.session.answers import Failure
from kueuelab.session.wire import camel, encoded, hints_of, text_of

__all__ = ["DEFAULT_PORT", "Options", "Service", "application", "serve"]

DEFAULT_PORT: Final = 8920
#: A body may have so many bytes; of a larger one, up to so many are read to answer that it is.
_MOST_BYTES: Final = 8 * 2**20
_MOST_READ: Final = 64 * 2**20
#: So many requests wait for the one that is answered.
_MOST_WAITING: Final = 8
#: How long a client may take to send a request.
_PATIENCE: Final = 30.0
_BEARER: Final = "Bearer "
_JSON: Final = "application/json"
_CODES: Final = {
    Outcome.DONE: 200,
    Outcome.INVALID: 400,
    Outcome.UNKNOWN: 404,
    Outcome.REFUSED: 422,
    Outcome.TOO_LONG: 422,
    Outcome.UNREACHABLE: 503,
    Outcome.FAILED: 500,
}


@dataclass(frozen=True, slots=True)
class Options:
    """Where the service listens.

    Attributes
    ----------
    host, port
        The address; port 0 is any that is free.
    token
        What requests have to show; a random one if omitted.
    hostnames
        The names, with the port, that requests may call the host. By default those of this machine
        if it listens there; otherwise any, and the token alone is checked.
    """

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    token: str = ""
    hostnames: tuple[str, ...] = ()


class Service(Access):
    """What the handlers of requests share.

    Parameters
    ----------
    engine
        What answers.
    words
        The language.
    version
        The version of kueuelab.
    name
        What is served, as it is called on the page.
    port
        The port, which is a part of the names of the host.
    token
        What a request has to show.
    hosts
        The names of the host; see :class:`~kueuelab.app.access.Access`.
    """

    def __init__(
        self,
        engine: Engine,
        words: Catalog,
        version: str,
        name: str,
        port: int,
        token: str = "",
        hosts: Collection[str] | None = None,
    ) -> None:
        super().__init__(port, token, hosts)
        self.words = words
        found = document(version, words)
        self.document = json.dumps(found, ensure_ascii=False, indent=1)
        self.page = page(found, words, name=name, kueue_version=RELEASE.version)
        self._engine = engine
        # One request after the other: the state changes between them.
        self._worker = ThreadPoolExecutor(1)
        self._waiting = 0

    async def ask(self, name: str, data: str, shape: Shape = Shape.DATA) -> Reply | None:
        """Return the answer to a request; ``None`` if too many wait already."""
        if self._waiting > _MOST_WAITING:
            return None
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._worker, self._engine.ask, name, data, shape)
        finally:
            self._waiting -= 1

    def failure(self, code: int, **values: Any) -> str:
        """Return what is wrong with a request, as JSON."""
        message = self.words.text(f"service.http.{code}", **values)
        return text_of(encoded(Failure(message, (), 0)))

    def close(self) -> None:
        """Answer nothing more."""
        self._worker.shutdown(wait=False, cancel_futures=True)


class _Answered(Checked):
    """What has no script."""

    policy = (
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none';"
        " frame-ancestors 'none'"
    )


class _Guarded(_Answered):
    """What needs the token."""

    def initialize(self, service: Service, **_more: Any) -> None:
        self.access = self.service = service

    def prepare(self) -> None:
        super().prepare()
        if "Origin" in self.request.headers and not self.access.is_own_origin(self.request):
            raise web.HTTPError(403)
        if not self._has_token():
            raise web.HTTPError(401)

    def write_error(self, status_code: int, **_more: Any) -> None:
        if status_code == 401:
            self.set_header("WWW-Authenticate", "Bearer")
        values = {}
        if status_code == 405:
            values["allowed"] = ", ".join(self.allowed)
            self.set_header("Allow", values["allowed"])
        if status_code == 429:
            self.set_header("Retry-After", "1")
        if status_code == 413:
            values["most"] = str(_MOST_BYTES)
        self.set_header("Content-Type", _JSON)
        self.finish(self.service.failure(status_code, **values))

    @property
    def allowed(self) -> tuple[str, ...]:
        """The methods that are allowed here."""
        return ("GET",)

    def _has_token(self) -> bool:
        given = self.request.headers.get("Authorization", "")
        if given.startswith(_BEARER):
            return self.access.knows(given.removeprefix(_BEARER))
        return self.access.knows(self.get_cookie(self.access.cookie))

    async def answer(self, name: str, data: str, shape: Shape, content_type: str) -> None:
        """Answer with what the engine says."""
        reply = await self.service.ask(name, data, shape)
        if reply is None:
            raise web.HTTPError(429)
        self.set_status(_CODES[reply.outcome])
        self.set_header("Content-Type", content_type if reply.outcome is Outcome.DONE else _JSON)
        self.finish(reply.body)


class _Page(_Guarded):
    """The page of the operations; the address with the token gives the cookie."""

    def prepare(self) -> None:
        if self.request.query_arguments.get("token"):
            Checked.prepare(self)
        else:
            super().prepare()

    def get(self) -> None:
        if not log_in(self):
            self.set_header("Content-Type", "text/html; charset=utf-8")
            self.finish(self.service.page)


class _Text(_Guarded):
    """A text that does not change."""

    def initialize(self, service: Service, **more: Any) -> None:
        super().initialize(service)
        self._text, self._type = more["text"], more["type_"]

    def get(self) -> None:
        self.set_header("Content-Type", self._type)
        self.finish(self._text)


class _Health(_Answered):
    """That the server is there; it says nothing else, and needs no token."""

    def initialize(self, service: Service) -> None:
        self.access = service

    def get(self) -> None:
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish("ok\n")


class _Metrics(_Guarded):
    """The state for Prometheus."""

    async def get(self) -> None:
        await self.answer("", "{}", Shape.METRICS, CONTENT_TYPE)


class _Missing(_Guarded):
    """Every other address."""

    def prepare(self) -> None:
        super().prepare()
        raise web.HTTPError(404)


@web.stream_request_body
class _Operation(_Guarded):
    """The operations of one path, by their methods."""

    def initialize(self, service: Service, **more: Any) -> None:
        super().initialize(service)
        self._names: Mapping[str, str] = more["names"]
        self._body: list[bytes] = []
        self._size = 0

    def prepare(self) -> None:
        super().prepare()
        if int(self.request.headers.get("Content-Length", "0")) > _MOST_BYTES:
            raise web.HTTPError(413)

    def data_received(self, chunk: bytes) -> None:
        self._size += len(chunk)
        if self._size <= _MOST_BYTES:
            self._body.append(chunk)

    @property
    def allowed(self) -> tuple[str, ...]:
        return tuple(self._names)

    async def get(self) -> None:
        name = self._name()
        data = {
            key: _of_query(OPERATIONS[name].request, key, values)
            for key, values in self.request.query_arguments.items()
        }
        await self.answer(name, json.dumps(data), Shape.DATA, _JSON)

    async def post(self) -> None:
        name = self._name()
        if self._size > _MOST_BYTES:
            raise web.HTTPError(413)
        kind = self.request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if kind != _JSON:
            raise web.HTTPError(415)
        try:
            text = b"".join(self._body).decode()
        except UnicodeDecodeError:
            raise web.HTTPError(400) from None
        await self.answer(name, text, Shape.DATA, _JSON)

    def _name(self) -> str:
        found = self._names.get(str(self.request.method))
        if found is None:
            raise web.HTTPError(405)
        return found


def _of_query(request: type[Any], key: str, values: list[bytes]) -> Any:
    """Return the value of a field from a query; what is no such value stays text."""
    if len(values) != 1:
        return [value.decode("utf-8", "replace") for value in values]
    text = values[0].decode("utf-8", "replace")
    kinds = {camel(each.name): hints_of(request)[each.name] for each in fields(request)}
    if kinds.get(key) is bool:
        return {"true": True, "false": False}.get(text, text)
    if kinds.get(key) is int and text.removeprefix("-").isdecimal() and len(text) < 20:
        return int(text)
    return text


def application(service: Service) -> web.Application:
    """Return what answers requests."""
    shared = {"service": service}
    paths: dict[str, dict[str, str]] = {}
    for name, operation in OPERATIONS.items():
        paths.setdefault(operation.path, {})[operation.method] = name
    texts = {
        "/openapi.json": (service.document, _JSON),
        "/style.css": (STYLE, "text/css; charset=utf-8"),
    }
    return web.Application(
        [
            ("/", _Page, shared),
            ("/healthz", _Health, shared),
            ("/metrics", _Metrics, shared),
            *(
                (path, _Text, {**shared, "text": text, "type_": type_})
                for path, (text, type_) in texts.items()
            ),
            *((path, _Operation, {**shared, "names": names}) for path, names in paths.items()),
        ],
        default_handler_class=_Missing,
        default_handler_args=shared,
        log_function=lambda _handler: None,  # the terminal stays quiet, and the token out of it
    )


async def serve(
    engine: Engine,
    words: Catalog,
    version: str,
    name: str,
    options: Options,
    started: Callable[[str, str], None],
) -> None:
    """Serve until the task is cancelled.

    Parameters
    ----------
    engine
        What answers.
    words
        The language.
    version
        The version of kueuelab.
    name
        What is served.
    options
        Where it listens.
    started
        Called with the address and the token as soon as it answers.

    Raises
    ------
    KueueLabError
        If the port is taken.
    """
    try:
        sockets = netutil.bind_sockets(options.port, options.host)
    except OSError as error:
        place = f"{options.host}:{options.port}"
        raise KueueLabError(
            Message("service.port-taken", address=place, error=error.strerror),
            hint=Message("service.port-taken.hint"),
        ) from error
    port = sockets[0].getsockname()[1]
    hosts: tuple[str, ...] | None = options.hostnames
    if not options.hostnames and options.host in ("127.0.0.1", "localhost"):
        hosts = None
    service = Service(engine, words, version, name, port, options.token, hosts)
    server = httpserver.HTTPServer(
        application(service),
        max_body_size=_MOST_READ,
        body_timeout=_PATIENCE,
        idle_connection_timeout=_PATIENCE,
    )
    server.add_sockets(sockets)
    try:
        shown = f"[{options.host}]" if ":" in options.host else options.host
        started(f"http://{shown}:{port}/", service.token)
        await asyncio.Event().wait()
    finally:
        server.stop()
        service.close()
