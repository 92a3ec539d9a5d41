"""A document as a page or notebook keeps it: what is shown first is there at once.

Of its chunks the one that is shown first is not packed. The parts of a key frame are tables: a
browser reads a list of values several times as fast as an object of thousands of members.
Explanations are packed, too: they are shown for what is selected.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kueuelab.frontend.packing import packed

__all__ = ["sent"]


def sent(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document as it is sent.

    Examples
    --------
    >>> bars = {"a|cpu": {"node": "a", "used": 1}, "b|cpu": {"node": "b", "used": 2}}
    >>> one = {"first": 0, "key": {"kind": "Admitted", "bars": bars}, "patches": []}
    >>> found = sent({"start": 3, "chunk": 8, "chunks": {"0": one, "1": one | {"first": 8}}})
    >>> found["chunks"]["0"]["tables"]["bars"]
    {'members': [['node', 'used']], 'rows': [0, 'a|cpu', 'a', 1, 0, 'b|cpu', 'b', 2]}
    >>> found["chunks"]["0"]["key"], type(found["chunks"]["1"])
    ({'kind': 'Admitted'}, <class 'str'>)
    """
    found = dict(document)
    if chunks := document.get("chunks"):
        shown = str(document.get("start", 0) // document["chunk"])
        found["chunks"] = {
            number: _sent(chunk) if number == shown else packed(_sent(chunk))
            for number, chunk in chunks.items()
        }
    if whys := document.get("whys"):
        found["whys"] = packed(whys)
    if sides := document.get("sides"):
        found["sides"] = {name: sent(side) for name, side in sides.items()}
    return found


def _sent(chunk: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chunk with those parts of its key frame as tables that are objects by key."""
    key, tables = {}, {}
    for name, part in chunk["key"].items():
        if isinstance(part, Mapping) and all(isinstance(each, Mapping) for each in part.values()):
            tables[name] = _table(part)
        else:
            key[name] = part
    return {"first": chunk["first"], "key": key, "tables": tables, "patches": chunk["patches"]}


def _table(part: Mapping[str, Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return objects by key as one list: of each, which member names it has, key and values."""
    members: dict[tuple[str, ...], int] = {}
    rows: list[Any] = []
    for key, each in part.items():
        rows += [members.setdefault(tuple(each), len(members)), key, *each.values()]
    return {"members": [list(names) for names in members], "rows": rows}
