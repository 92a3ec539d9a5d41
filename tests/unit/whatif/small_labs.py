"""Small scenarios, written in Python."""

from __future__ import annotations

from typing import Any

import kueuelab as kl
from kueuelab.whatif.lab import Lab

#: Fair sharing as Kueue starts with it: it wants the strategies written down.
FAIR = {
    "fairSharing": {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]}
}


def flavor(name: str = "default", **spec: Any) -> dict[str, Any]:
    return manifest("ResourceFlavor", name, spec)


def manifest(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    metadata = {"name": name}
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": kind,
        "metadata": metadata,
        "spec": spec,
    }


def queue(
    name: str,
    quota: dict[str, Any],
    *,
    limits: dict[str, Any] | None = None,
    local: bool = True,
    **spec: Any,
) -> list[dict[str, Any]]:
    """Return a ClusterQueue with cpu in these flavors, and a LocalQueue of the same name."""
    flavors = [
        {"name": each, "resources": [{"name": "cpu", "nominalQuota": amount, **(limits or {})}]}
        for each, amount in quota.items()
    ]
    groups = [{"coveredResources": ["cpu"], "flavors": flavors}]
    found = [
        manifest("ClusterQueue", name, {"namespaceSelector": {}, "resourceGroups": groups, **spec})
    ]
    if local:
        found.append(manifest("LocalQueue", name, {"clusterQueue": name}))
    return found


def job(name: str, queue: str, cpu: Any, priority: int = 0, **more: Any) -> dict[str, Any]:
    return {"job": name, "queue": queue, "requests": {"cpu": cpu}, "priority": priority, **more}


def lab(
    objects: list[Any], jobs: list[dict[str, Any]], configuration: dict[str, Any] | None = None
) -> Lab:
    flat = [part for each in objects for part in (each if isinstance(each, list) else [each])]
    return kl.load(
        {
            "apiVersion": "kueuelab/v1",
            "kind": "Scenario",
            "metadata": {"name": "small"},
            "spec": {
                "configuration": configuration or {},
                "manifests": flat,
                "timeline": [
                    {"at": f"{second}s", "submit": each} for second, each in enumerate(jobs, 1)
                ],
            },
        }
    )
