"""The server of a class: it stores attempts, checks them again, and shows the board."""

from __future__ import annotations

import asyncio
import hmac
import json
import signal
import socket
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import responses
from pathlib import Path
from typing import Any, Final

from tornado import httpserver, netutil, web

from kueuelab.errors import InputError, KueueLabError
from kueuelab.messages import Catalog, Message
from kueuelab.workshop.classroom.attempt import CLASS_FORMAT, Attempt
from kueuelab.workshop.classroom.board import board_of
from kueuelab.workshop.classroom.rate import RateLimit
from kueuelab.workshop.classroom.store import ClassStore
from kueuelab.workshop.isolation import Isolation
from kueuelab.workshop.library import specs
from kueuelab.workshop.rechecking import Rechecker

__all__ = ["Classroom", "Serving", "application", "serve"]

_PAGES: Final = Path(__file__).parent / "pages"
#: More than the longest answers that a learner sends at once, as JSON.
_LARGEST_REQUEST: Final = 2**21
_MOST_AT_ONCE: Final = 50
#: A JupyterHub has one address for a whole class.
_REQUESTS_AT_ONCE: Final = 200
_REQUESTS_PER_SECOND: Final = 50
_SECONDS_IDLE: Final = 60
_SECONDS_FOR_A_BODY: Final = 30

_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self';"
    " connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True, slots=True)
class Serving:
    """Where a class is served.

    Attributes
    ----------
    board
        The address of the board, for the instructor only.
    address
        The address with the token, for the learners.
    store
        The file with the attempts.
    """

    board: str
    address: str
    store: Path


class Classroom:
    """What the handlers share: the store, the words, and the check of answers."""

    def __init__(
        self, store: ClassStore, words: Catalog, isolation: Isolation | None = None
    ) -> None:
        self.store = store
        self._rechecker = Rechecker(isolation=isolation)
        self.unchecked = self._rechecker.unchecked
        self.words = words
        self.specs = specs(words)
        self.token = store.secret("token")
        self.board_key = store.secret("board")
        self.rate = RateLimit(_REQUESTS_AT_ONCE, _REQUESTS_PER_SECOND)
        self._came = asyncio.Event()

    def came(self) -> None:
        """Say that there is something to check again."""
        self._came.set()

    async def judge(self) -> None:
        """Check answers again, one after the other, as long as the server runs."""
        loop = asyncio.get_running_loop()
        # The process ends first, so that the thread that asks it ends, too.
        with ThreadPoolExecutor(1) as thread, self._rechecker as rechecker:
            while True:
                attempt = self.store.next_to_judge(self.unchecked)
                if attempt is None:
                    self._came.clear()
                    await self._came.wait()
                    continue
                judgement = self.store.judgement_of(attempt)
                if judgement is None:
                    judgement = await loop.run_in_executor(
                        thread, rechecker.judge, attempt.exercise, attempt.answer
                    )
                self.store.judge(attempt, judgement)


class _Handler(web.RequestHandler):
    """What all answers have in common: headers, a limit of requests, errors without details."""

    def initialize(self, classroom: Classroom) -> None:
        self.classroom = classroom

    def set_default_headers(self) -> None:
        for name, value in _HEADERS.items():
            self.set_header(name, value)
        self.clear_header("Server")

    def prepare(self) -> None:
        if not self.classroom.rate.allows(self.request.remote_ip or ""):
            self.set_header("Retry-After", "1")
            self.refuse(429, Message("workshop.class.too-many"))

    def refuse(self, status: int, why: str) -> None:
        """End with an error that says why."""
        self.set_status(status)
        self.finish({"error": self.classroom.words.render(why)})

    def write_error(self, status_code: int, **_more: Any) -> None:
        self.refuse(status_code, responses.get(status_code, str(status_code)))


class _Attempts(_Handler):
    """Takes attempts, from learners that have the token."""

    def post(self) -> None:
        given = self.request.headers.get("Authorization", "")
        wanted = f"Bearer {self.classroom.token}"
        if not hmac.compare_digest(given.encode(), wanted.encode()):
            self.set_header("WWW-Authenticate", "Bearer")
            self.refuse(401, Message("workshop.class.wrong-token"))
            return
        try:
            found = _attempts_in(self.request.body)
        except InputError as error:
            self.refuse(400, error.problem.message)
            return
        refused: dict[str, str] = {}
        usable = []
        known = {spec.name for spec in self.classroom.specs}
        for each in found:
            if isinstance(each, Attempt) and each.exercise in known:
                usable.append(each)
            elif isinstance(each, Attempt):
                refused[each.id] = Message("workshop.class.no-exercise", name=each.exercise)
            else:
                refused.update(each)
        refused |= self.classroom.store.add(usable)
        self.classroom.came()
        stored = [each.id for each in usable if each.id not in refused]
        render = self.classroom.words.render
        self.finish({"stored": stored, "refused": {k: render(v) for k, v in refused.items()}})


