"""Copies of parsed manifests: a dump has millions of values, nearly all of them plain."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Final

__all__ = ["plain_copy"]

_UNCHANGING: Final = frozenset((str, int, float, bool, type(None)))


def plain_copy(value: Any) -> Any:
    """Return a copy that shares nothing that could change.

    What an alias in YAML made one object becomes several.

    Examples
    --------
    >>> value = {"args": ["--epochs", 3]}
    >>> copy = plain_copy(value)
    >>> copy == value, copy["args"] is value["args"]
    (True, False)
    """
    kind = type(value)
    if kind in _UNCHANGING:
        return value
    if kind is dict:
        return {name: plain_copy(part) for name, part in value.items()}
    if kind is list:
        return [plain_copy(part) for part in value]
    return deepcopy(value)
