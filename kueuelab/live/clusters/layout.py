"""The clusters to create, and their manifests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kueuelab.errors import InputError, Problem
from kueuelab.manifests.writing import write_yaml
from kueuelab.messages import Message
from kueuelab.model import RELEASE

__all__ = ["BEFORE", "CONFIG_MAP", "LABEL", "NAMESPACE", "Layout", "release_of"]

#: The label of everything that kueuelab creates.
LABEL: Final = {"app.kubernetes.io/managed-by": "kueuelab"}
NAMESPACE: Final = "kueue-system"
#: What holds Kueue's Configuration.
CONFIG_MAP: Final = "kueue-manager-config"
#: Keeps the Configuration that was there before a scenario got its own.
BEFORE: Final = "kueuelab/configuration-before"


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
    kueue: str = RELEASE.version

    def __post_init__(self) -> None:
        plain = self.name.replace("-", "")
        if not (plain.isascii() and plain.isalnum() and self.name == self.name.lower()):
            hint = Message("live.clusters.name.hint")
            raise InputError(Problem(Message("live.clusters.name", name=self.name), hint=hint))
        if self.workers < 0:
            raise InputError(Problem(Message("live.clusters.workers-negative")))

    @property
    def manager(self) -> str:
        """The cluster to which users submit."""
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
        return release_of(self.kueue)


def release_of(kueue: str) -> str:
    """Return where the manifests of a release of Kueue are."""
    return f"https://github.com/kubernetes-sigs/kueue/releases/download/{kueue}/manifests.yaml"


def kind_config() -> str:
    """Return kind's configuration: a control plane and a node, marked as kueuelab's."""
    nodes = [{"role": role, "labels": LABEL} for role in ("control-plane", "worker")]
    cluster = {"kind": "Cluster", "apiVersion": "kind.x-k8s.io/v1alpha4", "nodes": nodes}
    return write_yaml([cluster])


def configuration_map(text: str, before: str = "") -> str:
    """Return the ConfigMap that Kueue reads its Configuration from.

    Parameters
    ----------
    text
        The Configuration.
    before
        The one that it replaces for a while.
    """
    meta: dict[str, object] = {"name": CONFIG_MAP, "namespace": NAMESPACE}
    if before:
        meta["annotations"] = {BEFORE: before}
    data = {"controller_manager_config.yaml": text}
    return write_yaml([{"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data}])
