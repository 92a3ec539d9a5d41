"""Whether a flavor's nodes suit a pod: taints, node selector, node affinity, topology."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kueuelab.model import (
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PodSet,
    PodSpec,
    ResourceFlavor,
    ResourceGroup,
    Taint,
    Toleration,
)

__all__ = ["accepts_any_pod", "flavor_mismatch", "topology_mismatch"]


def accepts_any_pod(flavor: ResourceFlavor) -> bool:
    """Tell whether a flavor has neither taints nor labels nor a topology."""
    return not flavor.node_taints and not flavor.node_labels and flavor.topology_name is None


def flavor_mismatch(flavor: ResourceFlavor, spec: PodSpec) -> str:
    """Return why pods of ``spec`` can't use ``flavor``, or ``""`` if they can.

    Only the flavor's own label keys count; terms about other labels are ignored.
    """
    taint = _untolerated(flavor, spec)
    if taint is not None:
        # Kueue prints the Go struct.
        shown = f"{{{taint.key} {taint.value} {taint.effect} <nil>}}"
        return f"untolerated taint {shown} in flavor {flavor.metadata.name}"
    if not _matches_labels(spec, flavor.node_labels):
        return f"flavor {flavor.metadata.name} doesn't match node affinity"
    return ""


def topology_mismatch(
    flavor: ResourceFlavor,
    pod_set: PodSet,
    groups: Iterable[ResourceGroup],
    flavors: Mapping[str, ResourceFlavor],
) -> str:
    """Return why a flavor with a topology rejects a pod set without a topology request, or ``""``.

    A ClusterQueue all of whose flavors have a topology uses it for every pod set.
    """
    requested = set(pod_set.topology_request or {}) - {"podSetGroupName", "podIndexLabel"}
    everywhere = all(
        (other := flavors.get(quotas.name)) is not None and other.topology_name is not None
        for group in groups
        for quotas in group.flavors
    )
    if requested or everywhere:
        return ""
    return f'Flavor "{flavor.metadata.name}" supports only TopologyAwareScheduling'


def _untolerated(flavor: ResourceFlavor, spec: PodSpec) -> Taint | None:
    for taint in flavor.node_taints:
        if taint.effect not in ("NoSchedule", "NoExecute"):
            continue
        tolerations = (*spec.tolerations, *flavor.tolerations)
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


def _matches_labels(spec: PodSpec, labels: Mapping[str, str]) -> bool:
    selector = {key: value for key, value in spec.node_selector.items() if key in labels}
    if any(labels[key] != value for key, value in selector.items()):
        return False
    terms = _relevant_terms(spec.required_node_affinity, labels)
    return not terms or any(_all_match(term, labels) for term in terms)


def _relevant_terms(
    terms: Iterable[NodeSelectorTerm] | None, labels: Mapping[str, str]
) -> list[list[NodeSelectorRequirement]]:
    """Keep the requirements about ``labels``' keys.

    Terms are alternatives: if one has no such requirement, the flavor matches.
    """
    relevant = []
    for term in terms or ():
        kept = [each for each in term.match_expressions if each.key in labels]
        if not kept:
            return []
        relevant.append(kept)
    return relevant


def _all_match(term: Iterable[NodeSelectorRequirement], labels: Mapping[str, str]) -> bool:
    return all(_matches(requirement, labels) for requirement in term)


def _matches(requirement: NodeSelectorRequirement, labels: Mapping[str, str]) -> bool:
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
