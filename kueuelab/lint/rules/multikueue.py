"""Rules about a manager and its workers: of MultiKueue scenarios, and of managers alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kueuelab.lint.rule import Found, Level, Rule
from kueuelab.lint.rules.checks import MULTIKUEUE, checks_of
from kueuelab.lint.rules.written import mapping
from kueuelab.lint.subject import Subject
from kueuelab.manifests.jobs import constants, kind_of
from kueuelab.manifests.jobs.cluster_context import labels_of, metadata_of
from kueuelab.model import (
    ClusterQueue,
    LocalQueue,
    MultiKueueCluster,
    MultiKueueConfig,
    amount_string,
)
from kueuelab.whatif.references import Reference

__all__ = ["RULES"]

#: How far the quota of a manager may be from that of its workers, as a part of theirs.
_NEAR: Final = 0.25


def _delegating(subject: Subject) -> Iterator[ClusterQueue]:
    """Yield the ClusterQueues with a MultiKueue check."""
    for queue in subject.queues.values():
        if checks_of(subject, queue, MULTIKUEUE):
            yield queue


def _quotas(queue: ClusterQueue) -> dict[str, int]:
    """Return the nominal quota of each resource, in all flavors."""
    found: dict[str, int] = {}
    for group in queue.resource_groups:
        for flavor in group.flavors:
            for quota in flavor.resources:
                found[quota.name] = found.get(quota.name, 0) + quota.nominal
    return found


def _far_from_workers(subject: Subject) -> Iterator[Found]:
    """A quota of the manager that is far from what its workers have together."""
    configs = subject.of_kind(MultiKueueConfig)
    if not subject.workers or any(each.quota_management for each in configs):
        return
    for queue in _delegating(subject):
        local_queues = subject.local_queues_by_queue.get(queue.name, ())
        for resource, own in _quotas(queue).items():
            together = sum(
                sum(_quotas(each).get(resource, 0) for each in _counterparts(worker, local_queues))
                for worker in subject.workers
            )
            if together and abs(own - together) > _NEAR * together:
                values = {
                    "resource": resource,
                    "own": amount_string(resource, own),
                    "together": amount_string(resource, together),
                }
                form = "above" if own > together else ""
                yield Found(Reference.of(queue), "spec.resourceGroups", values, form)


def _counterparts(worker: Subject, local_queues: tuple[LocalQueue, ...]) -> Iterator[ClusterQueue]:
    """Yield the ClusterQueues of a worker that jobs of the manager's LocalQueues reach."""
    names = {
        found.cluster_queue
        for each in local_queues
        if (found := worker.setting.local_queues.get(each.key)) is not None
    }
    for name in sorted(names):
        if name in worker.queues:
            yield worker.queues[name]


def _queue_missing(subject: Subject) -> Iterator[Found]:
    """A LocalQueue of the manager that a worker does not have."""
    for queue in _delegating(subject):
        for local_queue in subject.local_queues_by_queue.get(queue.name, ()):
            missing = [
                worker.cluster
                for worker in subject.workers
                if local_queue.key not in worker.setting.local_queues
            ]
            if missing:
                values = {"local": local_queue.key, "workers": ", ".join(missing)}
                yield Found(Reference.of(local_queue), "", values)


def _jobs(subject: Subject) -> Iterator[tuple[Reference, Mapping[str, Any]]]:
    """Yield the jobs that are sent to a ClusterQueue with a MultiKueue check."""
    delegated = {
        each.key
        for queue in _delegating(subject)
        for each in subject.local_queues_by_queue.get(queue.name, ())
    }
    for reference, obj in subject.manifests:
        name = labels_of(obj).get(constants.QUEUE_NAME)
        if f"{reference.namespace}/{name}" in delegated:
            yield reference, obj


def _framework_missing(subject: Subject) -> Iterator[Found]:
    """A job whose kind a worker does not manage."""
    for reference, obj in _jobs(subject):
        kind = kind_of(str(obj.get("apiVersion")), reference.kind)
        if kind is None:
            continue
        missing = [
            worker.cluster
            for worker in subject.workers
            if worker.has_configuration
            and kind.framework not in worker.configuration.enabled_frameworks
        ]
        if missing:
            values = {"framework": kind.framework, "workers": ", ".join(missing)}
            yield Found(reference, f"metadata.labels[{constants.QUEUE_NAME}]", values)


def _not_managed_by(subject: Subject) -> Iterator[Found]:
    """A job that another controller manages, so that it is not delegated."""
    for reference, obj in _jobs(subject):
        kind = kind_of(str(obj.get("apiVersion")), reference.kind)
        support = None if kind is None else kind.multikueue
        if support is None or support.managed_by is None:
            continue
        value: Any = obj
        for name in support.managed_by.split("."):
            value = mapping(value).get(name)
        if value == MULTIKUEUE:
            continue
        values = {"field": support.managed_by, "value": str(value)}
        created = "uid" in metadata_of(obj)
        if value not in (None, "", support.default_controller):
            yield Found(reference, support.managed_by, values)
        elif created:  # Kueue sets the field of a job that is created, and never later
            yield Found(reference, support.managed_by, values, "created")


def _not_delegable(subject: Subject) -> Iterator[Found]:
    """A job of a kind that MultiKueue cannot delegate."""
    for reference, obj in _jobs(subject):
        kind = kind_of(str(obj.get("apiVersion")), reference.kind)
        if kind is not None and kind.multikueue is None:
            field = f"metadata.labels[{constants.QUEUE_NAME}]"
            yield Found(reference, field, {"kind": reference.kind})


def _not_connected(subject: Subject) -> Iterator[Found]:
    """A worker cluster that the manager does not reach."""
    for cluster in subject.of_kind(MultiKueueCluster):
        active = next((each for each in cluster.conditions if each.type == "Active"), None)
        if active is not None and active.status != "True":
            values = {"cluster": cluster.metadata.name, "message": active.message or active.reason}
            yield Found(Reference.of(cluster), "", values)


def _unused_cluster(subject: Subject) -> Iterator[Found]:
    """A MultiKueueCluster that no MultiKueueConfig lists."""
    configs = list(subject.of_kind(MultiKueueConfig))
    listed = {name for config in configs for name in config.clusters}
    for cluster in subject.of_kind(MultiKueueCluster):
        if configs and cluster.metadata.name not in listed:
            yield Found(Reference.of(cluster), "", {"cluster": cluster.metadata.name})


RULES: Final = (
    Rule(
        "KL851",
        "manager-quota-far-from-workers",
        Level.WARNING,
        _far_from_workers,
        "concepts/multikueue",
    ),
    Rule(
        "KL852",
        "queue-missing-on-worker",
        Level.ERROR,
        _queue_missing,
        "concepts/multikueue",
    ),
    Rule(
        "KL853",
        "framework-missing-on-worker",
        Level.ERROR,
        _framework_missing,
        "tasks/manage/setup_multikueue",
    ),
    Rule(
        "KL854",
        "managed-by-another-controller",
        Level.ERROR,
        _not_managed_by,
        "concepts/multikueue",
    ),
    Rule(
        "KL855",
        "kind-without-multikueue",
        Level.ERROR,
        _not_delegable,
        "concepts/multikueue",
    ),
    Rule(
        "KL856",
        "worker-not-connected",
        Level.ERROR,
        _not_connected,
        "tasks/manage/setup_multikueue",
    ),
    Rule(
        "KL857",
        "unused-multikueue-cluster",
        Level.NOTE,
        _unused_cluster,
        "concepts/multikueue",
    ),
)
