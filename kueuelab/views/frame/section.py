"""One part of a frame: entries by key, and what changed in them since the last frame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kueuelab.views.merge_patch import Json, merge_patch

__all__ = ["Section"]


class Section:
    """Entries by key. Values are replaced, never changed in place.

    Examples
    --------
    >>> section = Section()
    >>> section.put("a", {"used": 1, "nominal": 5})
    >>> section.take()
    {'a': {'used': 1, 'nominal': 5}}
    >>> section.put("a", {"used": 2, "nominal": 5})
    >>> section.take(), section.take()
    ({'a': {'used': 2}}, {})
    """

    __slots__ = ("_before", "_was_empty", "entries")

    def __init__(self) -> None:
        self.entries: Json = {}
        self._before: dict[str, Any] = {}
        self._was_empty = True

    def put(self, key: str, value: Any) -> None:
        """Set an entry; ``None`` takes it away."""
        old = self.entries.get(key)
        if old == value:
            return
        self._before.setdefault(key, old)
        if value is None:
            self.entries.pop(key, None)
        else:
            self.entries[key] = value

    def replace(self, keys: Iterable[str], entries: Mapping[str, Any]) -> None:
        """Set entries, and take away those of ``keys`` that are not among them."""
        for key in keys:
            if key not in entries:
                self.put(key, None)
        for key, value in entries.items():
            self.put(key, value)

    def take(self) -> Json | None:
        """Return the patch since it was last asked for; ``None`` if the section became empty."""
        before, self._before = self._before, {}
        was_empty, self._was_empty = self._was_empty, not self.entries
        if self._was_empty and not was_empty:
            return None
        patch: Json = {}
        for key, old in before.items():
            new = self.entries.get(key)
            if new is None or not isinstance(new, dict) or not isinstance(old, dict):
                if new != old:
                    patch[key] = new
            elif inner := merge_patch(old, new):
                patch[key] = inner
        return patch
