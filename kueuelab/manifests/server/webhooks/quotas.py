"""What Kueue's webhook refuses in the quotas of ClusterQueues and Cohorts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from kueuelab.manifests.server.names import label_key_errors
from kueuelab.manifests.server.problems import FieldError, FieldPath, Named, duplicate, invalid
from kueuelab.manifests.server.webhooks.borrowing_and_lending_limits import (
    limit_errors,
    quantity_errors,
)
from kueuelab.quantity import Quantity

__all__ = ["fair_sharing_errors", "resource_group_errors"]

_Object: TypeAlias = Mapping[str, Any]


def fair_sharing_errors(fair_sharing: _Object | None, path: FieldPath) -> Iterator[FieldError]:
    """Yield what is wrong with a weight."""
    weight = (fair_sharing or {}).get("weight")
    if weight is None:
        return
    yield from quantity_errors(weight, path)
    if 0 < Quantity.parse(weight).nano <= 1:
        yield invalid(path, weight, "When not 0, weight must be > 10e-9")


def resource_group_errors(
    groups: Sequence[_Object], path: FieldPath, *, parent: str, has_parent: bool
) -> Iterator[FieldError]:
    """Yield what is wrong with resource groups.

    Parameters
    ----------
    groups : sequence of mapping
        The groups.
    path : tuple
        Where they are.
    parent : str
        What can lend and borrow: a ``cohort`` for ClusterQueues, a ``parent`` for Cohorts.
    has_parent : bool
        Whether there is one.
    """
    resources: set[str] = set()
    flavors: set[str] = set()
    for index, group in enumerate(groups):
        where = (*path, index)
        covered = group.get("coveredResources") or []
        for place, name in enumerate(covered):
            yield from label_key_errors(Named(name), (*where, "coveredResources", place))
            if name in resources:
                yield duplicate((*where, "coveredResources", place), Named(name))
            resources.add(name)
        for place, flavor in enumerate(group.get("flavors") or ()):
            at = (*where, "flavors", place)
            for number, quota in enumerate((flavor.get("resources") or ())[: len(covered)]):
                inner = (*at, "resources", number)
                name = quota.get("name", "")
                if name != covered[number]:
                    words = "must match the name in coveredResources"
                    yield invalid((*inner, "name"), Named(name), words)
                yield from limit_errors(quota, inner, parent, has_parent)
            if flavor["name"] in flavors:
                yield duplicate((*at, "name"), flavor["name"])
            flavors.add(flavor["name"])
