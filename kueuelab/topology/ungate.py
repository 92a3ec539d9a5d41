"""Which pod goes to which domain: what Kueue's topology ungater does with an assignment.

An assignment says how many pods go to each domain. Pods are created with a scheduling gate; the
ungater takes it from them and gives each pod the labels of its domain as node selectors. Pods that
have an index go by it: the first ones to the first domain of the assignment. Other pods fill the
domains in the order in which they are listed. See KEP-2724, "Rank-ordering".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from kueuelab.model import PodSet, TopologyAssignment
from kueuelab.model.topology import COMPLETION_INDEX

__all__ = ["domains_by_rank", "in_runs", "ranked_pod_sets"]


def ranked_pod_sets(
    pod_sets: Sequence[PodSet], counts: Mapping[str, int]
) -> tuple[tuple[str, bool], ...]:
    """Return the pod sets, and whether the pods of each can be distinguished by their ranks.

    In a group of two pod sets the smaller one is the leader, and the ranks of the others come
    after its own. Indexes that count from 0 there are below that: no rank can be read from them.

    Parameters
    ----------
    counts
        How many pods of each pod set are admitted.
    """
    requests = {each.name: each.topology_request or {} for each in pod_sets}
    groups: dict[str, list[str]] = {}
    for name, request in requests.items():
        if request.get("podSetGroupName") is not None:
            groups.setdefault(request["podSetGroupName"], []).append(name)
    after_leader = {_larger(names, counts) for names in groups.values() if len(names) > 1}
    return tuple(
        (name, _has_ranks(request, beside_leader=name in after_leader))
        for name, request in requests.items()
    )


def _larger(names: Sequence[str], counts: Mapping[str, int]) -> str:
    first, second = names[:2]
    return first if counts.get(first, 0) > counts.get(second, 0) else second


def _has_ranks(request: Mapping[str, Any], *, beside_leader: bool) -> bool:
    label = request.get("podIndexLabel")
    if label is None or (beside_leader and label == COMPLETION_INDEX):
        return False
    return request.get("subGroupIndexLabel") is None or (request.get("subGroupCount") or 0) > 0


def domains_by_rank(
    assignment: TopologyAssignment, count: int, before: Sequence[str] = (), *, ranked: bool = True
) -> tuple[tuple[str, ...], bool]:
    """Return the domain of each pod, by rank, and whether the rank decided about it.

    Pods that have a domain of the assignment stay there. If one of them is not where its rank
    belongs, as after the replacement of a node, the others fill what is left, domain by domain.

    Parameters
    ----------
    assignment
        How many pods go to each domain.
    count
        The number of pods.
    before
        Where the pods were until now, if they ran.
    ranked
        Whether ranks can be read from the pods.

    Examples
    --------
    >>> from kueuelab.model import TopologyDomain
    >>> hosts = [TopologyDomain((name,), 1) for name in ("n2", "n3", "n4")]
    >>> replaced = TopologyAssignment(("kubernetes.io/hostname",), tuple(hosts))
    >>> domains_by_rank(replaced, 3)
    (('n2', 'n3', 'n4'), True)
    >>> domains_by_rank(replaced, 3, before=("n1", "n2", "n3"))
    (('n4', 'n2', 'n3'), False)
    """
    room = Counter({",".join(each.values): each.count for each in assignment.domains})
    own = [name for name, pods in room.items() for _ in range(pods)]
    stay = [name if name in room else "" for name in before] or [""] * count
    if ranked and len(own) >= count and all(a in ("", b) for a, b in zip(stay, own, strict=False)):
        return tuple(own[:count]), True
    room.subtract(name for name in stay if name)
    left = iter([name for name, pods in room.items() for _ in range(pods)])
    return tuple(name or next(left, "") for name in stay), False


def in_runs(domains: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """Return domains with the number of pods that follow each other there.

    Examples
    --------
    >>> in_runs(["n1", "n1", "n2"])
    (('n1', 2), ('n2', 1))
    """
    return tuple((name, len(list(same))) for name, same in groupby(domains))
