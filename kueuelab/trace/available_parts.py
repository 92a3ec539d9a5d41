"""What a ClusterQueue has available, taken apart: its own, a Cohort's, and lent by others.

A node lends what it has within its lending limit and does not use itself; see
https://kueue.sigs.k8s.io/docs/concepts/cohort/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from kueuelab.trace.object_views import Quota
from kueuelab.trace.reading import State

__all__ = ["AvailablePart", "QuotaTrees"]


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


@dataclass(frozen=True, slots=True)
class _Tree:
    """What the nodes of a cohort tree have of a resource in a flavor.

    ``own``: unused nominal quota of each ClusterQueue. ``users``: what ClusterQueues use, the
    largest amounts first. ``parts``: of cohorts, and of each ClusterQueue as others see it.
    """

    own: Mapping[str, int]
    users: tuple[tuple[str, int], ...]
    parts: tuple[AvailablePart, ...]


class QuotaTrees:
    """Takes apart what ClusterQueues could use in a state; what they share is found out once.

    Parameters
    ----------
    state
        The state.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self._roots = state.roots()
        self._queues: dict[str, list[str]] = {}
        for name, root in sorted(self._roots.items()):
            self._queues.setdefault(root, []).append(name)
        self._trees: dict[tuple[str, str, str], _Tree] = {}

    def parts(self, cluster_queue: str, flavor: str, resource: str) -> tuple[AvailablePart, ...]:
        """Take apart what a ClusterQueue could use now of a resource in a flavor.

        Borrowing limits, of its own and of cohorts between, may leave less than the sum.
        """
        tree = self._tree(cluster_queue, flavor, resource)
        unused = tree.own.get(cluster_queue, 0)
        own = [AvailablePart("own", cluster_queue, unused)] if unused > 0 else []
        return (*own, *(each for each in tree.parts if each.name != cluster_queue))

    def users(self, cluster_queue: str, flavor: str, resource: str) -> tuple[tuple[str, int], ...]:
        """Return what the ClusterQueues of a tree use, those that use most first."""
        return self._tree(cluster_queue, flavor, resource).users

    def _tree(self, cluster_queue: str, flavor: str, resource: str) -> _Tree:
        key = self._roots.get(cluster_queue, cluster_queue), flavor, resource
        if key not in self._trees:
            self._trees[key] = self._read(*key)
        return self._trees[key]

    def _read(self, root: str, flavor: str, resource: str) -> _Tree:
        state, fr = self._state, (flavor, resource)
        names = self._queues.get(root, [])
        own: dict[str, int] = {}
        used: dict[str, int] = {}
        parts: list[AvailablePart] = []
        for cohort in sorted({each for name in names for each in state.cohort_path(name)}):
            quota = _quota(state.cohort(cohort).quotas, flavor, resource)
            if quota is not None and quota.nominal:
                parts.append(AvailablePart("cohort", cohort, quota.nominal))
        for name in names:
            queue = state.cluster_queue(name)
            amount = queue.usage.get(fr, 0)
            quota = _quota(queue.quotas, flavor, resource)
            if amount:
                used[name] = amount
            if quota is not None:
                own[name] = quota.nominal - amount
                parts += _of_other(name, quota, amount)
        users = sorted(used.items(), key=lambda pair: (-pair[1], pair[0]))
        return _Tree(own, tuple(users), tuple(parts))


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
