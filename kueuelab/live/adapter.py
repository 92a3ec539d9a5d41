"""The only HTTP client: lightkube's configuration and client, with time limits.

lightkube reads the kubeconfig, authenticates and verifies certificates. Its own watch has
no read timeout, and its lists fail when a page expires, so requests are made here.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC
from email.utils import parsedate_to_datetime
from threading import Event, Lock
from typing import Any, Final

import httpx2
from lightkube.config.client_adapter import Client, ConnectionParams
from lightkube.config.kubeconfig import KubeConfig
from lightkube.core.exceptions import ConfigError

from kueuelab.live.api import Listing, WatchEvent
from kueuelab.live.credential_plugins import check_plugin
from kueuelab.live.errors import LiveError
from kueuelab.live.http_errors import error_of, failure_of
from kueuelab.live.kubeconfig import kubeconfig
from kueuelab.live.resources import Json, Resource, resource_of
from kueuelab.messages import Message

__all__ = ["FIELD_MANAGER", "LightkubeApi"]

FIELD_MANAGER: Final = "kueuelab"

_PAGE: Final = "500"
_CONNECT_SECONDS: Final = 5.0
_READ_SECONDS: Final = 15.0
#: How long a watch may stay silent beyond the time that the server was given for it.
_GRACE_SECONDS: Final = 5.0
#: How often a request that only reads is sent again, and for how long in all it may wait.
_ATTEMPTS: Final = 4
_WAIT_SECONDS: Final = 20.0
_MOMENT: Final = 0.01


class LightkubeApi:
    """An API server behind a context of the kubeconfig.

    Parameters
    ----------
    context
        The context; the current one if empty.
    config
        The configuration; that of the environment by default.
    writable
        Whether writing is allowed.
    transport
        Carries the requests, in place of the network.
    sleep
        Waits between two attempts; by default until :meth:`close` at most.
    """

    def __init__(
        self,
        context: str = "",
        *,
        config: KubeConfig | None = None,
        writable: bool = False,
        transport: httpx2.BaseTransport | None = None,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        found = config or kubeconfig()
        try:
            single = found.get(context or None)
        except ConfigError as error:
            known = ", ".join(found.contexts) or Message("list.none")
            message = (
                Message("live.access.no-context", context=context)
                if context
                else Message("live.access.no-current-context")
            )
            hint = Message("live.access.known", known=known)
            raise LiveError(message, "config", hint=hint) from error
        assert single is not None
        if single.user is not None and single.user.exec is not None:
            check_plugin(single.user.exec)
        timeout = httpx2.Timeout(_READ_SECONDS, connect=_CONNECT_SECONDS)
        try:
            self._http = Client(single, ConnectionParams(timeout=timeout, transport=transport))
        except (ConfigError, OSError, ValueError) as error:
            message = Message(
                "live.access.context-unusable", context=single.context_name, error=error
            )
            raise LiveError(message, "config") from error
        self._context: str = single.context_name
        self._writable = writable
        self._ended = Event()
        self._sleep = sleep or self._ended.wait
        self._server_time: int | None = None
        self._streams: dict[int, httpx2.Response] = {}
        self._under_way = 0
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"<LightkubeApi {self._context}>"

    @property
    def context(self) -> str:
        """The context of the kubeconfig."""
        return self._context

    @property
    def server_time(self) -> int | None:
        """The server's clock at its last answer, in nanoseconds since 1970, if it said."""
        return self._server_time

    # --- reading -----------------------------------------------------------------------

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Json:
        """Return the object, list or discovery document at a path."""
        waited = 0.0
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return self._send("GET", path, query)
            except LiveError as error:
                wait = _wait_before_again(error, attempt)
                if wait is None or attempt == _ATTEMPTS or waited + wait > _WAIT_SECONDS:
                    raise
            waited += wait
            self._sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def list(
        self, resource: Resource, namespace: str = "", query: Mapping[str, str] | None = None
    ) -> Listing:
        """Return all objects of a kind, page by page; from the start if a page expires."""
        path = resource.path(namespace)
        try:
            return self._pages(path, {**(query or {}), "limit": _PAGE})
        except LiveError as error:
            if error.trouble != "expired":
                raise
        # A list without pages has none that can expire.
        return self._pages(path, dict(query or {}))

    def _pages(self, path: str, query: dict[str, str]) -> Listing:
        items: list[Json] = []
        while True:
            page = self.get(path, query)
            kind = str(page.get("kind", "")).removesuffix("List")
            version = page.get("apiVersion")
            # Objects of a list come without their kind.
            for item in page.get("items") or ():
                items.append({"apiVersion": version, "kind": kind, **item})
            meta = page.get("metadata") or {}
            token = meta.get("continue")
            if not token:
                return Listing(tuple(items), str(meta.get("resourceVersion", "")))
            query = {**query, "continue": token}

    def watch(self, resource: Resource, since: str, seconds: int) -> Iterator[WatchEvent]:
        """Yield what changes, until the server ends the stream after about ``seconds``."""
        query = {
            "watch": "true",
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(seconds),
            "resourceVersion": since,
        }
        timeout = httpx2.Timeout(_CONNECT_SECONDS, read=seconds + _GRACE_SECONDS)
        url = resource.path()
        with self._as_live_errors(url):
            request = self._http.build_request(
                "GET", url, params=query, headers={"Accept": "application/json"}, timeout=timeout
            )
            response = self._http.send(request, stream=True)
            self._streams[id(response)] = response
            try:
                if self._ended.is_set():  # while it was being opened
                    raise failure_of(RuntimeError(), self._context, url, closed=True)
                if response.status_code >= 400:
                    response.read()
                    raise error_of(response.status_code, response.headers, response.text, url)
                for line in response.iter_lines():
                    if line.strip():
                        yield _event(line, url)
            finally:
                self._streams.pop(id(response), None)
                response.close()
                self._end_late(response)

    # --- writing -----------------------------------------------------------------------

    def apply(self, obj: Json, *, force: bool = False, dry_run: bool = False) -> Json:
        """Apply an object, server-side."""
        query = {"fieldManager": FIELD_MANAGER}
        if force:
            query["force"] = "true"
        if dry_run:
            query["dryRun"] = "All"
        meta = obj["metadata"]
        path = resource_of(obj).path(meta.get("namespace", ""), meta["name"])
        return self._write("PATCH", path, query, obj, "application/apply-patch+yaml")

    def create(self, obj: Json) -> Json:
        """Create an object; there must be none."""
        path = resource_of(obj).path(obj["metadata"].get("namespace", ""))
        return self._write("POST", path, {"fieldManager": FIELD_MANAGER}, obj)

    def replace(self, obj: Json, part: str = "") -> Json:
        """Write an object that was read (or its ``status``), unless it was changed since."""
        meta = obj["metadata"]
        path = resource_of(obj).path(meta.get("namespace", ""), meta["name"])
        path += f"/{part}" if part else ""
        return self._write("PUT", path, {"fieldManager": FIELD_MANAGER}, obj)

    def delete(self, resource: Resource, name: str, namespace: str = "", uid: str = "") -> bool:
        """Delete an object, with what belongs to it; tell whether there was one."""
        options: Json = {
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "propagationPolicy": "Background",
        }
        if uid:
            options["preconditions"] = {"uid": uid}
        try:
            self._write("DELETE", resource.path(namespace, name), {}, options)
        except LiveError as error:
            if error.trouble == "missing":
                return False
            raise
        return True

    def _write(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: Json,
        content_type: str = "application/json",
    ) -> Json:
        if not self._writable:
            hint = Message("live.access.not-writable.hint", context=self._context)
            raise LiveError(
                Message("live.access.not-writable", context=self._context), "guarded", hint=hint
            )
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return self._send(method, path, query, body, content_type)
            except LiveError as error:
                # Only what the server has certainly not done is sent again: it had no
                # capacity for it, or a webhook was not available (yet).
                may_be_sent_again = error.trouble == "throttled" or (
                    error.trouble == "unavailable" and error.retry_after is not None
                )
                if not may_be_sent_again or attempt == _ATTEMPTS:
                    raise
                self._sleep(min(error.retry_after or 1.0, _WAIT_SECONDS))
        raise AssertionError("the last attempt returns or raises")

    # --- one request -------------------------------------------------------------------

    def _send(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None,
        body: Json | None = None,
        content_type: str = "application/json",
    ) -> Json:
        headers = {"Accept": "application/json"}
        content = None
        if body is not None:
            headers["Content-Type"] = content_type
            content = json.dumps(body).encode()
        with self._as_live_errors(path):
            response = self._http.request(
                method, path, params=dict(query or {}), headers=headers, content=content
            )
        self._end_late(response)
        self._note_time(response.headers.get("date"))
        if response.status_code >= 400:
            raise error_of(response.status_code, response.headers, response.text, path)
        try:
            answer = response.json()
        except ValueError as error:
            raise LiveError(
                Message("live.answer.cut-off", method=method, path=path), "cut"
            ) from error
        if not isinstance(answer, dict):
            raise LiveError(Message("live.answer.not-object", method=method, path=path), "refused")
        return answer

    def _end_late(self, response: httpx2.Response) -> None:
        """End the connection of an answer that came after the client was closed."""
        stream: Any = response.extensions.get("network_stream")
        if self._ended.is_set() and stream is not None:
            stream.close()

    def _note_time(self, date: str | None) -> None:
        if date:
            try:
                moment = parsedate_to_datetime(date).astimezone(UTC)
            except ValueError:
                return
            self._server_time = int(moment.timestamp()) * 1_000_000_000

    @contextmanager
    def _as_live_errors(self, path: str) -> Iterator[None]:
        """Turn network failures into errors; they never contain credentials."""
        with self._lock:
            if self._ended.is_set():
                raise failure_of(RuntimeError(), self._context, path, closed=True)
            self._under_way += 1
        try:
            yield
        except (httpx2.TransportError, httpx2.StreamError) as error:
            raise failure_of(error, self._context, path, closed=self._ended.is_set()) from error
        except ConfigError as error:
            # The output of the login command can contain credentials.
            printed = str(error).startswith("Exec ")
            message = (
                Message("live.answer.login-failed", context=self._context)
                if printed
                else Message(
                    "live.answer.login-failed-because",
                    context=self._context,
                    error=_first_line(error),
                )
            )
            cause = None if printed else error
            raise LiveError(message, "unauthorized", hint=Message("live.answer.log-in")) from cause
        except RuntimeError as error:
            if not self._ended.is_set() or isinstance(error, LiveError):
                raise
            raise failure_of(error, self._context, path, closed=True) from error
        finally:
            with self._lock:
                self._under_way -= 1

    # --- the end -----------------------------------------------------------------------

    def close(self) -> None:
        """End all streams and connections; a read from one fails at once."""
        with self._lock:
            self._ended.set()
        # A read from a socket that is closed meanwhile would wait for ever, so it is
        # shut down first; one that is just being opened is found a moment later.
        deadline = time.monotonic() + _CONNECT_SECONDS
        while True:
            for socket in [*map(_socket_of, list(self._streams.values())), *self._sockets()]:
                if socket is not None:
                    _shut(socket)
            if not self._under_way or time.monotonic() > deadline:
                break
            time.sleep(_MOMENT)
        self._http.close()

    def _sockets(self) -> Iterator[Any]:
        """Yield the sockets of all connections: some wait for the beginning of an answer."""
        pool = getattr(getattr(self._http, "_transport", None), "_pool", None)
        for connection in tuple(getattr(pool, "connections", ())):
            inner = getattr(connection, "_connection", None)
            stream = getattr(inner, "_network_stream", None)
            if stream is not None:
                yield stream.get_extra_info("socket")


def _socket_of(response: httpx2.Response) -> Any:
    stream: Any = response.extensions.get("network_stream")
    return stream.get_extra_info("socket") if stream is not None else None


def _shut(socket: Any) -> None:
    import socket as sockets  # only a stream that is open needs it

    try:
        socket.shutdown(sockets.SHUT_RDWR)
    except OSError:
        return  # it has ended by itself


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0]


def _wait_before_again(error: LiveError, attempt: int) -> float | None:
    """Return how long to wait before reading again, ``None`` if a retry does not help."""
    if error.trouble == "throttled":
        return min(error.retry_after or 1.0, _WAIT_SECONDS)
    if error.trouble in ("cut", "unreachable") and error.retry_after is not None:
        return error.retry_after * attempt
    return None


def _event(line: str, path: str) -> WatchEvent:
    try:
        event = json.loads(line)
        type_, obj = event["type"], event["object"]
    except (ValueError, KeyError, TypeError) as error:
        raise LiveError(Message("live.answer.watch-cut", path=path), "cut") from error
    if type_ == "ERROR":
        raise error_of(int(obj.get("code") or 500), {}, json.dumps(obj), path)
    return WatchEvent(type_, obj)
