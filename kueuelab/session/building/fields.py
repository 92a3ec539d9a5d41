"""The fields that forms have: what each may hold, what it means, and Kueue's page on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, TypeAlias

from kueuelab.manifests.shapes.tables import record_of
from kueuelab.model import RELEASE

__all__ = ["FIELDS", "QUOTA_FIELDS", "FormField", "choices_of", "page_of"]

_DOCS: Final = "https://kueue.sigs.k8s.io/docs/concepts/"

#: What kind of control a field has. A ``cohort`` or ``queue`` is chosen from those of the draft;
#: ``levels`` are the node labels of a topology, with commas; ``labels``, ``taints`` and a
#: ``selector`` are written as ``kubectl`` writes them.
Form: TypeAlias = Literal[
    "choice",
    "quantity",
    "integer",
    "text",
    "levels",
    "labels",
    "taints",
    "selector",
    "cohort",
    "queue",
    "checks",
]


@dataclass(frozen=True, slots=True)
class FormField:
    """A field of a form.

    Attributes
    ----------
    path
        The field, as Kueue names it.
    form
        The kind of its control.
    meaning
        The id of the sentence that says what it is for.
    page
        The page of Kueue's documentation.
    """

    path: str
    form: Form
    meaning: str
    page: str

    @property
    def label(self) -> str:
        """Its path without ``spec``."""
        return self.path.removeprefix("spec.")

    @property
    def url(self) -> str:
        """The address of the page."""
        return _DOCS + self.page


def _field(path: str, form: Form, page: str) -> FormField:
    return FormField(path, form, f"session.build.meaning.{path.removeprefix('spec.')}", page)


_QUEUE: Final = "cluster_queue/"
_FAIR: Final = _field("spec.fairSharing.weight", "quantity", "preemption/#fair-sharing")
_STOP: Final = _field("spec.stopPolicy", "choice", f"{_QUEUE}#stoppolicy")

#: The fields of the form of each kind, in the order in which they are shown.
FIELDS: Final[Mapping[str, tuple[FormField, ...]]] = {
    "ClusterQueue": (
        _field("spec.cohortName", "cohort", f"{_QUEUE}#cohort"),
        _field("spec.queueingStrategy", "choice", f"{_QUEUE}#queueing-strategy"),
        _field("spec.preemption.withinClusterQueue", "choice", f"{_QUEUE}#preemption"),
        _field("spec.preemption.reclaimWithinCohort", "choice", f"{_QUEUE}#preemption"),
        _field("spec.preemption.borrowWithinCohort.policy", "choice", f"{_QUEUE}#preemption"),
        _field(
            "spec.preemption.borrowWithinCohort.maxPriorityThreshold",
            "integer",
            f"{_QUEUE}#preemption",
        ),
        _field("spec.flavorFungibility.whenCanBorrow", "choice", f"{_QUEUE}#flavorfungibility"),
        _field("spec.flavorFungibility.whenCanPreempt", "choice", f"{_QUEUE}#flavorfungibility"),
        _field("spec.flavorFungibility.preference", "choice", f"{_QUEUE}#flavorfungibility"),
        _field("spec.namespaceSelector", "selector", f"{_QUEUE}#namespace-selector"),
        _FAIR,
        _field("spec.admissionScope.admissionMode", "choice", "admission_fair_sharing/"),
        _STOP,
        _field(
            "spec.admissionChecksStrategy.admissionChecks", "checks", f"{_QUEUE}#admissionchecks"
        ),
    ),
    "Cohort": (
        _field("spec.parentName", "cohort", "cohort/#hierarchical-cohorts"),
        _FAIR,
    ),
    "LocalQueue": (
        _field("spec.clusterQueue", "queue", "local_queue/"),
        _STOP,
        _FAIR,
    ),
    "ResourceFlavor": (
        _field("spec.nodeLabels", "labels", "resource_flavor/"),
        _field("spec.nodeTaints", "taints", "resource_flavor/"),
        _field("spec.topologyName", "text", "topology_aware_scheduling/#admin-facing-apis"),
    ),
    "AdmissionCheck": (
        _field("spec.controllerName", "text", "admission_check/"),
        _field("spec.parameters.apiGroup", "text", "admission_check/"),
        _field("spec.parameters.kind", "text", "admission_check/"),
        _field("spec.parameters.name", "text", "admission_check/"),
    ),
    "Topology": (_field("spec.levels", "levels", "topology_aware_scheduling/#admin-facing-apis"),),
    "WorkloadPriorityClass": (
        _field("value", "integer", "workload_priority_class/"),
        _field("description", "text", "workload_priority_class/"),
    ),
}

#: The fields of a resource in a resource group.
QUOTA_FIELDS: Final = (
    _field("nominalQuota", "quantity", f"{_QUEUE}#flavors-and-resources"),
    _field("borrowingLimit", "quantity", f"{_QUEUE}#borrowinglimit"),
    _field("lendingLimit", "quantity", f"{_QUEUE}#lendinglimit"),
)


@cache
def choices_of(kind: str, path: str) -> tuple[str, ...]:
    """Return what a field may say, as the API server knows it.

    Examples
    --------
    >>> choices_of("ClusterQueue", "spec.stopPolicy")
    ('None', 'Hold', 'HoldAndDrain')
    """
    shape = record_of(RELEASE.api_version, kind)
    for name in path.split("."):
        shape = shape.fields[name].shape
    return shape.choices


def page_of(kind: str) -> str:
    """Return the address of Kueue's page on a kind."""
    pages = {"ClusterQueue": "cluster_queue/", "Cohort": "cohort/", "LocalQueue": "local_queue/"}
    pages |= {"ResourceFlavor": "resource_flavor/", "AdmissionCheck": "admission_check/"}
    pages["Topology"] = "topology_aware_scheduling/"
    return _DOCS + pages.get(kind, "workload_priority_class/")
