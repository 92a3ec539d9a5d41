"""Why a cluster's run differs from the lab's although every decision is the same.

A decision that is never made cannot be compared with the lab's. A decision about jobs or
queues that the cluster changed cannot be compared either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from kueuelab.live.assigned_flavors import assigned_flavors, flavors_text
from kueuelab.live.conditions import pending_message
from kueuelab.live.job_courses import jobs_of
from kueuelab.live.mirror import Mirror
from kueuelab.live.passive_cluster import passive_cluster
from kueuelab.live.retiming import submissions
from kueuelab.manifests import ScenarioSpec
from kueuelab.manifests.scenario import Apply, Remove
from kueuelab.messages import Message
from kueuelab.model import Workload
from kueuelab.quantity import Quantity
from kueuelab.scheduler import Entry
from kueuelab.simulation.objects import kind_of
from kueuelab.trace.attempt_message import resumed_after, was_skipped
from kueuelab.workload import pod_requests

__all__ = ["changed_jobs", "changed_queues", "missing_decisions"]

#: How many cycles are tried at the end: each looks at the heads of all queues.
_CYCLES: Final = 100
#: Kinds that have no status of their own in the model.
_COMPARED: Final = ("ClusterQueue", "Cohort", "ResourceFlavor")


def changed_jobs(spec: ScenarioSpec, workloads: Mapping[str, Workload]) -> Iterator[str]:
    """Yield the jobs whose requests in a cluster differ from the scenario.

    Parameters
    ----------
    spec
        The scenario.
    workloads
        The Workloads of its jobs in the cluster, by job.
    """
    for workload, _ in submissions(spec):
        [job] = jobs_of({workload.key: workload}).values()
        seen = workloads.get(job)
        if seen is None:
            continue
        wanted, there = _requests(workload), _requests(seen)
        # Kueue adds what a LimitRange or a RuntimeClass says.
        there = {name: amount for name, amount in there.items() if name in wanted}
        if there != wanted:
            yield (
                Message("live.compare.requests", job=job, wanted=_text(wanted), found=_text(there))
            )


def changed_queues(spec: ScenarioSpec, mirror: Mirror, cluster: str) -> Iterator[str]:
    """Yield the queues, cohorts and flavors that differ from the scenario in a cluster.

    Parameters
    ----------
    spec
        The scenario. Objects that its timeline changes are left out.
    mirror
        The mirror of the cluster.
    cluster
        The name of the worker; ``""`` for the manager or the only cluster.
    """
    manifests = spec.manifests
    for worker in spec.workers:
        manifests = worker.manifests if worker.name == cluster else manifests
    there = mirror.objects_by_kind()
    touched = set(_touched(spec))
    for kind in _COMPARED:
        found = {obj.metadata.name: obj for obj in there.get(kind, ())}
        for obj in manifests.objects.get(kind, ()):
            name = obj.metadata.name
            if name in found and (kind, name) not in touched:
                # A mirror has the fields that decide; metadata and status are the cluster's.
                same = replace(obj, metadata=found[name].metadata)
                if same != found[name]:
                    yield Message("live.compare.object", kind=kind, name=name)


def _touched(spec: ScenarioSpec) -> Iterator[tuple[str, str]]:
    for action in spec.timeline:
        match action:
            case Apply(objects=objects):
                yield from ((kind_of(obj), obj.metadata.name) for obj in objects)
            case Remove(kind=kind, name=name):
                yield kind, name
            case _:
                pass


def _requests(workload: Workload) -> dict[tuple[str, str], Quantity | int]:
    found: dict[tuple[str, str], Quantity | int] = {}
    for pod_set in workload.pod_sets:
        found[pod_set.name, "pods"] = pod_set.count
        for resource, amount in pod_requests(pod_set.template.spec).items():
            found[pod_set.name, resource] = amount
    return found


def _text(requests: Mapping[tuple[str, str], Quantity | int]) -> str:
    return ", ".join(f"{resource} {amount}" for (_, resource), amount in requests.items())


def missing_decisions(mirror: Mirror, jobs: Mapping[str, str]) -> Iterator[str]:
    """Yield what the lab decides in a cluster that is at rest, and Kueue does not.

    Parameters
    ----------
    mirror
        The mirror of the cluster.
    jobs
        The jobs to check, by the keys of their Workloads there.
    """
    cluster = passive_cluster(mirror.configuration, mirror.now)
    objects = [obj for kind in mirror.objects_by_kind().values() for obj in kind]
    cluster.load((*objects, *mirror.workloads.values()))
    tried: set[str] = set()
    for _ in range(_CYCLES):
        record = cluster.cycle()
        for entry in record.entries:
            if entry.key not in jobs:
                continue
            if (message := _by_memory(entry, mirror.workloads[entry.key])) is not None:
                yield message
                return
            if entry.status == "assumed":
                where = f"{entry.cluster_queue} ({flavors_text(assigned_flavors(entry))})"
                yield Message("live.compare.would-admit", key=entry.key, where=where)
                return
            if entry.targets:
                targets = ", ".join(target.workload.key for target in entry.targets)
                yield Message("live.compare.would-preempt", key=entry.key, targets=targets)
                return
        if not record.heads or tried.issuperset(record.heads):
            return
        tried.update(record.heads)


def _by_memory(entry: Entry, workload: Workload) -> Message | None:
    """Return why Kueue may leave a workload pending for what only its memory has."""
    if entry.queue is None or not (entry.status == "assumed" or entry.targets):
        return None
    groups = [[each.name for each in group.flavors] for group in entry.queue.resource_groups]
    message = pending_message(workload)
    if flavors := resumed_after(message, groups):
        return Message("live.compare.resumed", key=entry.key, flavors=", ".join(flavors))
    if was_skipped(message) and any(len(group) > 1 for group in groups):
        return Message("live.compare.skipped", key=entry.key)
    return None
