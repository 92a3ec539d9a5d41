"""In which order things happen that Kueue does at the same time, in goroutines of their own."""

from __future__ import annotations

from enum import Enum

__all__ = ["Interleaving"]


class Interleaving(Enum):
    """A choice where the order is not settled by time; recordings of Kueue show both orders."""

    #: Timers that are due at once fire by name; a cycle that waits for pods goes on when the
    #: controllers have come to rest.
    BY_NAME = "by-name"
    #: Timers that are due at once fire in the order in which they were set; a cycle that waits
    #: for pods goes on as soon as it can.
    AS_QUEUED = "as-queued"
