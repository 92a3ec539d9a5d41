"""How far a command is, as the texts that an engine sends before its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kueuelab.messages import Catalog
from kueuelab.progress import Progress
from kueuelab.session.answers import Working
from kueuelab.session.wire import encoded, text_of

__all__ = ["ProgressReports"]


class ProgressReports:
    """Watches a command, and sends each percent of each part of it once.

    Parameters
    ----------
    words
        The language.
    id
        That of the command.
    send
        Gets the texts.
    turn
        Called each time, also where nothing is sent.

    Examples
    --------
    >>> from kueuelab.messages import english
    >>> reports = ProgressReports(english(), 7, print, lambda: None)
    >>> for done in (1500, 1501, 1502):
    ...     reports(Progress("checking", done, 30000))
    {"id":7,"progress":{"text":"Checking objects: 1,500 of 30,000","done":1500,"total":30000}}
    """

    def __init__(
        self,
        words: Catalog,
        id: Any,
        send: Callable[[str], object],
        turn: Callable[[], object],
    ) -> None:
        self._words = words
        self._id = id
        self._send = send
        self._turn = turn
        self._last = ("", 0)

    def __call__(self, progress: Progress) -> None:
        """Send how far the command is."""
        self._turn()
        if not progress.total:
            return
        now = (progress.what, 100 * progress.done // progress.total)
        if now == self._last:
            return
        self._last = now
        text = self._words.text(
            f"session.progress.{progress.what}",
            done=f"{progress.done:,}",
            total=f"{progress.total:,}",
        )
        working = Working(text, progress.done, progress.total)
        self._send(text_of({"id": self._id, "progress": encoded(working)}))
