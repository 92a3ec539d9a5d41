"""The kinds of objects that a cluster serves and the lab reads, and where they are served."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import quote

from kueuelab.live.errors import LiveError
from kueuelab.messages import Message

__all__ = [
    "DEVICES",
    "EVENTS",
    "JOBS",
    "KUEUE",
    "KUEUE_GROUP",
    "LEASES",
    "NAMESPACES",
    "NODES",
    "NODE_LEASES",
    "PODS",
    "READ",
    "RESOURCE_SLICES",
    "SURROUNDINGS",
    "VISIBILITY_GROUP",
    "WORKLOADS",
    "Json",
    "Resource",
    "resource_of",
]

#: An object as the API serves it.
Json = dict[str, Any]

KUEUE_GROUP: Final = "kueue.x-k8s.io"
#: What needs no escape in a part of a path.
_PLAIN: Final = ":@!$&'()*+,;="
VISIBILITY_GROUP: Final = "visibility.kueue.x-k8s.io"


@dataclass(frozen=True, slots=True)
class Resource:
    """One kind: its names, its API group and version, and whether it lives in namespaces.

    Examples
    --------
    >>> Resource("LocalQueue", "localqueues", "kueue.x-k8s.io", "v1beta2").path("team-a", "main")
    '/apis/kueue.x-k8s.io/v1beta2/namespaces/team-a/localqueues/main'
    >>> Resource("Node", "nodes", "", "v1", namespaced=False).path()
    '/api/v1/nodes'
    """

    kind: str
    plural: str
    group: str
    version: str
    namespaced: bool = True

    @property
    def api_version(self) -> str:
        """As written in a manifest."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def path(self, namespace: str = "", name: str = "") -> str:
        """Return the path of the collection, or of one object.

        Raises
        ------
        LiveError
            If a name would lead to another path.
        """
        for part in (namespace, name):
            if part in (".", "..") or "/" in part:
                message = Message("live.access.no-name", name=part)
                raise LiveError(message, "refused", hint=Message("live.access.no-name.hint"))
        namespace, name = quote(namespace, _PLAIN), quote(name, _PLAIN)
        root = f"/apis/{self.group}" if self.group else "/api"
        inside = f"/namespaces/{namespace}" if namespace and self.namespaced else ""
        return f"{root}/{self.version}{inside}/{self.plural}" + (f"/{name}" if name else "")

    def served_in(self, version: str) -> Resource:
        """Return the same kind in another version."""
        return replace(self, version=version)


def _kueue(kind: str, plural: str, *, namespaced: bool = False) -> Resource:
    return Resource(kind, plural, KUEUE_GROUP, "v1beta2", namespaced)


WORKLOADS: Final = _kueue("Workload", "workloads", namespaced=True)
JOBS: Final = Resource("Job", "jobs", "batch", "v1")
NAMESPACES: Final = Resource("Namespace", "namespaces", "", "v1", namespaced=False)
#: By which a run tells that it is still going.
LEASES: Final = Resource("Lease", "leases", "coordination.k8s.io", "v1")
#: Where the Leases of nodes are, by which their kubelets tell that they run.
NODE_LEASES: Final = "kube-node-lease"
NODES: Final = Resource("Node", "nodes", "", "v1", namespaced=False)
EVENTS: Final = Resource("Event", "events", "", "v1")
#: They take room on nodes; read only where there are topologies.
PODS: Final = Resource("Pod", "pods", "", "v1")

#: Kueue's own kinds, in the order in which they are applied.
KUEUE: Final = (
    _kueue("Topology", "topologies"),
    _kueue("ResourceFlavor", "resourceflavors"),
    _kueue("WorkloadPriorityClass", "workloadpriorityclasses"),
    _kueue("MultiKueueConfig", "multikueueconfigs"),
    _kueue("MultiKueueCluster", "multikueueclusters"),
    _kueue("AdmissionCheck", "admissionchecks"),
    _kueue("Cohort", "cohorts"),
    _kueue("ClusterQueue", "clusterqueues"),
    _kueue("LocalQueue", "localqueues", namespaced=True),
    WORKLOADS,
)

#: What else decides: selectors look at namespaces, limits at LimitRanges, topologies at nodes;
#: a RuntimeClass adds its overhead to what pods ask for.
SURROUNDINGS: Final = (
    NAMESPACES,
    NODES,
    Resource("LimitRange", "limitranges", "", "v1"),
    Resource("PriorityClass", "priorityclasses", "scheduling.k8s.io", "v1", namespaced=False),
    Resource("RuntimeClass", "runtimeclasses", "node.k8s.io", "v1", namespaced=False),
    JOBS,
)

RESOURCE_SLICES: Final = Resource(
    "ResourceSlice", "resourceslices", "resource.k8s.io", "v1", namespaced=False
)
#: Devices that pods claim; read only where some are counted or claimed.
DEVICES: Final = (
    Resource("DeviceClass", "deviceclasses", "resource.k8s.io", "v1", namespaced=False),
    Resource("ResourceClaimTemplate", "resourceclaimtemplates", "resource.k8s.io", "v1"),
    RESOURCE_SLICES,
)

#: All that a snapshot reads; pods come after the topologies that they matter for, and devices
#: after the workloads that claim them.
READ: Final = (*SURROUNDINGS, *KUEUE, PODS, *DEVICES)

_OTHERS: Final = (EVENTS, LEASES, Resource("Secret", "secrets", "", "v1"))

_KNOWN: Final[Mapping[tuple[str, str], Resource]] = {
    (resource.group, resource.kind): resource for resource in (*READ, *_OTHERS)
}

_CLUSTER_WIDE: Final = (
    "ClusterRole",
    "ClusterRoleBinding",
    "CustomResourceDefinition",
    "APIService",
)


def resource_of(obj: Json) -> Resource:
    """Return where an object belongs, by its ``apiVersion`` and ``kind``.

    Examples
    --------
    >>> resource_of({"apiVersion": "batch/v1", "kind": "Job"}).path("team-a")
    '/apis/batch/v1/namespaces/team-a/jobs'
    >>> resource_of({"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet"}).plural
    'jobsets'
    """
    group, slash, version = str(obj["apiVersion"]).rpartition("/")
    if not slash:
        group, version = "", str(obj["apiVersion"])
    kind = str(obj["kind"])
    known = _KNOWN.get((group, kind))
    if known is not None:
        return known.served_in(version)
    lower = kind.lower()
    plural = lower + "es" if lower.endswith(("s", "x", "ch")) else lower + "s"
    if lower.endswith("y"):
        plural = lower[:-1] + "ies"
    return Resource(kind, plural, group, version, kind not in _CLUSTER_WIDE)
