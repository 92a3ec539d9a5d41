"""Tiny scenarios whose measures are computed by hand."""

from __future__ import annotations

from typing import Any

import kueuelab as kl
from kueuelab.whatif.lab import Lab

GROUP = "kueue.x-k8s.io/v1beta2"


def queue(name: str, cpu: int, cohort: str = "", **spec: Any) -> list[dict[str, Any]]:
    """Return a ClusterQueue with so many cores, and a LocalQueue of its name."""
    resource = {"name": "cpu", "nominalQuota": cpu}
    groups = [
        {"coveredResources": ["cpu"], "flavors": [{"name": "default", "resources": [resource]}]}
    ]
    named = {"cohortName": cohort} if cohort else {}
    return [
        {
            "apiVersion": GROUP,
            "kind": "ClusterQueue",
            "metadata": {"name": name},
            "spec": {"namespaceSelector": {}, "resourceGroups": groups, **named, **spec},
        },
        {
            "apiVersion": GROUP,
            "kind": "LocalQueue",
            "metadata": {"name": name},
            "spec": {"clusterQueue": name},
        },
    ]


def submit(at: int, job: str, queue: str, cpu: int, runs: int, **more: Any) -> dict[str, Any]:
    entry = {"job": job, "queue": queue, "requests": {"cpu": cpu}, **more}
    return {"at": f"{at}s", "submit": {**entry, "runs": f"{runs}s"}}


def scenario(queues: list[list[dict[str, Any]]], *timeline: dict[str, Any], **spec: Any) -> Lab:
    flavor = {"apiVersion": GROUP, "kind": "ResourceFlavor", "metadata": {"name": "default"}}
    found = kl.load(
        {
            "apiVersion": "kueuelab/v1",
            "kind": "Scenario",
            "metadata": {"name": "small"},
            "spec": {
                "manifests": [flavor, *(each for parts in queues for each in parts)],
                "timeline": list(timeline),
                **spec,
            },
        }
    )
    assert isinstance(found, Lab)
    return found


def one_queue() -> Lab:
    """Return two jobs of 20 s in a queue that has quota for one."""
    return scenario(
        [queue("team-a", 4)],
        submit(0, "first", "team-a", 4, 20),
        submit(5, "second", "team-a", 4, 20, priority=10),
    )


def preempted() -> Lab:
    """Return a job that is preempted after 10 s of its 30 s, and runs again after 20 s."""
    return scenario(
        [queue("team-a", 4, preemption={"withinClusterQueue": "LowerPriority"})],
        submit(0, "low", "team-a", 4, 30),
        submit(10, "high", "team-a", 2, 20, priority=10),
    )


def borrowing() -> Lab:
    """Return a job that uses 6 cores of 8 for 10 s, 2 of them borrowed."""
    return scenario(
        [queue("team-a", 4, "all"), queue("team-b", 4, "all")],
        submit(0, "wide", "team-a", 6, 10),
        submit(0, "narrow", "team-b", 2, 20),
    )
