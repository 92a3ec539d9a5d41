"""A seeded dump of a large cluster, as ``kubectl get -o yaml`` and ``-o json`` write it.

Three levels of Cohorts, and ClusterQueues below them; workloads that hold quota and workloads
that are pending. The cluster is almost at rest, as a real one is: what preemption could free
has been freed before, apart from a few workloads that have just arrived. One division in five
lends to the others, and in every other division one department in five; no queue of theirs
reclaims. All other queues use their nominal quota, and borrow.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final, TextIO

from kueuelab.manifests.jobs.constants import JOB_UID
from kueuelab.model.times import SECOND, format_time, parse_time

__all__ = ["DumpShape", "dump_objects", "write_dump"]

_Json = dict[str, Any]

_KUEUE: Final = "kueue.x-k8s.io/v1beta2"
_TAKEN_AT: Final = parse_time("2026-06-01T12:00:00Z")
_QUEUES_OF_A_COHORT: Final = 10

#: Of ten ClusterQueues, how many have which policy.
_WITHIN: Final = ("Never",) * 4 + ("LowerPriority",) * 4 + ("LowerOrNewerEqualPriority",) * 2
_RECLAIM: Final = ("Never",) * 5 + ("LowerPriority",) * 2 + ("Any",) * 3
#: One in so many divisions, and departments of the others, lends.
_LENDERS: Final = 5
#: One in so many ClusterQueues has a workload that has just arrived.
_RECENT: Final = 100


@dataclass(frozen=True, slots=True)
class DumpShape:
    """How large the cluster is; workloads are so many for each ClusterQueue.

    Examples
    --------
    >>> DumpShape(queues=1000).workloads
    30000
    """

    queues: int = 1000
    pending: int = 20
    admitted: int = 10
    seed: int = 0

    @property
    def workloads(self) -> int:
        """How many workloads there are in all."""
        return self.queues * (self.pending + self.admitted)


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a workload asks for: each of its pods, and the flavor in which it runs."""

    name: str
    pods: int
    requests: dict[str, int]
    flavor: str


_KINDS: Final = (
    _Kind("small", 1, {"cpu": 2, "memory": 8}, "on-demand"),
    _Kind("batch", 1, {"cpu": 4, "memory": 8}, "spot"),
    _Kind("medium", 4, {"cpu": 2, "memory": 4}, "on-demand"),
    _Kind("large", 8, {"cpu": 4, "memory": 16}, "spot"),
    _Kind("gpu", 1, {"cpu": 8, "memory": 64, "nvidia.com/gpu": 2}, "on-demand"),
)
#: A queue with as many workloads as this, of these kinds, uses its nominal quota.
_NOMINAL: Final = (0, 0, 0, 1, 1, 2, 2, 0, 3, 4)


@dataclass(frozen=True, slots=True)
class _Queue:
    """A ClusterQueue, its policies, and the kinds of workloads that it has admitted."""

    name: str
    cohort: str
    within: str
    reclaim: str
    admitted: list[_Kind]
    recent: bool


def dump_objects(shape: DumpShape) -> Iterator[_Json]:
    """Yield the objects of a dump, the same for the same shape.

    Examples
    --------
    >>> kinds = [obj["kind"] for obj in dump_objects(DumpShape(queues=4, pending=2, admitted=1))]
    >>> kinds.count("ClusterQueue"), kinds.count("Workload")
    (4, 12)
    """
    random = Random(shape.seed)
    for name in ("on-demand", "spot", "a100"):
        yield _object("kueue.x-k8s.io/v1beta2", "ResourceFlavor", {"name": name}, {})
    for priority in (0, 100, 200, 300):
        yield {
            "apiVersion": _KUEUE,
            "kind": "WorkloadPriorityClass",
            "metadata": {"name": f"priority-{priority}"},
            "value": priority,
        }
    yield from _cohorts(shape)
    queues = _queues(shape, random)
    nominal = _nominal_kinds(shape)
    for queue in queues:
        yield _cluster_queue(queue, nominal)
        metadata = {"name": "main", "namespace": queue.name}
        yield _object(_KUEUE, "LocalQueue", metadata, {"clusterQueue": queue.name})
    for queue in queues:
        for number, kind in enumerate(queue.admitted):
            # One that has just arrived takes the place of another of its size, and no more.
            priority = (200 if number else 100) if queue.recent else random.choice((100, 200))
            yield _workload(queue, number, kind, priority, random, admitted=True)
        for number in range(len(queue.admitted), len(queue.admitted) + shape.pending):
            recent = queue.recent and number == len(queue.admitted)
            kind = nominal[0] if recent else random.choice(nominal)
            priority = 300 if recent else random.choice((0, 0, 100))
            yield _workload(queue, number, kind, priority, random, admitted=False)


