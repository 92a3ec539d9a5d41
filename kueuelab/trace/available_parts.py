"""What a ClusterQueue has available, taken apart: its own, a Cohort's, and lent by others.

A node lends what it has within its lending limit and does not use itself; see
https://kueue.sigs.k8s.io/docs/concepts/cohort/.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from kueuelab.trace.object_views import Quota
from kueuelab.trace.reading import State

__all__ = ["AvailablePart", "available_parts"]


@dataclass(frozen=True, slots=True)
class AvailablePart:
    """One part of what is available.

    Attributes
    ----------
    kind
        ``own``: the unused quota of the ClusterQueue itself; ``cohort``: the quota of a Cohort;
        ``lent``: unused quota of another ClusterQueue that it lends; ``kept``: what that one does
        not lend, which is no part; ``borrowed``: what another one has borrowed already.
    name
        Whose it is.
    amount
        How much, in Kueue's integer unit. Of ``kept`` that much is unused and not lent.
    """

    kind: Literal["own", "cohort", "lent", "kept", "borrowed"]
    name: str
    amount: int


def available_parts(
    state: State, cluster_queue: str, flavor: str, resource: str
) -> tuple[AvailablePart, ...]:
    """Take apart what a ClusterQueue could use now of a resource in a flavor.

    Borrowing limits, of its own and of cohorts between, may leave less than the sum.

    Parameters
    ----------
    state
        The state.
    cluster_queue
        The ClusterQueue that asks.
    flavor, resource
        What it asks for.
    """
    return tuple(_parts(state, cluster_queue, flavor, resource))


def _parts(state: State, asking: str, flavor: str, resource: str) -> Iterator[AvailablePart]:
    own = state.cluster_queue(asking)
    quota = _quota(own.quotas, flavor, resource)
    used = own.usage.get((flavor, resource), 0)
    if quota is not None and quota.nominal > used:
        yield AvailablePart("own", asking, quota.nominal - used)
    if not own.parent:
        return
    root = state.root_of(asking)
    cohorts = dict.fromkeys(
        each
        for name in state.names("ClusterQueue")
        if state.root_of(name) == root
        for each in state.cohort_path(name)
    )
    for name in sorted(cohorts):
        quota = _quota(state.cohort(name).quotas, flavor, resource)
        if quota is not None and quota.nominal:
            yield AvailablePart("cohort", name, quota.nominal)
    for name in sorted(state.names("ClusterQueue")):
        if name != asking and state.root_of(name) == root:
            other = state.cluster_queue(name)
            quota = _quota(other.quotas, flavor, resource)
            if quota is not None:
                yield from _of_other(name, quota, other.usage.get((flavor, resource), 0))


def _of_other(name: str, quota: Quota, used: int) -> Iterator[AvailablePart]:
    """Yield what another ClusterQueue lends, keeps, or has borrowed."""
    unused = max(0, quota.nominal - used)
    limit = quota.nominal if quota.lending_limit is None else quota.lending_limit
    lent = min(unused, limit)
    if lent:
        yield AvailablePart("lent", name, lent)
    if unused > lent:
        yield AvailablePart("kept", name, unused - lent)
    if used > quota.nominal:
        yield AvailablePart("borrowed", name, used - quota.nominal)


def _quota(quotas: tuple[Quota, ...], flavor: str, resource: str) -> Quota | None:
    found = (each for each in quotas if (each.flavor, each.resource) == (flavor, resource))
    return next(found, None)
