"""How far long work is, for what watches it, which can also end it.

What works does not know what watches: a page shows a bar, and its *Stop* ends the work. Without
a watcher nothing is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, TypeVar

__all__ = ["Progress", "WorkStopped", "counted", "note_progress", "watched"]

T = TypeVar("T")

#: Parts of a whole are reported in so many steps.
_STEPS: Final = 100
#: A whole of fewer parts is not worth a bar.
_FEWEST: Final = 200


@dataclass(frozen=True, slots=True)
class Progress:
    """How far work is.

    Attributes
    ----------
    what
        Which part of it: ``"reading"``, ``"checking"``, ``"loading"``, ``"deciding"`` or
        ``"playing"``; ``""`` where only the watcher has its turn.
    done, total
        How much of it is done, and how much there is.
    """

    what: str = ""
    done: int = 0
    total: int = 0


class WorkStopped(BaseException):
    """Raised by a watcher to end the work; no part of the work takes it for a mistake."""


_WATCHER: Final[ContextVar[Callable[[Progress], None] | None]] = ContextVar("watcher", default=None)


@contextmanager
def watched(watcher: Callable[[Progress], None] | None) -> Iterator[None]:
    """Report to a watcher how far the work inside is.

    Examples
    --------
    >>> found = []
    >>> with watched(found.append):
    ...     note_progress("deciding", 3, 10)
    >>> found
    [Progress(what='deciding', done=3, total=10)]
    """
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def note_progress(what: str = "", done: int = 0, total: int = 0) -> None:
    """Report how far the work is; without arguments, give the watcher its turn to end it."""
    watcher = _WATCHER.get()
    if watcher is not None:
        watcher(Progress(what, done, total))


def counted(what: str, items: Sequence[T]) -> Iterable[T]:
    """Return the items; how many of them were taken is reported on the way.

    Examples
    --------
    >>> found = []
    >>> with watched(found.append):
    ...     total = sum(counted("checking", range(200)))
    >>> len(found), found[-1]
    (100, Progress(what='checking', done=198, total=200))
    """
    if _WATCHER.get() is None:
        return items
    if len(items) < _FEWEST:
        note_progress()
        return items
    return _counted(what, items)


def _counted(what: str, items: Sequence[T]) -> Iterator[T]:
    step = len(items) // _STEPS
    for number, item in enumerate(items):
        if number % step == 0:
            note_progress(what, number, len(items))
        yield item
