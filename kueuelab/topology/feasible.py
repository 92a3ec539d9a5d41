"""Which leaves take a pod, by taints, node selector and node affinity; and why others don't."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from kueuelab.model import NodeSelectorTerm, PodSpec, PreferredSchedulingTerm, Taint, Toleration
from kueuelab.topology.tree import TopologyTree
from kueuelab.workload.node_match import term_matches, untolerated_taint

__all__ = ["Exclusions", "Feasible", "Selection", "feasible_leaves"]


class Selection(NamedTuple):
    """What a pod asks of its node, besides room.

    Attributes
    ----------
    node_selector
        Labels and their values, sorted.
    required
        The terms of the required node affinity, ``None`` where there is none.
    preferred
        Those of the preferred one; empty unless the gate ``TASRespectNodeAffinityPreferred`` is on.
    tolerations
        Those of the pod and of the flavor.
    """

    node_selector: tuple[tuple[str, str], ...] = ()
    required: tuple[NodeSelectorTerm, ...] | None = None
    preferred: tuple[PreferredSchedulingTerm, ...] = ()
    tolerations: tuple[Toleration, ...] = ()

    @classmethod
    def of(
        cls,
        pod: PodSpec,
        *,
        flavor_tolerations: tuple[Toleration, ...] = (),
        preferences: bool = False,
    ) -> Selection:
        """Return what a pod asks for; its ``preferences`` count only with the gate for them."""
        return cls(
            tuple(sorted(pod.node_selector.items())),
            pod.required_node_affinity,
            pod.preferred_node_affinity if preferences else (),
            (*pod.tolerations, *flavor_tolerations),
        )


@dataclass(slots=True)
class Exclusions:
    """How many leaves are excluded, and by what: the end of Kueue's message."""

    total: int = 0
    node_selector: int = 0
    affinity: int = 0
    topology_domain: int = 0
    taints: Counter[str] = field(default_factory=Counter)
    resources: Counter[str] = field(default_factory=Counter)

    @property
    def text(self) -> str:
        """What Kueue appends to its message; empty if nothing is excluded.

        Examples
        --------
        >>> Exclusions(total=3, node_selector=1, resources=Counter(cpu=2)).text
        '. Total nodes: 3; excluded: nodeSelector: 1, resource "cpu": 2'
        """
        named = {
            "nodeSelector": self.node_selector,
            "affinity": self.affinity,
            "topologyDomain": self.topology_domain,
            **{f'taint "{taint}"': count for taint, count in self.taints.items()},
            **{f'resource "{name}"': count for name, count in self.resources.items()},
        }
        reasons = sorted(f"{name}: {count}" for name, count in named.items() if count > 0)
        if not reasons:
            return ""
        return f". Total nodes: {self.total}; excluded: {', '.join(reasons)}"


@dataclass(frozen=True, slots=True)
class Feasible:
    """The leaves that take a pod, with what each is worth to it, and what excludes the others."""

    scores: Mapping[int, int]
    exclusions: Exclusions


_NO_SCORE: Final = 0


def feasible_leaves(tree: TopologyTree, selection: Selection) -> Feasible:
    """Find the leaves that take a pod. Leaves that are not nodes take every pod."""
    exclusions = Exclusions(total=len(tree.leaves))
    scores: dict[int, int] = {}
    for leaf in tree.leaves:
        node = leaf.node
        if node is None:
            scores[leaf.position] = _NO_SCORE
            continue
        labels, name = node.metadata.labels, node.metadata.name
        taint = untolerated_taint(node.taints, selection.tolerations)
        if taint is not None:
            exclusions.taints[_shown(taint)] += 1
        elif any(labels.get(key) != value for key, value in selection.node_selector):
            exclusions.node_selector += 1
        elif selection.required is not None and not any(
            term_matches(term, labels, name) for term in selection.required
        ):
            exclusions.affinity += 1
        else:
            scores[leaf.position] = sum(
                each.weight
                for each in selection.preferred
                if term_matches(each.preference, labels, name)
            )
    return Feasible(scores, exclusions)


def _shown(taint: Taint) -> str:
    if not taint.effect:
        return f"{taint.key}={taint.value}:" if taint.value else taint.key
    pair = f"{taint.key}={taint.value}" if taint.value else taint.key
    return f"{pair}:{taint.effect}"
