"""The engine of the service: a process that holds the state, and answers one request at a time.

A request that takes longer than its limit ends with the process, which begins anew: nothing in
Python ends a computation from outside, and a server has to go on.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
import traceback
from dataclasses import dataclass
from enum import Enum
from multiprocessing.connection import Connection
from tempfile import TemporaryDirectory
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from kueuelab.errors import InputError, KueueLabError, Problem, UnknownObjectError
from kueuelab.messages import Catalog, Message, messages_in
from kueuelab.service.served_cluster import Source

if TYPE_CHECKING:
    from kueuelab.service.answering import Answering

__all__ = ["Engine", "Outcome", "Reply", "Shape"]

#: How long a process may take to end that is asked to.
_PATIENCE: Final = 2.0


class Outcome(Enum):
    """How a request ended."""

    DONE = "done"
    INVALID = "invalid"
    UNKNOWN = "unknown"
    REFUSED = "refused"
    TOO_LONG = "too-long"
    UNREACHABLE = "unreachable"
    FAILED = "failed"


class Shape(Enum):
    """What an answer is sent as: JSON, a short text, or metrics."""

    DATA = "data"
    TEXT = "text"
    METRICS = "metrics"


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a request.

    Attributes
    ----------
    outcome
        How it ended.
    body
        The text of the answer; a :class:`~kueuelab.session.answers.Failure` as JSON if it failed.
    """

    outcome: Outcome
    body: str


class Engine:
    """A process that answers requests about what is served.

    Parameters
    ----------
    source
        What is served. Paths have to be absolute.
    words
        The language.
    seconds
        How long an answer may take.

    Raises
    ------
    KueueLabError
        If it cannot be read.
    """

    def __init__(self, source: Source, words: Catalog, seconds: float) -> None:
        self._source, self._words, self._seconds = source, words, seconds
        # One request after the other, whichever thread asks.
        self._lock = Lock()
        self._start()
        if failed := self._failed_to_start():
            self.close()
            raise KueueLabError(failed)

    def ask(self, name: str, fields: str, shape: Shape = Shape.DATA) -> Reply:
        """Return the answer to a request, and wait for it.

        Parameters
        ----------
        name
            The operation.
        fields
            Its fields: the text of a JSON object.
        shape
            What the answer is sent as.
        """
        with self._lock:
            return self._ask(name, fields, shape)

    def close(self) -> None:
        """End the process. It can be called twice."""
        self._end()

    # --- inside ------------------------------------------------------------------------------

    def _ask(self, name: str, fields: str, shape: Shape) -> Reply:
        if self._process is None:
            self._start()
        if self._is_starting and (failed := self._failed_to_start()):
            self._end()
            return self._failure(Outcome.UNREACHABLE, failed)
        try:
            self._connection.send((name, fields, shape))
            if self._connection.poll(self._seconds):
                reply: Reply = self._connection.recv()
                return reply
        except (EOFError, OSError):
            self._end()
            return self._failure(Outcome.FAILED, Message("service.engine.ended"))
        self._end()
        self._start()  # while the answer is read, the next process reads what is served
        seconds = f"{self._seconds:g}"
        return self._failure(Outcome.TOO_LONG, Message("service.engine.too-long", seconds=seconds))

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, there = context.Pipe()
        self._process: Any = context.Process(
            target=_answer_requests,
            args=(there, self._source, self._words.language),
            name="kueuelab-engine",
            daemon=True,
        )
        self._process.start()
        there.close()
        self._is_starting = True

    def _failed_to_start(self) -> str:
        """Wait until what is served is read; return what is wrong with it, or ``""``."""
        self._is_starting = False
        try:
            return str(self._connection.recv())
        except EOFError:
            return Message("service.engine.ended")

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        self._connection.close()
        process.terminate()
        process.join(_PATIENCE)
        if process.is_alive():
            process.kill()
            process.join()
        process.close()

    def _failure(self, outcome: Outcome, message: str) -> Reply:
        return Reply(outcome, _failure_text(KueueLabError(message), self._words))


# --- in the process --------------------------------------------------------------------------


def _answer_requests(connection: Connection, source: Source, language: str) -> None:
    from kueuelab.service.answering import Answering
    from kueuelab.service.served_cluster import open_source

    # Ctrl-C is for the server, which ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    words = messages_in(language)
    try:
        cluster = open_source(source)
    except KueueLabError as error:
        connection.send(error.render(words))
        return
    connection.send("")
    with TemporaryDirectory() as nothing:
        # What a request names is looked for here, where nothing is.
        os.chdir(nothing)
        answering = Answering(cluster, words)
        try:
            while True:
                connection.send(_reply(answering, words, *connection.recv()))
        except (EOFError, OSError):
            os.chdir(os.sep)
        finally:
            cluster.close()


def _reply(answering: Answering, words: Catalog, name: str, fields: str, shape: Shape) -> Reply:
    from kueuelab.live.errors import LiveError
    from kueuelab.service.brief import brief
    from kueuelab.service.operations import OPERATIONS
    from kueuelab.session.wire import encoded, text_of

    try:
        if shape is Shape.METRICS:
            return Reply(Outcome.DONE, answering.metrics())
        try:
            request = _request(OPERATIONS[name].request, fields)
        except InputError as error:
            return Reply(Outcome.INVALID, _failure_text(error, words))
        answer = answering.answer(request)
        text = brief(answer, words) if shape is Shape.TEXT else text_of(encoded(answer))
        return Reply(Outcome.DONE, text)
    except UnknownObjectError as error:
        return Reply(Outcome.UNKNOWN, _failure_text(error, words))
    except LiveError as error:
        return Reply(Outcome.UNREACHABLE, _failure_text(error, words))
    except KueueLabError as error:
        return Reply(Outcome.REFUSED, _failure_text(error, words))
    except Exception:  # a mistake of this program: the server goes on, and its log says what it is
        traceback.print_exc(file=sys.stderr)
        return Reply(
            Outcome.FAILED, _failure_text(KueueLabError(Message("service.engine.failed")), words)
        )


def _request(cls: type[Any], fields: str) -> Any:
    """Return a request from the text of its fields.

    Raises
    ------
    InputError
        If it is no such request.
    """
    from kueuelab.service.requests import require_limits
    from kueuelab.session.wire import decoded, text_of

    try:
        data = json.loads(fields)
        # What JSON does not have, and halves of characters, are found by writing it again.
        text_of(data).encode()
    except (ValueError, RecursionError):
        raise InputError(Problem(Message("session.wire.json"))) from None
    request = decoded(cls, data)
    require_limits(request)
    return request


def _failure_text(error: KueueLabError, words: Catalog) -> str:
    from kueuelab.session.failures import failure_of
    from kueuelab.session.wire import encoded

    return json.dumps(encoded(failure_of(error, words)), ensure_ascii=False)
