"""Cases that expect only what could be seen: what is absent is not compared.

Watching a cluster shows the result of a decision, but not every flavor that was
looked at, nor when the scheduler looked again to no avail. A case recorded that way says
``partial: true``. What it names is held against the simulator, the rest is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["named_part"]

#: Lists of which only the named items count, by what they call themselves.
_LISTS: Final[Mapping[str, str]] = {
    "entries": "workload",
    "conditions": "type",
    "admissionChecks": "name",
}


def named_part(want: Any, got: Any) -> Any:
    """Return the part of what the simulator says that an expectation names.

    Victims (``targets``) and pod sets are named all or not at all; in which order victims
    were found can't be seen.

    Examples
    --------
    >>> want = {"entries": [{"workload": "a/x", "status": "assumed"}]}
    >>> got = {"heads": ["a/x"], "entries": [{"workload": "a/x", "status": "", "mode": "Fit"}]}
    >>> named_part(want, got)
    {'entries': [{'workload': 'a/x', 'status': ''}]}
    """
    if not isinstance(want, Mapping) or not isinstance(got, Mapping):
        return got
    found = {}
    for field, value in want.items():
        if field not in got:
            continue
        key = _LISTS.get(field)
        if isinstance(value, list) and isinstance(got[field], list):
            items = _in_order_of(value, got[field]) if field == "targets" else got[field]
            found[field] = _items(value, items, key)
        else:
            found[field] = named_part(value, got[field])
    return found


def _items(want: list[Any], got: list[Any], key: str | None) -> list[Any]:
    if key is None:
        pairs = zip(want, got, strict=False)
        return [*(named_part(*pair) for pair in pairs), *got[len(want) :]]
    named = {item.get(key): item for item in got}
    items = [(item, named[item.get(key)]) for item in want if item.get(key) in named]
    return [named_part(*pair) for pair in items]


def _in_order_of(want: list[Any], got: list[Any]) -> list[Any]:
    """Return victims in the order of an expectation; others behind them."""
    places = {item.get("workload"): place for place, item in enumerate(want)}
    return sorted(got, key=lambda item: places.get(item.get("workload"), len(want)))
