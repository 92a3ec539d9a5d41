"""Values as Go prints them in the errors of Kueue's Configuration."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["as_json"]


def as_json(value: Any, order: Sequence[str] = ()) -> str:
    """Return a value without spaces: keys of maps sorted, those of structs in their ``order``.

    Examples
    --------
    >>> as_json({"b": True, "a": [1]})
    '{"a":[1],"b":true}'
    >>> as_json({"key": "x", "operator": "In"}, ("operator", "key"))
    '{"operator":"In","key":"x"}'
    """
    return json.dumps(_ordered(value, order), separators=(",", ":"))


def _ordered(value: Any, order: Sequence[str]) -> Any:
    if isinstance(value, Mapping):
        rank = {name: place for place, name in enumerate(order)}
        names = sorted(value, key=lambda name: (rank.get(name, len(rank)), str(name)))
        return {name: _ordered(value[name], order) for name in names}
    if isinstance(value, list | tuple):
        return [_ordered(inner, order) for inner in value]
    return value
