"""What every server of the app has in common: readers with their handlers, and their connection."""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tornado import websocket

from kueuelab.app.contexts import contexts
from kueuelab.messages import Catalog
from kueuelab.progress import WorkStopped

if TYPE_CHECKING:
    from kueuelab.session.handler import Handler

__all__ = ["LARGEST_MESSAGE", "POLICY", "EngineSocket", "Readers"]

LARGEST_MESSAGE: Final = 2**28
#: What a page sends in the place of a command, to end what is under way.
STOP: Final = "stop"
#: What a page may load; a server adds which pages may show it in a frame.
POLICY: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self';"
    " img-src 'self' data:; connect-src 'self'; worker-src 'self'; base-uri 'none';"
    " form-action 'none'"
)
#: So many readers, each a tab of a browser, have their own session.
_MOST_READERS: Final = 16
_LONGEST_NAME: Final = 64


class Readers:
    """The readers of a server, and what each of them has open.

    Parameters
    ----------
    words
        The language.
    folder
        The folder below which files may be opened.
    named
        What the command named: it may be opened wherever it is. All but the first are open from
        the start; the address of the page opens the first.
    """

    def __init__(self, words: Catalog, folder: Path, named: tuple[str, ...] = ()) -> None:
        self.words = words
        self.folder = folder
        self.named = named
        # One command after the other: the answers of a session have an order.
        self.worker = ThreadPoolExecutor(1)
        self._handlers: dict[str, Handler] = {}

    def handler_of(self, reader: str) -> Handler:
        """Return the handler of a reader: a page that was loaded again finds what was open."""
        found = self._handlers.pop(reader, None) or self._new_handler()
        self._handlers[reader] = found
        while len(self._handlers) > _MOST_READERS:
            del self._handlers[next(iter(self._handlers))]
        return found

    def _new_handler(self) -> Handler:
        # The address is ready before the scheduler is imported.
        from kueuelab.session.draft_files import DraftFiles
        from kueuelab.session.handler import Handler
        from kueuelab.session.history import History
        from kueuelab.session.opening import require_openable
        from kueuelab.session.session import Session

        found = Handler(
            self.words,
            lambda file: require_openable(file, self.folder, self.named),
            contexts,
            self.folder,
            DraftFiles(self.named),
        )
        session = Session()
        for name in self.named[1:]:
            session = session.opened(name)
        found.history = History(session)
        return found


class EngineSocket(websocket.WebSocketHandler):
    """The connection of a page: text of commands in, text of answers out.

    Attributes
    ----------
    readers
        Those of the server.
    """

    readers: Readers

    @property
    def max_message_size(self) -> int:
        """Bytes of a command: a dump of a cluster is one."""
        return LARGEST_MESSAGE

    #: Grows when what is under way is to end: commands that came before are of no more use.
    _stops = 0

    @property
    def ping_timeout(self) -> float:
        """No limit for the answer to a ping: it is not read while a command is carried out."""
        return 0

    async def open(self, *_args: str, **_more: str) -> None:
        """Find the handler of the reader; messages wait until this has returned."""
        self._tasks: set[asyncio.Task[None]] = set()
        #: Commands that no answer is worked on yet, each with the stops that came before it.
        self._waiting: deque[tuple[str, int]] = deque()
        reader = self.get_query_argument("reader", "")[:_LONGEST_NAME]
        # Where the scheduler is imported.
        self._handler = await asyncio.get_running_loop().run_in_executor(
            self.readers.worker, self.readers.handler_of, reader or secrets.token_hex(8)
        )

    def on_message(self, message: str | bytes) -> None:
        """Take a file, begin to answer a command, or end those that came before."""
        if isinstance(message, bytes):
            id_, _, content = message.partition(b"\n")
            self._handler.take_file(id_.decode("ascii", "replace"), content)
            return
        if message == STOP:
            self._stops += 1
            return
        self._waiting.append((message, self._stops))
        # The next message is heard before this one is answered: it may be the one to stop.
        task = asyncio.get_running_loop().create_task(self._answer())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            with suppress(websocket.WebSocketClosedError, WorkStopped):
                answer = await loop.run_in_executor(self.readers.worker, self._answered, loop)
                if answer is not None:
                    await self.write_message(answer)
        except Exception:
            # The page sees that there is no answer to come, and connects again.
            self.close()
            raise

    def on_close(self) -> None:
        """End what is under way: nothing hears its answer."""
        self._stops += 1

    def _answered(self, loop: asyncio.AbstractEventLoop) -> str | None:
        """Return the answer to the next command, ``None`` if it was answered in between."""
        if not self._waiting:
            return None
        text, stops = self._waiting.popleft()

        def send(report: str) -> None:
            loop.call_soon_threadsafe(self._send, report)

        def go_on() -> None:
            if self._stops != stops:
                raise WorkStopped

        def turn() -> None:
            go_on()
            for each in list(self._waiting):
                if self._handler.is_quick(each[0]):
                    self._waiting.remove(each)
                    send(self._handler.reply(each[0]))

        # It may have waited for its turn until it was of no use.
        go_on()
        return self._handler.reply(text, send, turn)

    def _send(self, text: str) -> None:
        with suppress(websocket.WebSocketClosedError):
            self.write_message(text)
