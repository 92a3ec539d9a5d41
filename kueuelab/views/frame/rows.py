"""The rows of the picture over a run: how much room it needs does not change with the step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from kueuelab.views.merge_patch import Json

__all__ = ["rows_of"]


def rows_of(chunks: Iterable[Json]) -> list[list[Any]]:
    """Return the nodes that chunks show, counted: how many have a kind and the same bars.

    Each is ``[count, kind, [[flavor, resource], …]]``.

    Examples
    --------
    >>> bar = {"node": "q:a", "flavor": "default", "resource": "cpu"}
    >>> tree = {"c:all": {"kind": "Cohort"}, "q:a": {"kind": "ClusterQueue"}}
    >>> key = {"tree": tree, "bars": {"q:a|cpu": bar}}
    >>> more = {"q:b|cpu": bar | {"node": "q:b"}}
    >>> patch = {"tree": {"q:b": {"kind": "ClusterQueue"}}, "bars": more}
    >>> rows_of([{"key": key, "patches": [patch]}])
    [[1, 'Cohort', []], [2, 'ClusterQueue', [['default', 'cpu']]]]
    """
    kinds: dict[str, str] = {}
    bars: dict[str, tuple[str, str, str]] = {}
    for chunk in chunks:
        for part in (chunk["key"], *chunk["patches"]):
            # A patch of a node or bar that was there says what changes of it.
            for node, found in (part.get("tree") or {}).items():
                if found and "kind" in found:
                    kinds[node] = found["kind"]
            for key, found in (part.get("bars") or {}).items():
                if found and "node" in found:
                    bars[key] = (found["node"], found["flavor"], found["resource"])
    lanes: dict[str, list[tuple[str, str]]] = {node: [] for node in kinds}
    for node, flavor, resource in bars.values():
        lanes.setdefault(node, []).append((flavor, resource))
    alike = Counter((kinds.get(node, ""), tuple(sorted(each))) for node, each in lanes.items())
    return [[count, kind, [list(lane) for lane in each]] for (kind, each), count in alike.items()]
