"""Rules about fair sharing, of ClusterQueues and of LocalQueues."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kueuelab.lint.rule import Edit, Found, Level, Rule
from kueuelab.lint.subject import Subject
from kueuelab.whatif.advice.places import CONFIGURATION
from kueuelab.whatif.references import Reference

__all__ = ["RULES"]

_BY_USAGE: Final = "UsageBasedAdmissionFairSharing"
_WEIGHT: Final = "spec.fairSharing.weight"


def _zero_weight(subject: Subject) -> Iterator[Found]:
    """A weight of 0 on what has quota of its own."""
    if subject.has_configuration and not subject.configuration.fair_sharing_enabled:
        return
    for queue in subject.queues.values():
        node = subject.tree.cluster_queues[queue.name]
        if queue.fair_weight == 0 and any(quota.nominal for quota in node.quotas.values()):
            yield _weightless(Reference.of(queue))
    for cohort in subject.cohorts.values():
        above = subject.tree.cohorts[cohort.name]
        if cohort.fair_weight == 0 and any(quota.nominal for quota in above.quotas.values()):
            yield _weightless(Reference.of(cohort))


def _weightless(holder: Reference) -> Found:
    return Found(holder, _WEIGHT, {"object": str(holder)}, edits=(Edit(_WEIGHT, "100m"),))


def _weight_without_fair_sharing(subject: Subject) -> Iterator[Found]:
    """A weight, and a Configuration without fair sharing."""
    if not subject.has_configuration or subject.configuration.fair_sharing_enabled:
        return
    for holder in subject.holders:
        if holder.fair_weight is not None:
            values = {
                "object": str(Reference.of(holder)),
                "weight": f"{float(holder.fair_weight):g}",
            }
            edits = (Edit("spec.fairSharing"),)
            yield Found(Reference.of(holder), _WEIGHT, values, edits=edits)


def _local_weight_without_scope(subject: Subject) -> Iterator[Found]:
    """A weight of a LocalQueue whose ClusterQueue does not order by usage."""
    for key, local_queue in subject.setting.local_queues.items():
        queue = subject.queues.get(local_queue.cluster_queue)
        if queue is None or local_queue.fair_weight is None:
            continue
        if queue.admission_mode != _BY_USAGE:
            values = {"local": key, "queue": queue.name}
            yield Found(Reference.of(local_queue), _WEIGHT, values)


def _scope_without_configuration(subject: Subject) -> Iterator[Found]:
    """Admission by usage, and a Configuration without admission fair sharing."""
    configuration = subject.configuration
    enabled = configuration.admission_fair_sharing is not None
    if not subject.has_configuration or (enabled and configuration.gates["AdmissionFairSharing"]):
        return
    for queue in subject.queues.values():
        if queue.admission_mode == _BY_USAGE:
            form = "gate" if enabled else ""
            values = {"queue": queue.name}
            yield Found(Reference.of(queue), "spec.admissionScope", values, form)


def _zero_local_weight(subject: Subject) -> Iterator[Found]:
    """A LocalQueue of weight 0 in a ClusterQueue that orders by usage."""
    for key, local_queue in subject.setting.local_queues.items():
        queue = subject.queues.get(local_queue.cluster_queue)
        if queue is not None and queue.admission_mode == _BY_USAGE and local_queue.fair_weight == 0:
            edits = (Edit(_WEIGHT, "100m"),)
            yield Found(Reference.of(local_queue), _WEIGHT, {"local": key}, edits=edits)


def _no_half_life(subject: Subject) -> Iterator[Found]:
    """A half-life of 0, by which no usage is remembered."""
    sharing = subject.configuration.admission_fair_sharing
    if sharing is not None and sharing.usage_half_life_time == 0:
        yield Found(CONFIGURATION, "admissionFairSharing.usageHalfLifeTime")


def _rare_samples(subject: Subject) -> Iterator[Found]:
    """Samples of usage that are further apart than its half-life."""
    sharing = subject.configuration.admission_fair_sharing
    if sharing is None or not sharing.usage_half_life_time:
        return
    if sharing.usage_sampling_interval > sharing.usage_half_life_time:
        yield Found(CONFIGURATION, "admissionFairSharing.usageSamplingInterval")


def _weight_of_unknown_resource(subject: Subject) -> Iterator[Found]:
    """A weight of a resource that no ClusterQueue has quota for."""
    sharing = subject.configuration.admission_fair_sharing
    if sharing is None or not subject.covered:
        return
    for name in sharing.resource_weights:
        if name not in subject.covered:
            field = "admissionFairSharing.resourceWeights"
            yield Found(CONFIGURATION, field, {"resource": name})


RULES: Final = (
    Rule(
        "KL401",
        "zero-weight-with-quota",
        Level.WARNING,
        _zero_weight,
        "kueue#4961, concepts/fair_sharing",
    ),
    Rule(
        "KL402",
        "weight-without-fair-sharing",
        Level.NOTE,
        _weight_without_fair_sharing,
        "concepts/fair_sharing",
    ),
    Rule(
        "KL403",
        "local-weight-without-scope",
        Level.WARNING,
        _local_weight_without_scope,
        "concepts/admission_fair_sharing",
    ),
    Rule(
        "KL404",
        "admission-scope-without-configuration",
        Level.WARNING,
        _scope_without_configuration,
        "concepts/admission_fair_sharing",
    ),
    Rule(
        "KL405",
        "zero-local-weight",
        Level.WARNING,
        _zero_local_weight,
        "kueue#13479, concepts/admission_fair_sharing",
    ),
    Rule("KL406", "no-usage-half-life", Level.WARNING, _no_half_life, "KEP-4136"),
    Rule("KL407", "usage-sampled-too-rarely", Level.NOTE, _rare_samples, "KEP-4136"),
    Rule(
        "KL408",
        "weight-of-unknown-resource",
        Level.WARNING,
        _weight_of_unknown_resource,
        "concepts/admission_fair_sharing",
    ),
)
