"""Holding Python's garbage collector off where it finds nothing and takes its time.

What a simulation or a loader makes is either kept or freed by reference counting. Looking
for cycles among a million objects that stay takes up to a third of the time.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final

__all__ = ["FewFullCollections", "without_collection"]

#: So many objects take about a tenth of a second to look through.
_VERY_MUCH: Final = 500_000
#: How many objects Python itself keeps from the collector: 3.12 has some.
_FROZEN_AT_START: Final = gc.get_freeze_count()


@contextmanager
def without_collection(*, circles: bool = True) -> Iterator[None]:
    """Hold the garbage collector off, and leave it as it was.

    Where very much was made meanwhile, it looks through all of that before it goes on, as it
    would at the next occasion; so it costs time during a long run, and not later, while a
    person clicks through the record. In what has no circles of references it would find
    nothing: that is old from then on, without a look.

    Parameters
    ----------
    circles
        Whether there may be circles of references in what is made.

    Examples
    --------
    >>> import gc
    >>> with without_collection():
    ...     gc.isenabled()
    False
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            # Still held off: once it is not, the next object that is made brings a look at all.
            if gc.get_count()[0] > _VERY_MUCH:
                _look_through(circles)
            gc.enable()


def _look_through(circles: bool) -> None:
    """Free what nothing refers to any more; without circles, let what is new count as old."""
    if circles or gc.get_freeze_count() > _FROZEN_AT_START:  # what others froze stays so
        gc.collect()
    else:
        gc.freeze()
        gc.unfreeze()


class FewFullCollections:
    """Makes the garbage collector look at old objects rarely, until :meth:`end`.

    A record that grows for minutes or hours consists of objects that stay. Python looks
    through all of them each time that their number has grown by a quarter. Objects that
    are new are looked at as often as before.

    Examples
    --------
    >>> import gc
    >>> before = gc.get_threshold()
    >>> growing = FewFullCollections()
    >>> gc.get_threshold()[2] >= 1000
    True
    >>> growing.end()
    >>> gc.get_threshold() == before
    True
    """

    #: So many collections of the middle generation come before a full one.
    _RARELY: Final = 1000
    _lock: Final = Lock()
    _active: Final[set[FewFullCollections]] = set()
    _thresholds: tuple[int, int, int] = (0, 0, 0)

    def __init__(self) -> None:
        kind = FewFullCollections
        with kind._lock:
            if not kind._active:
                kind._thresholds = gc.get_threshold()
                new, middle, old = kind._thresholds
                gc.set_threshold(new, middle, max(old, self._RARELY))
            kind._active.add(self)

    def end(self) -> None:
        """Let the collector work as before, unless another one is active; twice does no harm."""
        kind = FewFullCollections
        with kind._lock:
            if self in kind._active:
                kind._active.remove(self)
                if not kind._active:
                    gc.set_threshold(*kind._thresholds)
