"""Rules about Kueue's Configuration and its feature gates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from kueuelab.lint.rule import REMOVE, Edit, Found, Level, Rule
from kueuelab.lint.rules.checks import MULTIKUEUE
from kueuelab.lint.rules.written import annotations_of, mapping
from kueuelab.lint.subject import Subject
from kueuelab.manifests.jobs import constants
from kueuelab.manifests.jobs.cluster_context import labels_of
from kueuelab.manifests.jobs.kinds import JOB_KINDS
from kueuelab.model import AdmissionCheck, MultiKueueCluster, ResourceFlavor
from kueuelab.model.times import SECOND
from kueuelab.whatif.advice.places import CONFIGURATION
from kueuelab.whatif.references import Reference

__all__ = ["RULES"]

_HOUR: Final = 3600 * SECOND
_Use = tuple[Reference, str]


def _with_topology(subject: Subject) -> Iterator[_Use]:
    for flavor in subject.of_kind(ResourceFlavor):
        if flavor.topology_name:
            yield Reference.of(flavor), "spec.topologyName"


def _with_min_count(subject: Subject) -> Iterator[_Use]:
    for workload in subject.setting.workloads:
        if any(each.min_count is not None for each in workload.pod_sets):
            yield subject.author_of(workload)[0], ""


def _with_multikueue(subject: Subject) -> Iterator[_Use]:
    for check in subject.of_kind(AdmissionCheck):
        if check.controller_name == MULTIKUEUE:
            yield Reference.of(check), "spec.controllerName"


def _with_cluster_profile(subject: Subject) -> Iterator[_Use]:
    for cluster in subject.of_kind(MultiKueueCluster):
        if cluster.cluster_profile:
            yield Reference.of(cluster), "spec.clusterSource.clusterProfileRef"


def _with_concurrent_admission(subject: Subject) -> Iterator[_Use]:
    for queue in subject.queues.values():
        if queue.concurrent_admission is not None:
            yield Reference.of(queue), "spec.concurrentAdmissionPolicy"


def _with_spark(subject: Subject) -> Iterator[_Use]:
    for reference, obj in subject.manifests:
        queued = constants.QUEUE_NAME in labels_of(obj)
        if reference.kind == "SparkApplication" and queued:
            yield reference, ""


def _with_elastic_jobs(subject: Subject) -> Iterator[_Use]:
    for reference, obj in subject.manifests:
        written = annotations_of(obj).get(constants.ELASTIC_JOB)
        if str(written).lower() == "true":
            yield reference, f"metadata.annotations[{constants.ELASTIC_JOB}]"


def _with_fungibility(subject: Subject) -> Iterator[_Use]:
    for reference, obj in subject.manifests:
        written = mapping(obj.get("spec")).get("flavorFungibility")
        if reference.kind == "ClusterQueue" and written:
            yield reference, "spec.flavorFungibility"


#: What uses a gate.
_USES: Final[tuple[tuple[str, Callable[[Subject], Iterator[_Use]]], ...]] = (
    ("TopologyAwareScheduling", _with_topology),
    ("PartialAdmission", _with_min_count),
    ("MultiKueue", _with_multikueue),
    ("MultiKueueClusterProfile", _with_cluster_profile),
    ("ConcurrentAdmission", _with_concurrent_admission),
    ("SparkApplicationIntegration", _with_spark),
    ("ElasticJobsViaWorkloadSlices", _with_elastic_jobs),
    ("FlavorFungibility", _with_fungibility),
)


def _gate_needed(subject: Subject) -> Iterator[Found]:
    """What is written needs a gate that is off."""
    if not subject.has_configuration:
        return
    for gate, uses in _USES:
        if not subject.configuration.gates[gate]:
            for reference, field in uses(subject):
                yield Found(reference, field, {"gate": gate})


def _gate_at_default(subject: Subject) -> Iterator[Found]:
    """A gate that is set to its default."""
    release = subject.configuration.release
    for name, value in subject.configuration.gates.overrides.items():
        gate = release.gates[name]
        if gate.default == value:
            field = f"featureGates.{name}"
            values = {"gate": name, "value": str(value).lower(), "release": release.version}
            yield Found(CONFIGURATION, field, values, edits=(Edit(field, REMOVE),))


def _deprecated_gate(subject: Subject) -> Iterator[Found]:
    """A gate that a later release removes."""
    release = subject.configuration.release
    for name, value in subject.configuration.gates.overrides.items():
        if release.gates[name].stage == "Deprecated" and value != release.gates[name].default:
            yield Found(CONFIGURATION, f"featureGates.{name}", {"gate": name})


def _one_strategy(subject: Subject) -> Iterator[Found]:
    """Only the strategy of fair sharing that looks at the share before the preemption."""
    sharing = subject.configuration.fair_sharing
    if sharing is not None and sharing.preemption_strategies == ("LessThanInitialShare",):
        yield Found(CONFIGURATION, "fairSharing.preemptionStrategies")


def _excluded_input(subject: Subject) -> Iterator[Found]:
    """A resource that is excluded and would be transformed."""
    resources = subject.configuration.resources
    for index, rule in enumerate(resources.transformations):
        prefixes = resources.exclude_resource_prefixes
        if prefixes and rule.input.startswith(prefixes):
            field = f"resources.transformations[{index}].input"
            yield Found(CONFIGURATION, field, {"input": rule.input})


def _broad_prefix(subject: Subject) -> Iterator[Found]:
    """A prefix that excludes cpu, memory or pods as well."""
    prefixes = subject.configuration.resources.exclude_resource_prefixes
    for index, prefix in enumerate(prefixes):
        hit = [name for name in ("cpu", "memory", "pods") if name.startswith(prefix)]
        if hit and prefix not in hit:
            values = {"prefix": prefix, "resources": ", ".join(hit)}
            yield Found(CONFIGURATION, f"resources.excludeResourcePrefixes[{index}]", values)


def _short_retention(subject: Subject) -> Iterator[Found]:
    """Finished workloads that are deleted before people look at them."""
    kept = subject.configuration.retention_after_finished
    if kept is not None and kept < _HOUR:
        field = "objectRetentionPolicies.workloads.afterFinished"
        yield Found(CONFIGURATION, field)


def _unknown_framework(subject: Subject) -> Iterator[Found]:
    """A framework that is enabled behind a gate that is off."""
    names = mapping(subject.written_configuration.get("integrations")).get("frameworks")
    for index, name in enumerate(names if isinstance(names, list) else ()):
        for kind in JOB_KINDS.values():
            gate = kind.feature_gate
            if kind.framework == name and gate and not subject.configuration.gates[gate]:
                values = {"framework": name, "gate": gate}
                yield Found(CONFIGURATION, f"integrations.frameworks[{index}]", values)


RULES: Final = (
    Rule("KL901", "gate-needed", Level.ERROR, _gate_needed, "getting-started/installation"),
    Rule(
        "KL902",
        "gate-at-default",
        Level.NOTE,
        _gate_at_default,
        "getting-started/installation",
        is_safe=True,
    ),
    Rule(
        "KL903",
        "deprecated-gate",
        Level.WARNING,
        _deprecated_gate,
        "getting-started/installation",
    ),
    Rule("KL904", "initial-share-alone", Level.NOTE, _one_strategy, "concepts/preemption"),
    Rule("KL905", "excluded-transformation", Level.WARNING, _excluded_input, "kueue#16053"),
    Rule(
        "KL906",
        "broad-exclude-prefix",
        Level.WARNING,
        _broad_prefix,
        "reference/kueue-config.v1beta2",
    ),
    Rule(
        "KL907",
        "short-retention",
        Level.NOTE,
        _short_retention,
        "tasks/manage/setup_object_retention_policy",
    ),
    Rule(
        "KL908",
        "framework-behind-gate",
        Level.ERROR,
        _unknown_framework,
        "tasks/run/kubeflow/sparkapplications",
    ),
)