def write_dump(shape: DumpShape, stream: TextIO) -> None:
    """Write a dump as one JSON list, like ``kubectl get -o json``."""
    objects = list(dump_objects(shape))
    json.dump({"apiVersion": "v1", "kind": "List", "items": objects}, stream, indent=4)


def write_yaml_dump(shape: DumpShape, stream: TextIO) -> None:
    """Write a dump as YAML documents, like ``kubectl get -o yaml`` object by object."""
    from kueuelab.manifests.writing import write_yaml

    separator = ""
    for obj in dump_objects(shape):
        stream.write(separator + write_yaml([obj]))
        separator = "---\n"


def write_dumps(shape: DumpShape, folder: Path) -> tuple[Path, Path]:
    """Write a dump as ``dump.yaml`` and ``dump.json``, and return the two files."""
    files = folder / "dump.yaml", folder / "dump.json"
    for file, write in zip(files, (write_yaml_dump, write_dump), strict=True):
        with file.open("w", encoding="utf-8") as stream:
            write(shape, stream)
    return files


# --- the tree --------------------------------------------------------------------------------


def _cohorts(shape: DumpShape) -> Iterator[_Json]:
    departments = -(-shape.queues // _QUEUES_OF_A_COHORT)
    yield _object(_KUEUE, "Cohort", {"name": "company"}, {})
    for number in range(-(-departments // _QUEUES_OF_A_COHORT)):
        yield _object(_KUEUE, "Cohort", {"name": f"division-{number}"}, {"parentName": "company"})
    for number in range(departments):
        parent = f"division-{number // _QUEUES_OF_A_COHORT}"
        yield _object(_KUEUE, "Cohort", {"name": f"department-{number}"}, {"parentName": parent})


def _nominal_kinds(shape: DumpShape) -> list[_Kind]:
    """Return the kinds of the workloads that fit into the nominal quota of a queue."""
    return [_KINDS[_NOMINAL[at % len(_NOMINAL)]] for at in range(shape.admitted)]


def _queues(shape: DumpShape, random: Random) -> list[_Queue]:
    """Make the queues; what lenders don't use is used by the others."""
    queues = [_queue(shape, number, random) for number in range(shape.queues)]
    lent: dict[str, list[_Kind]] = {}
    for number, queue in enumerate(queues):
        if _lends(number):
            division = "" if _division_lends(number) else str(_division(number))
            random.shuffle(queue.admitted)
            for _ in range(random.randrange(len(queue.admitted) // 2 + 1)):
                lent.setdefault(division, []).append(queue.admitted.pop())
    borrowers = [at for at in range(shape.queues) if not _lends(at)]
    for division, kinds in lent.items():
        # What a department lends is used in its division, what a division lends in any other.
        near = [at for at in borrowers if not division or str(_division(at)) == division]
        for kind in kinds:
            if near:
                queues[random.choice(near)].admitted.append(kind)
    return queues


def _queue(shape: DumpShape, number: int, random: Random) -> _Queue:
    within, reclaim = random.choice(_WITHIN), random.choice(_RECLAIM)
    recent = number % _RECENT == 0
    return _Queue(
        f"team-{number}",
        f"department-{_department(number)}",
        "LowerPriority" if recent else within,
        "Never" if _lends(number) else reclaim,
        _nominal_kinds(shape),
        recent,
    )


def _department(queue: int) -> int:
    return queue // _QUEUES_OF_A_COHORT


def _division(queue: int) -> int:
    return _department(queue) // _QUEUES_OF_A_COHORT


def _division_lends(queue: int) -> bool:
    return _division(queue) % _LENDERS == _LENDERS - 1


def _lends(queue: int) -> bool:
    return _division_lends(queue) or _department(queue) % _LENDERS == _LENDERS - 1


def _cluster_queue(queue: _Queue, nominal: list[_Kind]) -> _Json:
    def quota(flavor: str, *resources: str) -> _Json:
        amounts = {
            resource: sum(
                kind.requests.get(resource, 0) * kind.pods
                for kind in nominal
                if flavor in (kind.flavor, "a100")
            )
            for resource in resources
        }
        listed = [
            {"name": resource, "nominalQuota": _amount(resource, amount)}
            for resource, amount in amounts.items()
        ]
        return {"name": flavor, "resources": listed}

    spec: _Json = {
        "cohortName": queue.cohort,
        "flavorFungibility": {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"},
        "namespaceSelector": {},
        "preemption": {
            "borrowWithinCohort": {"policy": "Never"},
            "reclaimWithinCohort": queue.reclaim,
            "withinClusterQueue": queue.within,
        },
        "queueingStrategy": "BestEffortFIFO",
        "resourceGroups": [
            {
                "coveredResources": ["cpu", "memory"],
                "flavors": [quota(flavor, "cpu", "memory") for flavor in ("on-demand", "spot")],
            },
            {"coveredResources": ["nvidia.com/gpu"], "flavors": [quota("a100", "nvidia.com/gpu")]},
        ],
        "stopPolicy": "None",
    }
    return _object(_KUEUE, "ClusterQueue", {"name": queue.name}, spec)


def _object(version: str, kind: str, metadata: _Json, spec: _Json) -> _Json:
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}


def _amount(resource: str, amount: int) -> str:
    return f"{amount}Gi" if resource == "memory" else str(amount)


# --- workloads -------------------------------------------------------------------------------


def _workload(
    queue: _Queue, number: int, kind: _Kind, priority: int, random: Random, *, admitted: bool
) -> _Json:
    """Make a workload: it holds quota, or is pending."""
    job = f"{kind.name}-{number}"
    uid, job_uid = (f"{random.getrandbits(128):032x}" for _ in range(2))
    uid, job_uid = (f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}" for h in (uid, job_uid))
    age = random.randrange(3600, 7200) if admitted else random.randrange(60, 3600)
    created = format_time(_TAKEN_AT - age * SECOND)
    requests = {name: _amount(name, amount) for name, amount in kind.requests.items()}
    return {
        "apiVersion": _KUEUE,
        "kind": "Workload",
        "metadata": {
            "creationTimestamp": created,
            "finalizers": ["kueue.x-k8s.io/resource-in-use"],
            "generation": 1,
            "labels": {JOB_UID: job_uid},
            "name": f"job-{job}-{uid[:5]}",
            "namespace": queue.name,
            "ownerReferences": [
                {
                    "apiVersion": "batch/v1",
                    "blockOwnerDeletion": True,
                    "controller": True,
                    "kind": "Job",
                    "name": job,
                    "uid": job_uid,
                }
            ],
            "resourceVersion": str(random.randrange(10**6, 10**7)),
            "uid": uid,
        },
        "spec": {
            "active": True,
            "podSets": [
                {
                    "count": kind.pods,
                    "name": "main",
                    "template": {
                        "metadata": {"labels": {"batch.kubernetes.io/job-name": job}},
                        "spec": {
                            "containers": [
                                {
                                    "args": ["--epochs", str(random.randrange(1, 100))],
                                    "image": f"registry.example.com/{queue.name}/train:v2",
                                    "imagePullPolicy": "IfNotPresent",
                                    "name": "main",
                                    "resources": {"requests": requests},
                                }
                            ],
                            "restartPolicy": "Never",
                        },
                    },
                }
            ],
            "priority": priority,
            "priorityClassRef": {
                "group": "kueue.x-k8s.io",
                "kind": "WorkloadPriorityClass",
                "name": f"priority-{priority}",
            },
            "queueName": "main",
        },
        "status": _status(queue, kind, created, admitted=admitted),
    }


def _status(queue: _Queue, kind: _Kind, time: str, *, admitted: bool) -> _Json:
    if not admitted:
        message = "couldn't assign flavors to pod set main: insufficient unused quota"
        return {"conditions": [_condition("QuotaReserved", "False", "Pending", message, time)]}
    flavors = {
        name: "a100" if name == "nvidia.com/gpu" else kind.flavor for name in sorted(kind.requests)
    }
    usage = {name: _amount(name, kind.requests[name] * kind.pods) for name in flavors}
    reserved = f"Quota reserved in ClusterQueue {queue.name}"
    return {
        "admission": {
            "clusterQueue": queue.name,
            "podSetAssignments": [
                {
                    "count": kind.pods,
                    "flavors": flavors,
                    "name": "main",
                    "resourceUsage": usage,
                }
            ],
        },
        "conditions": [
            _condition("QuotaReserved", "True", "QuotaReserved", reserved, time),
            _condition("Admitted", "True", "Admitted", "The workload is admitted", time),
        ],
    }


def _condition(type_: str, status: str, reason: str, message: str, time: str) -> _Json:
    return {
        "lastTransitionTime": time,
        "message": message,
        "observedGeneration": 1,
        "reason": reason,
        "status": status,
        "type": type_,
    }
