"""Whether a flavor's nodes suit a pod: taints, node selector, node affinity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kueuelab.model import (
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PodSpec,
    ResourceFlavor,
)
from kueuelab.workload.node_match import requirement_matches, untolerated_taint

__all__ = ["accepts_any_pod", "flavor_mismatch"]


def accepts_any_pod(flavor: ResourceFlavor) -> bool:
    """Tell whether a flavor has neither taints nor labels nor a topology."""
    return not flavor.node_taints and not flavor.node_labels and flavor.topology_name is None


def flavor_mismatch(flavor: ResourceFlavor, spec: PodSpec) -> str:
    """Return why pods of ``spec`` can't use ``flavor``, or ``""`` if they can.

    Only the flavor's own label keys count; terms about other labels are ignored.
    """
    tolerations = (*spec.tolerations, *flavor.tolerations)
    taint = untolerated_taint(flavor.node_taints, tolerations)
    if taint is not None:
        # Kueue prints the Go struct.
        shown = f"{{{taint.key} {taint.value} {taint.effect} <nil>}}"
        return f"untolerated taint {shown} in flavor {flavor.metadata.name}"
    if not _matches_labels(spec, flavor.node_labels):
        return f"flavor {flavor.metadata.name} doesn't match node affinity"
    return ""


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
    return all(requirement_matches(requirement, labels) for requirement in term)
