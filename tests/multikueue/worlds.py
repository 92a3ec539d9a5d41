"""Small worlds for tests: a manager, some workers, a quota for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kueuelab.manifests import load, load_configuration
from kueuelab.model.times import SECOND
from kueuelab.multikueue import PodPlan, World

API = "kueue.x-k8s.io/v1beta2"
INCREMENTAL = "kueue.x-k8s.io/multikueue-dispatcher-incremental"


def queues(cpu: int, *, checks: bool = False) -> list[dict[str, Any]]:
    """Return flavor, ClusterQueue and LocalQueue of a cluster."""
    spec: dict[str, Any] = {
        "namespaceSelector": {},
        "resourceGroups": [
            {
                "coveredResources": ["cpu"],
                "flavors": [
                    {"name": "generic", "resources": [{"name": "cpu", "nominalQuota": str(cpu)}]}
                ],
            }
        ],
    }
    if checks:
        spec["admissionChecksStrategy"] = {"admissionChecks": [{"name": "multikueue"}]}
    return [
        {"apiVersion": API, "kind": "ResourceFlavor", "metadata": {"name": "generic"}},
        {"apiVersion": API, "kind": "ClusterQueue", "metadata": {"name": "cq"}, "spec": spec},
        {
            "apiVersion": API,
            "kind": "LocalQueue",
            "metadata": {"name": "main", "namespace": "team"},
            "spec": {"clusterQueue": "cq"},
        },
    ]


def dispatching(
    workers: Sequence[str], config: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """Return check, config and clusters; the config may have another order, or others."""
    parameters = {"apiGroup": "kueue.x-k8s.io", "kind": "MultiKueueConfig", "name": "fleet"}
    found: list[dict[str, Any]] = [
        {
            "apiVersion": API,
            "kind": "MultiKueueConfig",
            "metadata": {"name": "fleet"},
            "spec": {"clusters": list(config or workers)},
        },
        {
            "apiVersion": API,
            "kind": "AdmissionCheck",
            "metadata": {"name": "multikueue"},
            "spec": {"controllerName": "kueue.x-k8s.io/multikueue", "parameters": parameters},
        },
    ]
    for name in workers:
        source = {"kubeConfig": {"locationType": "Secret", "location": f"{name}-secret"}}
        found.append(
            {
                "apiVersion": API,
                "kind": "MultiKueueCluster",
                "metadata": {"name": name},
                "spec": {"clusterSource": source},
            }
        )
    return found


def world(
    workers: Mapping[str, int],
    *,
    manager: int = 100,
    configuration: Mapping[str, Any] | None = None,
    config: Sequence[str] | None = None,
    seed: int = 0,
    facts: bool = True,
    **more: Any,
) -> World:
    """Return a world whose clusters have so much cpu."""
    settings = {"multiKueue": {"workerLostTimeout": "8s", "gcInterval": "10s"}}
    settings["multiKueue"].update(configuration or {})
    configurations = {"manager": load_configuration(settings)}
    configurations.update({name: load_configuration({"namespace": "k"}) for name in workers})
    made = World(configurations, seed=seed, **more)
    objects = [*queues(manager, checks=True), *dispatching(list(workers), config)]
    loaded = {"manager": list(load(objects))}
    loaded.update({name: list(load(queues(cpu))) for name, cpu in workers.items()})
    made.load(loaded, facts=facts)
    return made


def job(name: str, cpu: int = 1, **spec: Any) -> dict[str, Any]:
    """Return the manifest of a job."""
    container = {"name": "main", "image": "x", "resources": {"requests": {"cpu": str(cpu)}}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name,
            "namespace": "team",
            "labels": {"kueue.x-k8s.io/queue-name": "main"},
        },
        "spec": {
            "parallelism": 1,
            "completions": 1,
            "backoffLimit": 0,
            "template": {"spec": {"restartPolicy": "Never", "containers": [container]}},
            **spec,
        },
    }


def plan(seconds: float) -> PodPlan:
    """Return the plan of pods that run so long."""
    return PodPlan(round(seconds * SECOND))
