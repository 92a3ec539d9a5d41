"""Blocks with racks with hosts, in small scenarios."""

from __future__ import annotations

from typing import Any

from offered import subject_of
from small_labs import flavor, lab, manifest

from kueuelab.whatif.lab import LabRun
from kueuelab.whatif.subject import Subject

HOST = "kubernetes.io/hostname"
BLOCK, RACK = "cloud.provider.com/topology-block", "cloud.provider.com/topology-rack"
LEVELS = (BLOCK, RACK, HOST)


def node(name: str, cpu: int = 4, pool: str = "a", **spec: Any) -> dict[str, Any]:
    """Return a node: its name is those of its block, its rack and itself, with dashes."""
    block, rack, _ = name.split("-")
    labels = {"pool": pool, BLOCK: block, RACK: f"{block}-{rack}", HOST: name}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
        "status": {
            "allocatable": {"cpu": str(cpu), "memory": "8", "pods": "100"},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def placing(name: str = "default", pool: str = "a", **spec: Any) -> dict[str, Any]:
    """Return a flavor of the nodes of a pool."""
    return flavor(name, nodeLabels={"pool": pool}, topologyName="tree", **spec)


def asking(
    name: str,
    pods: int,
    topology: dict[str, Any] | None = None,
    requests: dict[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Return a job whose pods ask for one cpu each, by default, and for a rack."""
    asked = {"required": "rack"} if topology is None else topology
    found = {"job": name, "queue": "team", "pods": pods, "requests": requests or {"cpu": 1}}
    return {**found, **({"topology": asked} if asked else {}), **more}


def run_in_racks(
    nodes: list[dict[str, Any]], *jobs: dict[str, Any], objects: list[Any] | None = None
) -> LabRun:
    """Return a run of jobs in a queue with quota for all of them, by default."""
    tree = manifest("Topology", "tree", {"levels": [{"nodeLabel": each} for each in LEVELS]})
    found = [placing(), *team()] if objects is None else objects
    return lab([tree, *nodes, *found], [*jobs]).run()


def team() -> list[dict[str, Any]]:
    """Return a queue with cpu and memory, and its LocalQueue."""
    resources = [{"name": name, "nominalQuota": 99} for name in ("cpu", "memory")]
    flavors = [{"name": "default", "resources": resources}]
    groups = [{"coveredResources": ["cpu", "memory"], "flavors": flavors}]
    spec = {"namespaceSelector": {}, "resourceGroups": groups}
    local = manifest("LocalQueue", "team", {"clusterQueue": "team"})
    return [manifest("ClusterQueue", "team", spec), local]


def in_racks(
    nodes: list[dict[str, Any]], *jobs: dict[str, Any], objects: list[Any] | None = None
) -> Subject:
    """Return the workload ``late`` of such a run."""
    return subject_of(run_in_racks(nodes, *jobs, objects=objects))
