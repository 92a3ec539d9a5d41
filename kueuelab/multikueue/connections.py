"""Connections of the manager to its workers: kubeconfigs, clients, conditions."""

from __future__ import annotations

from dataclasses import dataclass
from posixpath import normpath
from typing import TYPE_CHECKING, Final, Literal

from kueuelab.manifests.jobs.constants import MULTIKUEUE_ORIGIN
from kueuelab.model import Condition, MultiKueueCluster
from kueuelab.multikueue.crds import missing_crd
from kueuelab.multikueue.workqueue import WorkQueue

if TYPE_CHECKING:
    from kueuelab.multikueue.manager import Manager
    from kueuelab.multikueue.member_cluster import MemberCluster

__all__ = ["KUBECONFIG_STATES", "Connection", "Connections", "KubeconfigState"]

KubeconfigState = Literal[
    "valid", "garbage", "missing-key", "insecure", "wrong-token", "missing-secret"
]

#: What can be wrong with a worker's kubeconfig, besides ``valid``.
KUBECONFIG_STATES: Final = (
    "valid",
    "garbage",
    "missing-key",
    "insecure",
    "wrong-token",
    "missing-secret",
)

_PREFIX: Final = "/etc/multikueue/kubeconfigs"
_GARBAGE: Final = (
    "failed to parse kubeconfig(apiconfig): couldn't get version/kind; json parse error: "
    "json: cannot unmarshal string into Go value of type "
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; '
    'Kind string "json:\\"kind,omitempty\\"" }'
)


@dataclass(slots=True)
class Connection:
    """The manager's client for one worker.

    ``config`` is the kubeconfig it was made with, ``lost_since`` when the worker was lost
    (or the client made, if it never was connected).
    """

    name: str
    lost_since: int | None
    config: str = ""
    failed: int = 0
    next_attempt: int = 0


