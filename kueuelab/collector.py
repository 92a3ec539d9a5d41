"""Holding Python's garbage collector off where it finds nothing and takes its time.

What a simulation or a loader makes is either kept or freed by reference counting. Looking
for cycles among a million objects that stay takes up to a third of the time.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["without_collection"]


@contextmanager
def without_collection() -> Iterator[None]:
    """Hold the garbage collector off, and leave it as it was.

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
