"""Whether nodes take a pod: taints and tolerations, labels and affinity.

See https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kueuelab.model import NodeSelectorRequirement, NodeSelectorTerm, Taint, Toleration

__all__ = ["requirement_matches", "term_matches", "untolerated_taint"]


def untolerated_taint(taints: Iterable[Taint], tolerations: Iterable[Toleration]) -> Taint | None:
    """Return the first taint that keeps a pod out, ``None`` if the pod tolerates all of them.

    ``PreferNoSchedule`` keeps no pod out.
    """
    for taint in taints:
        if taint.effect not in ("NoSchedule", "NoExecute"):
            continue
        if not any(_tolerates(toleration, taint) for toleration in tolerations):
            return taint
    return None


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    match toleration.operator:
        case "" | "Equal":
            return toleration.value == taint.value
        case "Exists":
            return True
        case "Lt" | "Gt":
            return _compares(toleration, taint.value)
    return False


def _compares(toleration: Toleration, value: str) -> bool:
    try:
        left, right = int(value), int(toleration.value)
    except ValueError:
        return False
    return left < right if toleration.operator == "Lt" else left > right


def term_matches(term: NodeSelectorTerm, labels: Mapping[str, str], name: str) -> bool:
    """Tell whether a node of this name matches all requirements; an empty term matches nothing."""
    if not term.match_expressions and not term.match_fields:
        return False
    fields = {"metadata.name": name}
    return all(requirement_matches(each, labels) for each in term.match_expressions) and all(
        requirement_matches(each, fields) for each in term.match_fields
    )


def requirement_matches(requirement: NodeSelectorRequirement, labels: Mapping[str, str]) -> bool:
    """Tell whether labels meet one requirement."""
    value = labels.get(requirement.key)
    match requirement.operator:
        case "In":
            return value in requirement.values
        case "NotIn":
            return value not in requirement.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Lt":
            try:
                left, right = int(value or ""), int(requirement.values[0])
            except (ValueError, IndexError):
                return False
            return left > right if requirement.operator == "Gt" else left < right
    return False
