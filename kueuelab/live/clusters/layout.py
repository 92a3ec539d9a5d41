"""Which clusters there are to be, and the manifests that they get."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import yaml

from kueuelab.errors import InputError, Problem
from kueuelab.live.resources import Json

__all__ = ["LABEL", "NAMESPACE", "Layout", "documents"]

#: What everything that kueuelab creates carries.
LABEL: Final = {"app.kubernetes.io/managed-by": "kueuelab"}
NAMESPACE: Final = "kueue-system"

_ACCOUNT: Final = "multikueue-sa"
_EVERYTHING: Final = ("create", "delete", "get", "list", "watch")


@dataclass(frozen=True, slots=True)
class Layout:
    """One cluster, or a manager and its workers.

    Parameters
    ----------
    name
        What the clusters are named after.
    workers
        How many workers; 0 is one cluster without MultiKueue.
    kueue
        The Kueue release.

    Examples
    --------
    >>> Layout("lab").clusters
    ('lab',)
    >>> Layout("lab", workers=2).clusters
    ('lab-manager', 'lab-worker1', 'lab-worker2')
    """

    name: str = "lab"
    workers: int = 0
    kueue: str = "v0.19.2"

    def __post_init__(self) -> None:
        plain = self.name.replace("-", "")
        if not (plain.isascii() and plain.isalnum() and self.name == self.name.lower()):
            hint = "Use small letters, digits and dashes"
            raise InputError(Problem(f"'{self.name}' is no name of a cluster", hint=hint))
        if self.workers < 0:
            raise InputError(Problem("there can't be less than no workers"))

    @property
    def manager(self) -> str:
        """The cluster that people submit to."""
        return f"{self.name}-manager" if self.workers else self.name

    @property
    def worker_names(self) -> tuple[str, ...]:
        """The workers."""
        return tuple(f"{self.name}-worker{i}" for i in range(1, self.workers + 1))

    @property
    def clusters(self) -> tuple[str, ...]:
        """All clusters, the manager first."""
        return (self.manager, *self.worker_names)

    @property
    def release(self) -> str:
        """Where the manifests of the release are."""
        base = "https://github.com/kubernetes-sigs/kueue/releases/download"
        return f"{base}/{self.kueue}/manifests.yaml"


def documents(objects: Iterable[Json]) -> str:
    """Return objects as YAML documents."""
    return yaml.safe_dump_all(list(objects), sort_keys=False)


def kind_config() -> str:
    """Return kind's configuration: a control plane and a node, marked as kueuelab's."""
    nodes = [{"role": role, "labels": LABEL} for role in ("control-plane", "worker")]
    # The same mapping twice would be written as a reference.
    nodes = json.loads(json.dumps(nodes))
    cluster = {"kind": "Cluster", "apiVersion": "kind.x-k8s.io/v1alpha4", "nodes": nodes}
    return documents([cluster])


def configuration_map(text: str) -> str:
    """Return the ConfigMap that Kueue reads its Configuration from."""
    meta = {"name": "kueue-manager-config", "namespace": NAMESPACE}
    data = {"controller_manager_config.yaml": text}
    return documents([{"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data}])


def _meta(name: str, namespace: str = "") -> Json:
    found: Json = {"name": name, "labels": dict(LABEL)}
    return {**found, "namespace": namespace} if namespace else found


def _rule(group: str, resource: str, verbs: Sequence[str]) -> Json:
    return {"apiGroups": [group], "resources": [resource], "verbs": list(verbs)}


def worker_access() -> str:
    """Return what a worker lets the manager do: account, role, binding and token."""
    rules = [
        _rule("batch", "jobs", _EVERYTHING),
        _rule("batch", "jobs/status", ["get"]),
        _rule("", "pods", _EVERYTHING),
        _rule("kueue.x-k8s.io", "workloads", (*_EVERYTHING, "update", "patch")),
        _rule("kueue.x-k8s.io", "workloads/status", ["get", "patch", "update"]),
        _rule("kueue.x-k8s.io", "clusterqueues", ["get", "list", "watch"]),
        _rule("kueue.x-k8s.io", "localqueues", ["get", "list", "watch"]),
    ]
    rbac = "rbac.authorization.k8s.io"
    role = f"{_ACCOUNT}-role"
    token = _meta(_ACCOUNT, NAMESPACE)
    token["annotations"] = {"kubernetes.io/service-account.name": _ACCOUNT}
    return documents(
        [
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": _meta(_ACCOUNT, NAMESPACE)},
            {
                "apiVersion": f"{rbac}/v1",
                "kind": "ClusterRole",
                "metadata": _meta(role),
                "rules": rules,
            },
            {
                "apiVersion": f"{rbac}/v1",
                "kind": "ClusterRoleBinding",
                "metadata": _meta(f"{_ACCOUNT}-crb"),
                "roleRef": {"apiGroup": rbac, "kind": "ClusterRole", "name": role},
                "subjects": [{"kind": "ServiceAccount", "name": _ACCOUNT, "namespace": NAMESPACE}],
            },
            {
                "apiVersion": "v1",
                "kind": "Secret",
                "metadata": token,
                "type": "kubernetes.io/service-account-token",
            },
        ]
    )


def worker_secret(worker: str, token: str, authority: str) -> str:
    """Return the Secret by which the manager reaches a worker, from base64 as served.

    The address is the one inside the network of the container engine.
    """
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": worker,
        "clusters": [
            {
                "name": worker,
                "cluster": {
                    "server": f"https://{worker}-control-plane:6443",
                    "certificate-authority-data": authority,
                },
            }
        ],
        "users": [{"name": worker, "user": {"token": base64.b64decode(token).decode()}}],
        "contexts": [{"name": worker, "context": {"cluster": worker, "user": worker}}],
    }
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": _meta(f"{worker}-secret", NAMESPACE),
        "stringData": {"kubeconfig": documents([config])},
    }
    return documents([secret])


def multikueue(layout: Layout) -> str:
    """Return what the manager knows of its workers: clusters, config and check."""
    group = "kueue.x-k8s.io"
    clusters = [
        {
            "apiVersion": f"{group}/v1beta2",
            "kind": "MultiKueueCluster",
            "metadata": _meta(worker),
            "spec": {
                "clusterSource": {
                    "kubeConfig": {"locationType": "Secret", "location": f"{worker}-secret"}
                }
            },
        }
        for worker in layout.worker_names
    ]
    config = {
        "apiVersion": f"{group}/v1beta2",
        "kind": "MultiKueueConfig",
        "metadata": _meta(layout.name),
        "spec": {"clusters": list(layout.worker_names)},
    }
    check = {
        "apiVersion": f"{group}/v1beta2",
        "kind": "AdmissionCheck",
        "metadata": _meta("multikueue"),
        "spec": {
            "controllerName": f"{group}/multikueue",
            "parameters": {"apiGroup": group, "kind": "MultiKueueConfig", "name": layout.name},
        },
    }
    return documents([*clusters, config, check])
