"""Holding Python's garbage collector off where it finds nothing and takes its time.

What a simulation or a loader makes is either kept or freed by reference counting. Looking
for cycles among a million objects that stay takes up to a third of the time.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["without_collection"]

#: So many objects take about a tenth of a second to look through.
_VERY_MUCH: Final = 500_000


@contextmanager
def without_collection() -> Iterator[None]:
    """Hold the garbage collector off, and leave it as it was.

    Where very much was made meanwhile it looks through all of that before it goes on, as it
    would at the next occasion; so who waits for a long run anyway waits for it, and not who
    then clicks through the record.

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
            gc.enable()
            if gc.get_count()[0] > _VERY_MUCH:
                gc.collect()
