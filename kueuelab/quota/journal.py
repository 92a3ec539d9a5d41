"""The journal of simulated changes of usage, from which they are undone.

Quota and topology write to the same journal: one mark undoes both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

__all__ = ["Journal", "Undoable"]


class Undoable(Protocol):
    """What has usage that a simulation changes."""

    def restore(self, key: Any, before: int) -> None:
        """Set the usage of ``key`` to what it was before a change."""


class Journal:
    """The changes since a simulation began, the newest last.

    Attributes
    ----------
    entries
        For each change what was changed, the key, and the value before.
    is_open
        Whether changes are written down: only while simulating.
    """

    __slots__ = ("entries", "is_open")

    def __init__(self) -> None:
        self.entries: list[tuple[Undoable, Any, int]] = []
        self.is_open = False

    def mark(self) -> int:
        """Return where to undo to."""
        return len(self.entries)

    def undo(self, mark: int, watch: Callable[[Undoable, Any, int], None] | None = None) -> None:
        """Undo all changes since ``mark``, the newest first.

        Parameters
        ----------
        mark
            What :meth:`mark` returned.
        watch
            Called with each entry before it is undone, if given.
        """
        entries = self.entries
        if len(entries) == mark:
            return
        for target, key, before in reversed(entries[mark:]):
            if watch is not None:
                watch(target, key, before)
            target.restore(key, before)
        del entries[mark:]
