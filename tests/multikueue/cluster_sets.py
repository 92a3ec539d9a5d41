"""Small cluster sets for tests: a manager, some workers, a quota for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kueuelab.manifests import load, load_configuration
from kueuelab.model import RELEASE, Release
from kueuelab.model.times import SECOND
from kueuelab.multikueue import ClusterSet, PodPlan, SharedRecorder

API = "kueue.x-k8s.io/v1beta2"
INCREMENTAL = "kueue.x-k8s.io/multikueue-dispatcher-incremental"


def queues(cpu: int, *, checks: Sequence[str] = (), preempts: bool = False) -> list[dict[str, Any]]:
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
        spec["admissionChecksStrategy"] = {"admissionChecks": [{"name": each} for each in checks]}
    if preempts:
        spec["preemption"] = {"withinClusterQueue": "LowerPriority"}
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


def cluster_set(
    workers: Mapping[str, int],
    *,
    manager: int = 100,
    configuration: Mapping[str, Any] | None = None,
    config: Sequence[str] | None = None,
    checks: Sequence[str] = (),
    worker_checks: Sequence[str] = (),
    gates: Mapping[str, bool] | None = None,
    priorities: Mapping[str, int] | None = None,
    seed: int = 0,
    facts: bool = True,
    release: Release = RELEASE,
    **more: Any,
) -> ClusterSet:
    """Return a cluster set whose clusters have so much cpu.

    ``checks`` are others on the manager besides MultiKueue's, ``worker_checks`` those of all
    workers; ``gates`` and ``release`` are those of all
    clusters; with ``priorities``, classes of all clusters, workers preempt.
    """
    settings: dict[str, Any] = {"multiKueue": {"workerLostTimeout": "8s", "gcInterval": "10s"}}
    settings["multiKueue"].update(configuration or {})
    gated = {"featureGates": dict(gates or {})}
    configurations = {"manager": load_configuration({**settings, **gated})}
    configured = load_configuration({"namespace": "k", **gated})
    configurations.update(dict.fromkeys(workers, configured))
    configurations = {name: each.of_release(release) for name, each in configurations.items()}
    made = ClusterSet(configurations, seed=seed, recorder=SharedRecorder(), **more)
    classes = [
        {
            "apiVersion": API,
            "kind": "WorkloadPriorityClass",
            "metadata": {"name": name},
            "value": value,
        }
        for name, value in (priorities or {}).items()
    ]
    own = queues(manager, checks=("multikueue", *checks))
    objects = [*own, *_checks(checks), *classes, *dispatching(list(workers), config)]
    loaded = {"manager": list(load(objects))}
    for name, cpu in workers.items():
        found = queues(cpu, checks=worker_checks, preempts=bool(priorities))
        loaded[name] = list(load([*found, *_checks(worker_checks), *classes]))
    made.load(loaded, facts=facts)
    return made


def _checks(names: Sequence[str]) -> list[dict[str, Any]]:
    """Return AdmissionChecks of a controller that is not Kueue's."""
    return [
        {
            "apiVersion": API,
            "kind": "AdmissionCheck",
            "metadata": {"name": name},
            "spec": {"controllerName": "example.com/check"},
        }
        for name in names
    ]


def job(name: str, cpu: int = 1, priority: str = "", **spec: Any) -> dict[str, Any]:
    """Return the manifest of a job; ``priority`` is the name of its class."""
    labels = {"kueue.x-k8s.io/queue-name": "main"}
    if priority:
        labels["kueue.x-k8s.io/priority-class"] = priority
    container = {"name": "main", "image": "x", "resources": {"requests": {"cpu": str(cpu)}}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name,
            "namespace": "team",
            "labels": labels,
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
