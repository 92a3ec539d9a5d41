"""A small cluster to play with: few words for objects, and the state at a glance."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kueuelab.manifests.decode import decode_configuration, decode_object
from kueuelab.model.times import SECOND, parse_time
from kueuelab.simulation import Cluster, CycleRecord
from kueuelab.trace.recorder import Recorder

START = parse_time("2026-01-01T00:00:00Z")


def flavor(name: str = "default", **spec: Any) -> dict[str, Any]:
    return {"kind": "ResourceFlavor", "metadata": {"name": name}, "spec": spec}


def queue(
    name: str = "cq", cpu: str = "4", flavors: str = "default", **spec: Any
) -> dict[str, Any]:
    group = {
        "coveredResources": ["cpu"],
        "flavors": [
            {"name": each, "resources": [{"name": "cpu", "nominalQuota": cpu}]}
            for each in flavors.split()
        ],
    }
    return {
        "kind": "ClusterQueue",
        "metadata": {"name": name},
        "spec": {"namespaceSelector": {}, "resourceGroups": [group], **spec},
    }


def local(name: str = "lq", cluster_queue: str = "cq", **spec: Any) -> dict[str, Any]:
    return {
        "kind": "LocalQueue",
        "metadata": {"name": name},
        "spec": {"clusterQueue": cluster_queue, **spec},
    }


def work(
    name: str, cpu: str = "1", count: int = 1, queue_name: str = "lq", **spec: Any
) -> dict[str, Any]:
    container = {"name": "c", "resources": {"requests": {"cpu": cpu}}}
    pod_set = {"name": "main", "count": count, "template": {"spec": {"containers": [container]}}}
    return {
        "kind": "Workload",
        "metadata": {"name": name},
        "spec": {"queueName": queue_name, "podSets": [pod_set], **spec},
    }


def check(name: str, active: bool = True) -> dict[str, Any]:
    status = {"conditions": [{"type": "Active", "status": str(active), "reason": "x"}]}
    return {
        "kind": "AdmissionCheck",
        "metadata": {"name": name},
        "spec": {"controllerName": "example.com/c"},
        "status": status,
    }


def checks(*names: str) -> dict[str, Any]:
    return {"admissionChecks": [{"name": name} for name in names]}


@dataclass
class Lab:
    """A cluster, driven in few words."""

    cluster: Cluster
    records: list[CycleRecord] = field(default_factory=list)

    def apply(self, obj: dict[str, Any]) -> None:
        self.cluster.apply(decode_object(obj))  # type: ignore[arg-type]

    def create(self, *objs: dict[str, Any]) -> None:
        for obj in objs:
            self.cluster.create_workload(decode_object(obj))  # type: ignore[arg-type]

    def wait(self, seconds: float) -> None:
        self.cluster.advance(int(seconds * SECOND))

    def condition(self, name: str, type_: str) -> str:
        found = self.cluster.workload(f"default/{name}").conditions.get(type_)
        return "" if found is None else f"{found.status} {found.reason}: {found.message}"

    def events(self, clear: bool = True) -> list[str]:
        found = [f"{e.reason} {e.object.removeprefix('default/')}" for e in self.cluster.events]
        if clear:
            self.cluster.events.clear()
        return found

    def messages(self, reason: str) -> list[str]:
        return [event.message for event in self.cluster.events if event.reason == reason]

    def pending(self, name: str = "cq") -> list[str]:
        return [key.removeprefix("default/") for key in self.cluster.queues.pending_active(name)]

    def parked(self, name: str = "cq") -> list[str]:
        return [key.removeprefix("default/") for key in self.cluster.queues.inadmissible(name)]

    def usage(self, name: str = "cq") -> dict[str, dict[str, str]]:
        return self.cluster.state()["clusterQueues"][name]["usage"]  # type: ignore[no-any-return]

    def admitted(self) -> list[str]:
        found = self.cluster.workloads.values()
        return sorted(state.obj.name for state in found if state.is_admitted)


def make_lab(
    *objects: dict[str, Any], recorder: Recorder | None = None, **configuration: Any
) -> Lab:
    """Return a cluster with these objects loaded."""
    records: list[CycleRecord] = []
    cluster = Cluster(
        decode_configuration(configuration),
        start=START,
        recorder=recorder,
        on_cycle=records.append,
    )
    cluster.load([decode_object(obj) for obj in objects])  # type: ignore[misc]
    return Lab(cluster, records)


def basic_lab(**configuration: Any) -> Lab:
    """Return a cluster with one queue of 4 cpus."""
    return make_lab(flavor(), queue(), local(), **configuration)
