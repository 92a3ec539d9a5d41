"""A seeded dump of a large cluster in which one team waits for GPUs, as ``kubectl get`` writes it.

Teams share quota in Cohorts of ten. What they have is in use, and no more is free; the research
team has the longest queue. Nothing is preempted, so that the dump is at rest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

_KUEUE = "kueue.x-k8s.io/v1beta2"
_TAKEN_AT = "2026-06-01T12:00:00Z"
_TEAMS_OF_A_COHORT = 10
#: So many workloads of a team hold quota, and so many are pending.
_ADMITTED, _PENDING = 10, 20
#: The team whose workloads are pending for GPUs, and what it is short of.
TEAM, RESOURCE = "research", "nvidia.com/gpu"

_Json = dict[str, Any]


def large_dump(queues: int = 1_000, seed: int = 0) -> str:
    """Return a dump of so many ClusterQueues, with thirty workloads for each.

    The research team has twice as many as the others, and the last team has none.
    """
    random = Random(seed)
    objects = [*_shared(), *(obj for at in range(queues) for obj in _team(at, queues, random))]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})


def _shared() -> Iterator[_Json]:
    for flavor in ("on-demand", "a100"):
        yield _object("ResourceFlavor", {"name": flavor}, {})


def _team(number: int, queues: int, random: Random) -> Iterator[_Json]:
    name = f"team-{number}" if number else TEAM
    quotas = {"on-demand": ("cpu", _ADMITTED * 4), "a100": (RESOURCE, _ADMITTED)}
    groups = [
        {
            "coveredResources": [resource],
            "flavors": [
                {"name": flavor, "resources": [{"name": resource, "nominalQuota": str(amount)}]}
            ],
        }
        for flavor, (resource, amount) in quotas.items()
    ]
    yield _object(
        "ClusterQueue",
        {"name": name},
        {
            "cohortName": f"department-{number // _TEAMS_OF_A_COHORT}",
            "namespaceSelector": {},
            "resourceGroups": groups,
        },
    )
    yield _object("LocalQueue", {"name": "main", "namespace": name}, {"clusterQueue": name})
    waiting = {0: 2 * _PENDING, queues - 1: 0}.get(number, _PENDING)
    for at in range(_ADMITTED + waiting):
        yield _workload(name, at, random, admitted=at < _ADMITTED)


def _workload(team: str, number: int, random: Random, *, admitted: bool) -> _Json:
    # Only the research team waits for GPUs; the others wait for processors.
    gpus = 1 if admitted or team == TEAM else 0
    requests = {"cpu": "4" if admitted or not gpus else "1", **({RESOURCE: "1"} if gpus else {})}
    uid = f"{random.getrandbits(128):032x}"
    hour, second = 9 if admitted else 11, random.randrange(3600)
    created = f"2026-06-01T{hour:02}:{second // 60:02}:{second % 60:02}Z"
    workload = _object(
        "Workload",
        {"name": f"job-{number}-{uid[:5]}", "namespace": team, "creationTimestamp": created},
        {
            "priority": random.choice((0, 100)),
            "queueName": "main",
            "podSets": [{"name": "main", "count": 1, "template": _template(requests)}],
        },
    )
    workload["metadata"]["uid"] = "-".join((uid[:8], uid[8:12], uid[12:16], uid[16:20], uid[20:]))
    workload["status"] = _admitted(team, requests, created) if admitted else _pending(created)
    return workload


def _template(requests: _Json) -> _Json:
    container = {"name": "main", "image": "train", "resources": {"requests": requests}}
    return {"spec": {"restartPolicy": "Never", "containers": [container]}}


def _admitted(team: str, requests: _Json, created: str) -> _Json:
    flavors = {name: "a100" if name == RESOURCE else "on-demand" for name in requests}
    assignment = {"name": "main", "count": 1, "flavors": flavors, "resourceUsage": requests}
    return {
        "admission": {"clusterQueue": team, "podSetAssignments": [assignment]},
        "conditions": [
            _condition("QuotaReserved", "True", "QuotaReserved", created),
            _condition("Admitted", "True", "Admitted", created),
        ],
    }


def _pending(created: str) -> _Json:
    return {"conditions": [_condition("QuotaReserved", "False", "Pending", created)]}


def _condition(kind: str, status: str, reason: str, created: str) -> _Json:
    # The last of them is taken for the time of the dump.
    moment = _TAKEN_AT if status == "False" else created
    return {
        "type": kind,
        "status": status,
        "reason": reason,
        "message": "",
        "lastTransitionTime": moment,
    }


def _object(kind: str, metadata: _Json, spec: _Json) -> _Json:
    return {"apiVersion": _KUEUE, "kind": kind, "metadata": metadata, "spec": spec}
