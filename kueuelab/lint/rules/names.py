"""Rules about names: of objects that are not there, and objects that are not named."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from kueuelab.lint.rule import Found, Level, Rule
from kueuelab.lint.rules.advised import advised, found_by_advice
from kueuelab.lint.subject import Subject
from kueuelab.messages import Message
from kueuelab.model import AdmissionCheck
from kueuelab.whatif.advice import names
from kueuelab.whatif.references import Reference

__all__ = ["RULES"]

#: Kubernetes has PriorityClasses of its own, such as ``system-node-critical``.
_OF_EACH_CLUSTER: Final = "system-"


def _missing(*kinds: str) -> Callable[[Subject], Iterator[Found]]:
    """Return a check for names of objects of these kinds that are not there.

    It says nothing where the input has no object of the kind at all.
    """

    def check(subject: Subject) -> Iterator[Found]:
        present = {each.kind for each in subject.setting.present}
        for each in subject.missing_objects:
            values = each.what.values if isinstance(each.what, Message) else {}
            kind, name = values.get("kind"), str(values.get("name"))
            if kind == "PriorityClass" and name.startswith(_OF_EACH_CLUSTER):
                continue
            if kind in kinds and kind in present:
                yield found_by_advice(each)

    return check


def _unused_flavor(subject: Subject) -> Iterator[Found]:
    """A flavor that no ClusterQueue and no Cohort lists."""
    listed = {
        flavor.name
        for holder in subject.holders
        for group in holder.resource_groups
        for flavor in group.flavors
    }
    if not listed:
        return
    for name in subject.setting.flavors:
        if name not in listed:
            yield Found(Reference("ResourceFlavor", "", name), "", {"flavor": name})


def _unused_check(subject: Subject) -> Iterator[Found]:
    """An AdmissionCheck that no ClusterQueue has."""
    if not subject.queues:
        return
    listed = {rule.name for queue in subject.queues.values() for rule in queue.admission_checks}
    for check in subject.of_kind(AdmissionCheck):
        if check.metadata.name not in listed:
            yield Found(Reference.of(check), "", {"check": check.metadata.name})


def _unused_topology(subject: Subject) -> Iterator[Found]:
    """A Topology that no flavor has."""
    flavors = subject.setting.flavors.values()
    listed = {flavor.topology_name for flavor in flavors}
    if not flavors:
        return
    for name, topology in subject.topologies.items():
        if name not in listed:
            yield Found(Reference.of(topology), "", {"topology": name})


RULES: Final = (
    Rule(
        "KL501",
        "missing-flavor",
        Level.ERROR,
        _missing("ResourceFlavor"),
        "concepts/resource_flavor",
    ),
    Rule(
        "KL502",
        "missing-cluster-queue",
        Level.ERROR,
        _missing("ClusterQueue"),
        "concepts/local_queue",
    ),
    Rule(
        "KL503",
        "missing-local-queue",
        Level.ERROR,
        _missing("LocalQueue"),
        "concepts/local_queue",
    ),
    Rule("KL504", "missing-topology", Level.ERROR, _missing("Topology"), "concepts/topology"),
    Rule(
        "KL505",
        "missing-admission-check",
        Level.ERROR,
        _missing("AdmissionCheck"),
        "concepts/cluster_queue#admissionchecks",
    ),
    Rule(
        "KL506",
        "missing-check-parameters",
        Level.ERROR,
        _missing("MultiKueueConfig", "ProvisioningRequestConfig"),
        "concepts/admission_check/provisioning_request, concepts/admission_check/multikueue",
    ),
    Rule(
        "KL507",
        "missing-multikueue-cluster",
        Level.ERROR,
        _missing("MultiKueueCluster"),
        "concepts/admission_check/multikueue",
    ),
    Rule(
        "KL508",
        "missing-priority-class",
        Level.ERROR,
        _missing("WorkloadPriorityClass", "PriorityClass"),
        "concepts/workload_priority_class",
    ),
    Rule(
        "KL509",
        "missing-runtime-class",
        Level.WARNING,
        _missing("RuntimeClass"),
        "concepts/workload",
    ),
    Rule(
        "KL510",
        "stopped-queue",
        Level.NOTE,
        advised(names.stopped_queues, "None"),
        "concepts/cluster_queue#stoppolicy",
    ),
    Rule("KL511", "unused-flavor", Level.NOTE, _unused_flavor, "concepts/resource_flavor"),
    Rule(
        "KL512",
        "unused-admission-check",
        Level.NOTE,
        _unused_check,
        "concepts/cluster_queue#admissionchecks",
    ),
    Rule("KL513", "unused-topology", Level.NOTE, _unused_topology, "concepts/topology"),
)
