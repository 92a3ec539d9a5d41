"""The nodes of a draft in their short form: pools, each with its levels and resources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from kueuelab.errors import KueueLabError
from kueuelab.messages import Message
from kueuelab.session.building.draft import Draft
from kueuelab.session.building.yaml_nodes import Place

__all__ = ["POOL_FIELDS", "NodePool", "pools_of", "with_pool", "with_pool_field", "without_pool"]

#: What a form has of a pool, in this order.
POOL_FIELDS: Final = ("name", "flavor", "blocks", "racks", "hosts", "cpu", "memory", "gpu", "pods")
_NODES: Final = ("spec", "nodes")
_FIRST: Final = {"racks": 2, "hosts": 4}
_LEVELS: Final = ("blocks", "racks", "hosts")


@dataclass(frozen=True, slots=True)
class NodePool:
    """Nodes of one kind: with a Topology, they make a ResourceFlavor of their name.

    Attributes
    ----------
    place
        Where it is in the text.
    value
        What is written.
    """

    place: Place
    value: Mapping[str, Any]

    def shown(self, field: str) -> str:
        """Return what a field says, ``""`` if it is not there."""
        found = self.value.get(field)
        return "" if found is None else str(found)


def pools_of(draft: Draft) -> tuple[NodePool, ...]:
    """Return the pools of a draft.

    Examples
    --------
    >>> draft = with_pool(with_pool(Draft.new()))
    >>> [pool.shown("name") for pool in pools_of(draft)], draft.problems
    (['nodes-1', 'nodes-2'], ())
    >>> pools_of(without_pool(draft, 0))[0].shown("name")
    'nodes-2'
    """
    if draft.scenario is None:
        return ()
    place = draft.scenario / _NODES
    match draft.value_at(place):
        case list() as written:
            return tuple(
                NodePool(place / (number,), each)
                for number, each in enumerate(written)
                if isinstance(each, dict)
            )
        case dict() as written:
            return (NodePool(place, written),)
    return ()


def with_pool(draft: Draft) -> Draft:
    """Return a draft with one more pool: as many as the first has, or two racks of four nodes.

    Raises
    ------
    KueueLabError
        If the draft is of manifests alone: the short form is part of a scenario.
    """
    if draft.scenario is None:
        raise KueueLabError(Message("session.build.nodes.no-scenario"))
    pools = pools_of(draft)
    known = {*draft.names("ResourceFlavor")}
    known |= {pool.shown(field) for pool in pools for field in ("name", "flavor")}
    name = next(f"nodes-{n}" for n in range(1, len(known) + 2) if f"nodes-{n}" not in known)
    # Pools of one Topology have the same levels.
    first = pools[0].value if pools else _FIRST
    levels = {level: first[level] for level in _LEVELS if level in first}
    new, place = {"name": name, **levels, "cpu": 8}, draft.scenario / _NODES
    if not pools:
        return draft.with_value(place, [new])
    if pools[0].place == place:
        return draft.with_value(place, [dict(pools[0].value), new])
    return draft.with_item(place, new)


def with_pool_field(draft: Draft, number: int, field: str, text: str) -> Draft:
    """Return a draft with another value in a field of a pool; ``""`` removes it."""
    written = int(text) if text.isdecimal() else text or None
    return draft.with_value(pools_of(draft)[number].place / (field,), written)


def without_pool(draft: Draft, number: int) -> Draft:
    """Return a draft without a pool."""
    pools = pools_of(draft)
    if len(pools) == 1:
        assert draft.scenario is not None
        return draft.with_value(draft.scenario / _NODES, None)
    return draft.with_value(pools[number].place, None)
