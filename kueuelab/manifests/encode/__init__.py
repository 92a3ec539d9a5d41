"""From the model back to v1beta2 manifests, as dicts and as YAML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from kueuelab.manifests.encode import cluster, devices, queues
from kueuelab.manifests.encode.configuration import encode_configuration
from kueuelab.manifests.encode.parts import metadata
from kueuelab.manifests.encode.workload import encode_admission, workload
from kueuelab.manifests.result import Manifests
from kueuelab.manifests.writing import write_yaml
from kueuelab.model import RELEASE, Configuration, ModelObject

__all__ = ["dump", "encode_admission", "encode_configuration", "encode_object"]


_ENCODERS: Final[Mapping[str, tuple[str, Callable[[Any], dict[str, Any]]]]] = {
    "Namespace": ("v1", cluster.namespace),
    "Node": ("v1", cluster.node),
    "Pod": ("v1", cluster.pod),
    "LimitRange": ("v1", cluster.limit_range),
    "PriorityClass": ("scheduling.k8s.io/v1", cluster.priority_class),
    "RuntimeClass": ("node.k8s.io/v1", cluster.runtime_class),
    "DeviceClass": ("resource.k8s.io/v1", devices.as_written),
    "ResourceClaim": ("resource.k8s.io/v1", devices.as_written),
    "ResourceClaimTemplate": ("resource.k8s.io/v1", devices.as_written),
    "ResourceSlice": ("resource.k8s.io/v1", devices.as_written),
    "ResourceFlavor": (RELEASE.api_version, queues.resource_flavor),
    "Topology": (RELEASE.api_version, cluster.topology),
    "AdmissionCheck": (RELEASE.api_version, cluster.admission_check),
    "ProvisioningRequestConfig": (RELEASE.api_version, cluster.provisioning_request_config),
    "MultiKueueCluster": (RELEASE.api_version, cluster.multi_kueue_cluster),
    "MultiKueueConfig": (RELEASE.api_version, cluster.multi_kueue_config),
    "Cohort": (RELEASE.api_version, queues.cohort),
    "ClusterQueue": (RELEASE.api_version, queues.cluster_queue),
    "LocalQueue": (RELEASE.api_version, queues.local_queue),
    "WorkloadPriorityClass": (RELEASE.api_version, cluster.workload_priority_class),
    "Workload": (RELEASE.api_version, workload),
}


def encode_object(obj: ModelObject) -> dict[str, Any]:
    """Return an object as the dict of its manifest.

    Examples
    --------
    >>> from kueuelab.model import LocalQueue, ObjectMeta
    >>> encode_object(LocalQueue(ObjectMeta("team-a", namespace="default"), "research"))["spec"]
    {'clusterQueue': 'research'}
    """
    kind = type(obj).__name__
    api_version, encode = _ENCODERS[kind]
    head = {"apiVersion": api_version, "kind": kind, "metadata": metadata(obj.metadata)}
    return {**head, **encode(obj)}


def dump(
    objects: Manifests | Configuration | ModelObject | Iterable[ModelObject | Configuration],
) -> str:
    """Return objects as YAML manifests (v1beta2), one document each.

    What `kueuelab.manifests.load` makes of the text equals the objects.

    Examples
    --------
    >>> from kueuelab.model import Namespace, ObjectMeta
    >>> print(dump([Namespace(ObjectMeta("team-a")), Namespace(ObjectMeta("on"))]), end="")
    apiVersion: v1
    kind: Namespace
    metadata:
      name: team-a
    ---
    apiVersion: v1
    kind: Namespace
    metadata:
      name: 'on'
    """
    return write_yaml(
        _configuration_file(obj) if isinstance(obj, Configuration) else encode_object(obj)
        for obj in _each(objects)
    )


def _configuration_file(configuration: Configuration) -> dict[str, Any]:
    """Return a Configuration as a file: without ``waitForPodsReady`` only v1beta1 can say it.

    A file that names no frameworks has fewer of them than an installed Kueue.
    """
    written = encode_configuration(configuration)
    frameworks = list(configuration.enabled_frameworks)
    written["integrations"] = {"frameworks": frameworks, **(written.get("integrations") or {})}
    if configuration.wait_for_pods_ready is not None:
        return written
    if "fairSharing" in written:
        written["fairSharing"] = {"enable": True, **written["fairSharing"]}
    return {**written, "apiVersion": "config.kueue.x-k8s.io/v1beta1"}


def _each(
    objects: Manifests | Configuration | ModelObject | Iterable[ModelObject | Configuration],
) -> Iterable[ModelObject | Configuration]:
    if isinstance(objects, Manifests):
        if objects.configuration is not None:
            yield objects.configuration
        yield from objects
    elif isinstance(objects, Iterable):
        yield from objects
    else:
        yield objects
