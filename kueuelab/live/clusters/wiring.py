"""MultiKueue between existing clusters: manager, workers, and the manifests of each."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from kueuelab.errors import InputError, Problem
from kueuelab.live.clusters.layout import LABEL, NAMESPACE
from kueuelab.live.resources import KUEUE_GROUP, Json
from kueuelab.manifests.writing import write_yaml
from kueuelab.messages import Message

__all__ = [
    "ConnectedCluster",
    "Login",
    "Wiring",
    "multikueue",
    "secret_of",
    "worker_access",
    "worker_secret",
]

#: Tells the objects of one wiring from those of another one.
_WIRED: Final = "kueuelab/wiring"
_NAME: Final = re.compile(r"[a-z0-9]([-a-z0-9]{0,40}[a-z0-9])?")

#: Whatever MultiKueue can send away: its connection stands only if it may watch all kinds
#: of jobs that the manager's Configuration lists, and that are served there.
_JOBS: Final[Mapping[str, tuple[str, ...]]] = {
    "batch": ("jobs",),
    "": ("pods",),
    "apps": ("statefulsets",),
    "leaderworkerset.x-k8s.io": ("leaderworkersets",),
    "jobset.x-k8s.io": ("jobsets",),
    "kubeflow.org": ("jaxjobs", "mpijobs", "paddlejobs", "pytorchjobs", "tfjobs", "xgboostjobs"),
    "trainer.kubeflow.org": ("trainjobs",),
    "ray.io": ("rayclusters", "rayjobs", "rayservices"),
    "workload.codeflare.dev": ("appwrappers",),
}
_LOOK: Final = ("get", "list", "watch")
_MAKE: Final = ("create", "delete", *_LOOK)


def secret_of(alias: str) -> str:
    """Return the Secret by which a manager reaches a worker of this name."""
    return f"{alias}-secret"


@dataclass(frozen=True, slots=True)
class ConnectedCluster:
    """An existing cluster.

    Attributes
    ----------
    context
        Its context in the kubeconfig.
    alias
        Its name for users; the Secret by which a manager reaches it has it, too.
    name
        Its MultiKueueCluster.
    server
        The address at which the manager reaches it; found out if empty.
    """

    context: str
    alias: str = ""
    name: str = ""
    server: str = ""

    @property
    def secret(self) -> str:
        """The Secret by which a manager reaches it."""
        return secret_of(self.alias)


@dataclass(frozen=True, slots=True)
class Wiring:
    """A manager and its workers.

    Attributes
    ----------
    name
        What is made for it is named after this.
    manager
        The cluster to which users submit.
    workers
        The clusters to which jobs are dispatched; without any, there is no MultiKueue.

    Examples
    --------
    >>> wiring = Wiring.of("lab", "here", {"w1": "there"})
    >>> wiring.workers[0].name, wiring.workers[0].secret, wiring.check
    ('lab-w1', 'w1-secret', 'lab-multikueue')
    """

    name: str
    manager: ConnectedCluster
    workers: tuple[ConnectedCluster, ...] = ()

    @classmethod
    def of(
        cls,
        name: str,
        manager: str,
        workers: Mapping[str, str],
        servers: Mapping[str, str] | None = None,
    ) -> Wiring:
        """Return a wiring of contexts.

        Parameters
        ----------
        name
            What is made for it is named after this.
        manager
            The manager's context.
        workers
            The contexts of the workers, by what people call them.
        servers
            Where the manager reaches them, where that is not what the kubeconfig says.

        Raises
        ------
        InputError
            If it makes no sense: all mistakes.
        """
        servers = servers or {}
        problems = [
            Problem(Message("live.wiring.name", each=each), hint=Message("live.clusters.name.hint"))
            for each in (name, *workers)
            if not _NAME.fullmatch(each)
        ]
        contexts = [manager, *workers.values()]
        problems += [
            Problem(Message("live.wiring.twice", each=each), hint=Message("live.wiring.twice.hint"))
            for each in dict.fromkeys(contexts)
            if contexts.count(each) > 1
        ]
        problems += [
            Problem(
                Message("live.wiring.no-worker", each=each),
                hint=Message("live.wiring.workers", workers=", ".join(workers)),
            )
            for each in servers
            if each not in workers
        ]
        problems += [
            Problem(
                Message("live.wiring.address", url=url), hint=Message("live.wiring.address.hint")
            )
            for url in servers.values()
            if not url.startswith("https://")
        ]
        if problems:
            raise InputError(problems)
        sites = tuple(
            ConnectedCluster(context, alias, f"{name}-{alias}", servers.get(alias, ""))
            for alias, context in workers.items()
        )
        return cls(name, ConnectedCluster(manager), sites)

    @property
    def clusters(self) -> tuple[ConnectedCluster, ...]:
        """All clusters, the manager first."""
        return (self.manager, *self.workers)

    @property
    def account(self) -> str:
        """The service account of the manager on a worker, and its role."""
        return f"{self.name}-multikueue"

    @property
    def check(self) -> str:
        """The AdmissionCheck that a ClusterQueue names to have its jobs dispatched."""
        return f"{self.name}-multikueue"

    @property
    def labels(self) -> dict[str, str]:
        """The labels of everything that is created for it, and removed with it."""
        return {**LABEL, _WIRED: self.name}

    @property
    def selector(self) -> str:
        """The same, as a label selector."""
        return ",".join(f"{key}={value}" for key, value in self.labels.items())

    def meta(self, name: str, namespace: str = "") -> Json:
        """Return the metadata of something that is made for it."""
        found: Json = {"name": name, "labels": self.labels}
        return {**found, "namespace": namespace} if namespace else found


@dataclass(frozen=True, slots=True)
class Login:
    """The credentials for a worker."""

    server: str
    token: str = field(repr=False)
    authority: str = field(repr=False)


def _rule(group: str, resources: Sequence[str], verbs: Sequence[str]) -> Json:
    return {"apiGroups": [group], "resources": list(resources), "verbs": list(verbs)}


def worker_access(wiring: Wiring) -> str:
    """Return the access of the manager on a worker: account, role, binding and token."""
    rules = []
    for group, kinds in _JOBS.items():
        rules.append(_rule(group, kinds, _MAKE))
        rules.append(_rule(group, [f"{kind}/status" for kind in kinds], ["get"]))
    rules += [
        _rule(KUEUE_GROUP, ["workloads"], (*_MAKE, "update", "patch")),
        _rule(KUEUE_GROUP, ["workloads/status"], ["get", "patch", "update"]),
        _rule(KUEUE_GROUP, ["clusterqueues", "localqueues"], _LOOK),
    ]
    rbac, account = "rbac.authorization.k8s.io", wiring.account
    token = wiring.meta(account, NAMESPACE)
    token["annotations"] = {"kubernetes.io/service-account.name": account}
    return write_yaml(
        [
            _object("v1", "ServiceAccount", wiring.meta(account, NAMESPACE)),
            _object(f"{rbac}/v1", "ClusterRole", wiring.meta(account), rules=rules),
            _object(
                f"{rbac}/v1",
                "ClusterRoleBinding",
                wiring.meta(account),
                roleRef={"apiGroup": rbac, "kind": "ClusterRole", "name": account},
                subjects=[{"kind": "ServiceAccount", "name": account, "namespace": NAMESPACE}],
            ),
            _object("v1", "Secret", token, type="kubernetes.io/service-account-token"),
        ]
    )


def _object(version: str, kind: str, meta: Json, **rest: object) -> Json:
    return {"apiVersion": version, "kind": kind, "metadata": meta, **rest}


def worker_secret(
    wiring: Wiring, worker: ConnectedCluster, login: Login, *, plain: bool = False
) -> str:
    """Return the Secret by which the manager reaches a worker.

    Parameters
    ----------
    wiring, worker
        The cluster that uses it.
    login
        How to get there.
    plain
        Whether people are to read it.
    """
    name = worker.name
    cluster = {"server": login.server, "certificate-authority-data": login.authority}
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name,
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": name, "user": {"token": login.token}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
    }
    meta = wiring.meta(worker.secret, NAMESPACE)
    if plain:
        return write_yaml(
            [_object("v1", "Secret", meta, stringData={"kubeconfig": write_yaml([config])})]
        )
    data = {"kubeconfig": base64.b64encode(write_yaml([config]).encode()).decode()}
    return write_yaml([_object("v1", "Secret", meta, data=data)])


def multikueue(wiring: Wiring) -> str:
    """Return the manager's objects for its workers: clusters, config and check."""
    version = f"{KUEUE_GROUP}/v1beta2"
    objects = [
        _object(
            version,
            "MultiKueueCluster",
            wiring.meta(worker.name),
            spec={
                "clusterSource": {
                    "kubeConfig": {"locationType": "Secret", "location": worker.secret}
                }
            },
        )
        for worker in wiring.workers
    ]
    names = [worker.name for worker in wiring.workers]
    config = _object(
        version, "MultiKueueConfig", wiring.meta(wiring.name), spec={"clusters": names}
    )
    reference = {"apiGroup": KUEUE_GROUP, "kind": "MultiKueueConfig", "name": wiring.name}
    spec = {"controllerName": f"{KUEUE_GROUP}/multikueue", "parameters": reference}
    check = _object(version, "AdmissionCheck", wiring.meta(wiring.check), spec=spec)
    return write_yaml([*objects, config, check])