def _attempts_in(body: bytes) -> list[Attempt | Mapping[str, str]]:
    """Return the attempts of a request; of one that cannot be used, its id and why.

    Raises
    ------
    InputError
        If it is no list of attempts.
    """
    try:
        document = CLASS_FORMAT.brought_up_to_date(json.loads(body))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(Message("workshop.class.no-attempt", field="JSON")) from error
    given = document.get("attempts")
    if not isinstance(given, list) or len(given) > _MOST_AT_ONCE:
        raise InputError(Message("workshop.class.no-attempt", field="attempts"))
    found: list[Attempt | Mapping[str, str]] = []
    for each in given:
        try:
            found.append(Attempt.from_data(each))
        except InputError as error:
            if not isinstance(each, dict) or not isinstance(each.get("id"), str):
                raise
            found.append({each["id"]: error.problem.message})
    return found


class _Board(_Handler):
    """Shows the board, at its secret address."""

    def get(self, key: str, part: str) -> None:
        if not hmac.compare_digest(key.encode(), self.classroom.board_key.encode()):
            raise web.HTTPError(404)
        store = self.classroom.store
        words = self.classroom.words
        self.render(
            "rows.html" if part else "board.html",
            board=board_of(store.attempts(), self.classroom.specs, self.classroom.unchecked),
            language=words.language,
            say=words.text,
            column=lambda name: words.text(f"workshop.board.column.{name}"),
            state=lambda name: words.text(f"workshop.board.state.{name}"),
            clock=_clock,
        )


def _clock(seconds: float) -> str:
    """Return a time of day on this machine."""
    return datetime.fromtimestamp(seconds, UTC).astimezone().strftime("%H:%M")


class _Missing(_Handler):
    def prepare(self) -> None:
        super().prepare()
        if not self._finished:
            raise web.HTTPError(404)


def application(classroom: Classroom) -> web.Application:
    """Return what answers requests."""
    shared = {"classroom": classroom}
    return web.Application(
        [
            ("/attempts", _Attempts, shared),
            ("/board/([^/]+)/(rows)?", _Board, shared),
            (r"/static/(board\.css|board\.js)", web.StaticFileHandler, {"path": str(_PAGES)}),
        ],
        default_handler_class=_Missing,
        default_handler_args=shared,
        template_path=str(_PAGES),
        log_function=lambda _handler: None,  # addresses have the key
    )


async def serve(
    folder: Path,
    words: Catalog,
    host: str,
    port: int,
    started: Callable[[Serving], None],
    isolation: Isolation | None = None,
) -> None:
    """Serve a class until the process is interrupted or terminated.

    Parameters
    ----------
    folder
        Where the attempts are stored; a class that was served there before goes on.
    words
        The sentences of the board.
    host, port
        Where to listen; port 0 is any that is free.
    started
        Is called when learners can send.
    isolation
        What isolates answers that are code; without, they are not checked again.

    Raises
    ------
    KueueLabError
        If the port is taken, or the store cannot be used.
    """
    store = ClassStore(folder)
    try:
        classroom = Classroom(store, words, isolation)
        try:
            sockets = netutil.bind_sockets(port, host)
        except OSError as error:
            raise KueueLabError(
                Message("workshop.class.port", host=host, port=port, error=error.strerror or error),
                hint=Message("workshop.class.port.hint"),
            ) from error
        server = httpserver.HTTPServer(
            application(classroom),
            max_body_size=_LARGEST_REQUEST,
            max_buffer_size=2 * _LARGEST_REQUEST,
            idle_connection_timeout=_SECONDS_IDLE,
            body_timeout=_SECONDS_FOR_A_BODY,
        )
        server.add_sockets(sockets)
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        for each in (signal.SIGINT, signal.SIGTERM):
            with suppress(NotImplementedError):  # Windows has Control-C only
                loop.add_signal_handler(each, ended.set)
        url = f"http://{_shown(host)}:{sockets[0].getsockname()[1]}"
        board = f"{url}/board/{classroom.board_key}/"
        started(Serving(board, f"{url}/{classroom.token}", store.file))
        judging = loop.create_task(classroom.judge())
        await asyncio.wait(
            (loop.create_task(ended.wait()), judging), return_when=asyncio.FIRST_COMPLETED
        )
        server.stop()
        judging.cancel()
        with suppress(asyncio.CancelledError):
            await judging
    finally:
        store.close()


def _shown(host: str) -> str:
    """Return the name under which others reach this machine."""
    if host in ("", "0.0.0.0", "::"):
        # Nothing is sent: it asks the system which of its addresses leads outside.
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
            try:
                asked.connect(("192.0.2.1", 9))
                return str(asked.getsockname()[0])
            except OSError:
                return socket.gethostname()
    return f"[{host}]" if ":" in host else host
