"""One pod set that needs a place in a flavor's topology, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from kueuelab.model import PodSetUpdate, PodSpec, Toleration, TopologyAssignment, TopologyRequest
from kueuelab.topology.tree import Amounts

__all__ = ["Placed", "PlacementRequest", "PlacementRules"]


@dataclass(frozen=True, slots=True)
class PlacementRequest:
    """A pod set as it is placed.

    Attributes
    ----------
    pod_set
        Its name.
    flavor
        The flavor with a topology that it was assigned.
    request
        What it asks of the topology.
    pod
        The spec of its pods.
    requests
        What one pod requests, without the pod itself.
    count
        The number of pods.
    implied
        Whether it asks for nothing, and the ClusterQueue has only flavors with a topology.
    updates
        What admission checks want changed in its pods.
    previous
        Where the pods of the slice are that this one replaces, if it is to keep them there.
    """

    pod_set: str
    flavor: str
    request: TopologyRequest
    pod: PodSpec
    requests: Amounts
    count: int
    implied: bool = False
    updates: tuple[PodSetUpdate, ...] = ()
    previous: TopologyAssignment | None = None

    @property
    def is_unconstrained(self) -> bool:
        """Whether any domains will do."""
        return bool(self.request.unconstrained) or self.implied or self.request.slices_only

    @property
    def room(self) -> tuple[tuple[str, int], ...]:
        """What one pod takes of a node, itself included, sorted."""
        amounts = dict(self.requests)
        amounts["pods"] = amounts.get("pods", 0) + 1
        return tuple(sorted(amounts.items()))

    def level(self, levels: tuple[str, ...]) -> str | None:
        """Return the level at which a domain is sought, ``None`` if none is named."""
        named = self.request.level(levels)
        return levels[-1] if named is None and self.implied else named

    def node_selector_and_tolerations(
        self,
    ) -> tuple[Mapping[str, str], tuple[Toleration, ...], str]:
        """Return both with the updates of admission checks, and why these conflict, if they do."""
        selector = dict(self.pod.node_selector)
        tolerations = list(self.pod.tolerations)
        for update in self.updates:
            for key, value in update.node_selector.items():
                if selector.setdefault(key, value) != value:
                    return selector, tuple(tolerations), _conflict(key, selector[key], value)
            tolerations += [each for each in update.tolerations if each not in tolerations]
        return selector, tuple(tolerations), ""


def _conflict(key: str, ours: str, theirs: str) -> str:
    return (
        "invalid admission check PodSetUpdate: conflict for nodeSelector: "
        f"conflict for key={key}, value1={ours}, value2={theirs}"
    )


class Placed(NamedTuple):
    """Where the pods of a pod set go, or why there is no place for them."""

    assignment: TopologyAssignment | None
    reason: str = ""
    flavor: str = ""


class PlacementRules(NamedTuple):
    """The feature gates that decide about placement.

    Attributes
    ----------
    mixed_profile
        ``TASProfileMixed``: unconstrained pods go to domains with the least room.
    balanced
        ``TASBalancedPlacement``.
    by_preference
        ``TASRespectNodeAffinityPreferred``.
    keeps_matches
        ``TASCacheNodeMatchResults``.
    keeps_pod_owned
        ``SkipReassignmentForPodOwnedWorkloads``.
    in_layers
        Whether slices within slices count.
    """

    mixed_profile: bool = True
    balanced: bool = False
    by_preference: bool = False
    keeps_matches: bool = True
    keeps_pod_owned: bool = True
    in_layers: bool = True