class Connections:
    """The reconciler of MultiKueueClusters, and the garbage collector of what they hold.

    Attributes
    ----------
    by_name
        Clients by the name of their MultiKueueCluster.
    connected
        The workers that the manager is connected to, by name.
    conditions
        The condition ``Active`` of each.
    """

    __slots__ = ("_manager", "by_name", "conditions", "connected", "queue")

    def __init__(self, manager: Manager) -> None:
        self._manager = manager
        self.by_name: dict[str, Connection] = {}
        self.connected: dict[str, MemberCluster] = {}
        self.conditions: dict[str, Condition] = {}
        member = manager.member
        self.queue = WorkQueue(
            member.loop, member.timing, member.timing.multikueue, self._reconcile
        )

    # --- reading -----------------------------------------------------------------------

    def reached(self, name: str) -> MemberCluster | None:
        """Return a worker if requests to it get through at this moment."""
        if name in self._manager.cluster_set.cut_off:
            return None
        return self.connected.get(name)

    def lost_since(self, name: str) -> int | None:
        """Return when a worker was lost; ``None`` if it wasn't, or if that is unknown."""
        connection = self.by_name.get(name)
        return None if connection is None else connection.lost_since

    def watches_ended(self, name: str) -> None:
        """Handle the end of a watch of a worker: the network was cut, or a CRD deleted."""
        connection = self.by_name.get(name)
        if connection is not None and self._lose(connection):
            self.queue.add(name)

    def connect_at_start(self, names: tuple[str, ...]) -> None:
        """Start in the state in which the reconciler has settled."""
        for name in names:
            delay = self._try(name, settled=True)
            if delay:
                self.queue.add_after(name, delay)

    def start(self) -> None:
        """Start again, as Kueue does when it is started: no client is kept."""
        self._forget_all()
        for name in self._names():
            self.queue.add(name)

    def stop(self) -> None:
        """Drop all connections."""
        self.queue.clear()
        self._forget_all()

    def _forget_all(self) -> None:
        self.by_name.clear()
        self.connected.clear()

    def _lose(self, connection: Connection) -> bool:
        """Mark a worker as unreachable; tell whether it was reachable before."""
        if connection.lost_since is None:
            connection.lost_since = self._manager.member.loop.now
        return self.connected.pop(connection.name, None) is not None

    def _names(self) -> tuple[str, ...]:
        objects = self._manager.member.cluster.objects
        return tuple(o.metadata.name for o in objects if isinstance(o, MultiKueueCluster))

    # --- reconciling -------------------------------------------------------------------

    def _reconcile(self, name: str) -> None:
        delay = self._try(name)
        if delay:
            self.queue.add_after(name, delay)

    def _try(self, name: str, *, settled: bool = False) -> int:
        """Connect if that is due; return when to try again, 0 if never."""
        manager = self._manager
        cluster = manager.member.cluster.objects.get("MultiKueueCluster", name)
        if not isinstance(cluster, MultiKueueCluster):
            self.by_name.pop(name, None)
            self.connected.pop(name, None)
            self.conditions.pop(name, None)
            return 0
        now = manager.member.loop.now
        state = manager.cluster_set.kubeconfigs.get(name, "valid")
        wrong = self._cannot_load(cluster, state)
        if wrong is not None:
            connection = self.by_name.get(name)
            if connection is not None:
                self._lose(connection)
            self._say(name, False, wrong[0], f"load client config failed: {wrong[1]}")
            return 0
        connection = self.by_name.setdefault(name, Connection(name, now))
        changed = connection.config != state
        connected = name in self.connected
        if connected and not changed:
            self._say(name, True, "Active", "Connected")
            return 0
        if changed:
            connection.config = state
            connection.failed = connection.next_attempt = 0
        if not connected and connection.next_attempt > now:
            return connection.next_attempt - now
        return self._attempt(connection, settled=settled)

    def _attempt(self, connection: Connection, *, settled: bool) -> int:
        manager, name = self._manager, connection.name
        now, timing = manager.member.loop.now, manager.member.timing
        problem = self._cannot_connect(name, connection.config)
        if problem:
            self._lose(connection)
            connection.failed += 1
            delay = timing.reconnect_after(connection.failed)
            connection.next_attempt = now + delay
            self._say(name, False, "ClientConnectionFailed", problem)
            return delay
        if settled:
            self._connect(connection)
        else:
            epoch = connection.config
            manager.member.loop.after(timing.connect, lambda: self._finish(connection, epoch))
        return 0

    def _finish(self, connection: Connection, config: str) -> None:
        """Complete the connection, if it was not interrupted."""
        if self.by_name.get(connection.name) is not connection or connection.config != config:
            return
        if not self._manager.member.kueue_up:
            return
        if self._cannot_connect(connection.name, config):
            self.queue.add(connection.name)
            return
        self._connect(connection)

    def _connect(self, connection: Connection) -> None:
        name = connection.name
        worker = self.connected[name] = self._manager.cluster_set.workers[name]
        connection.lost_since = None
        connection.failed = connection.next_attempt = 0
        self._say(name, True, "Active", "Connected")
        # A new watch begins with all existing objects.
        for key, state in worker.workloads.items():
            if MULTIKUEUE_ORIGIN in state.obj.metadata.labels:
                self._manager.noticed(key)

    def _cannot_load(self, cluster: MultiKueueCluster, state: str) -> tuple[str, str] | None:
        """Return reason and message if there is no usable kubeconfig."""
        gates = self._manager.member.plane.gates
        if cluster.cluster_profile is not None:
            if not gates["MultiKueueClusterProfile"]:
                reason = "MultiKueueClusterProfileFeatureDisabled"
                return reason, "MultiKueueClusterProfile feature gate is disabled"
            if state in ("missing-secret", "missing-key"):
                name = cluster.cluster_profile
                text = f'ClusterProfile.multicluster.x-k8s.io "{name}" not found'
                return "BadClusterProfile", text
            return "BadClusterProfile", "no access provider configured"
        location = cluster.kubeconfig_location
        if location is None:
            return "BadKubeConfig", "kubeconfig reference is nil"
        is_path = cluster.kubeconfig_location_type == "Path"
        validated = is_path and gates["MultiKueueKubeConfigPathValidation"]
        if validated and (problem := _path_problem(location)):
            text = f"kubeconfig path is not under the allowed prefix: {problem}"
            return "BadKubeConfig", text
        match state:
            case "garbage":
                return "InsecureKubeConfig", _GARBAGE
            case "insecure":
                name = cluster.metadata.name
                text = f"insecure TLS verification is not allowed for cluster {name}"
                return "InsecureKubeConfig", text
            case "missing-key" if not is_path:
                return "BadKubeConfig", f'key "kubeconfig" not found in secret "{location}"'
            case "missing-secret" | "missing-key":
                if validated:
                    text = f"lstat {normpath(location)}: no such file or directory"
                    return "BadKubeConfig", f"cannot resolve kubeconfig path symlinks: {text}"
                if is_path:
                    return "BadKubeConfig", f"open {location}: no such file or directory"
                return "BadKubeConfig", f'Secret "{location}" not found'
        return None

    def _cannot_connect(self, name: str, config: str) -> str:
        """Return why a worker does not answer, ``""`` if it does."""
        cluster_set = self._manager.cluster_set
        if name in cluster_set.cut_off or name not in cluster_set.workers:
            return (
                f'failed to get server groups: Get "https://<{name}>/api": '
                f"dial tcp <{name}>: connect: connection refused"
            )
        if config == "wrong-token":
            return (
                "failed to get server groups: "
                "the server has asked for the client to provide credentials"
            )
        kind = missing_crd(self._manager, name)
        return f'no matches for kind "{kind[0]}" in version "{kind[1]}"' if kind else ""

    def _say(self, name: str, active: bool, reason: str, message: str) -> None:
        """Write the condition ``Active``."""
        old = self.conditions.get(name)
        status: Literal["True", "False"] = "True" if active else "False"
        if old is not None and (old.status, old.reason, old.message) == (status, reason, message):
            return
        now = self._manager.member.now
        self.conditions[name] = Condition("Active", status, reason, message, now)
        self._manager.cluster_changed(name)

    # --- garbage -----------------------------------------------------------------------

    def collect_garbage(self) -> None:
        """Delete, on connected workers, copies whose Workload here is gone."""
        manager = self._manager
        kept = manager.member.workloads.keys() - manager.member.deleting.keys()
        for name in tuple(self.by_name):
            worker = self.reached(name)
            if worker is None:
                continue
            for state in [state for key, state in worker.workloads.items() if key not in kept]:
                if state.obj.metadata.labels.get(MULTIKUEUE_ORIGIN) != manager.origin:
                    continue
                for owner in state.obj.metadata.owner_references[:1]:
                    namespace = state.obj.metadata.namespace
                    worker.delete_job(f"{owner.kind}/{namespace}/{owner.name}")
                worker.delete_workload(state.key)


def _path_problem(path: str) -> str:
    cleaned = normpath(path)
    if ".." in cleaned.split("/"):
        return 'path contains ".."'
    if not cleaned.startswith("/"):
        return "path must be absolute"
    if not cleaned.startswith(_PREFIX + "/"):
        return f'"{cleaned}" is not under "{_PREFIX}"'
    return ""
