"""The smallest set of rights that reading needs, as a manifest."""

from __future__ import annotations

from typing import Final

from kueuelab.live.installed_release import DEPLOYMENT
from kueuelab.live.resources import EVENTS, READ, VISIBILITY_GROUP, Json
from kueuelab.manifests.writing import write_yaml

__all__ = ["reader_role"]

_NAME: Final = "kueuelab-reader"


def reader_role() -> str:
    """Return a ClusterRole, and a Role for Kueue's Configuration, that let the lab read.

    Examples
    --------
    >>> "secrets" in reader_role()
    False
    """
    groups: dict[str, list[str]] = {}
    for resource in (*READ, EVENTS):
        groups.setdefault(resource.group, []).append(resource.plural)
    rules = [
        {"apiGroups": [group], "resources": sorted(plurals), "verbs": ["get", "list", "watch"]}
        for group, plurals in groups.items()
    ]
    # Where pending workloads stand; without it positions are left out.
    places = ["clusterqueues/pendingworkloads", "localqueues/pendingworkloads"]
    rules.append({"apiGroups": [VISIBILITY_GROUP], "resources": places, "verbs": ["get"]})
    cluster_role: Json = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": _NAME},
        "rules": rules,
    }
    role: Json = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": {"name": _NAME, "namespace": "kueue-system"},
        "rules": [
            {
                "apiGroups": [""],
                "resources": ["configmaps"],
                "resourceNames": ["kueue-manager-config"],
                "verbs": ["get"],
            },
            # Which release of Kueue runs; without it the lab cannot say that it is another one.
            {
                "apiGroups": ["apps"],
                "resources": ["deployments"],
                "resourceNames": [DEPLOYMENT],
                "verbs": ["get"],
            },
        ],
    }
    return write_yaml([cluster_role, role])
