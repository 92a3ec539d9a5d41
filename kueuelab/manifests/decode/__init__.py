"""From the dicts of v1beta2 manifests to the model, with the API's defaults.

Nothing is checked here: what is no manifest of its kind raises whatever Python raises.
`kueuelab.manifests.load` and `kueuelab.manifests.read_object` check first, and say what
is wrong and where.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from kueuelab.errors import InputError, Problem
from kueuelab.manifests.decode import cluster, devices, queues
from kueuelab.manifests.decode.configuration import decode_configuration
from kueuelab.manifests.decode.pods import pod_template
from kueuelab.manifests.decode.workload import workload
from kueuelab.messages import Message
from kueuelab.model import ModelObject

__all__ = [
    "CLUSTER_KINDS",
    "DEFAULT_NAMESPACE",
    "NAMESPACED_KINDS",
    "decode_configuration",
    "decode_object",
    "decode_pod_template",
]

DEFAULT_NAMESPACE: Final = "default"

#: Kinds without a namespace, and what makes them.
CLUSTER_KINDS: Final[Mapping[str, Callable[[Mapping[str, Any]], ModelObject]]] = {
    "Namespace": cluster.namespace,
    "ResourceFlavor": queues.resource_flavor,
    "Topology": cluster.topology,
    "Node": cluster.node,
    "PriorityClass": cluster.priority_class,
    "WorkloadPriorityClass": cluster.workload_priority_class,
    "RuntimeClass": cluster.runtime_class,
    "DeviceClass": devices.device_class,
    "ResourceSlice": devices.resource_slice,
    "ProvisioningRequestConfig": cluster.provisioning_request_config,
    "MultiKueueCluster": cluster.multi_kueue_cluster,
    "MultiKueueConfig": cluster.multi_kueue_config,
    "AdmissionCheck": cluster.admission_check,
    "Cohort": queues.cohort,
    "ClusterQueue": queues.cluster_queue,
}

#: Kinds in a namespace, and what makes them.
NAMESPACED_KINDS: Final[Mapping[str, Callable[[Mapping[str, Any], str], ModelObject]]] = {
    "LimitRange": cluster.limit_range,
    "LocalQueue": queues.local_queue,
    "ResourceClaim": devices.resource_claim,
    "ResourceClaimTemplate": devices.resource_claim_template,
    "Workload": workload,
}

decode_pod_template = pod_template


def decode_object(obj: Mapping[str, Any], *, namespace: str = DEFAULT_NAMESPACE) -> ModelObject:
    """Return the model's object for a v1beta2 (or core Kubernetes) dict.

    Parameters
    ----------
    obj : mapping
        The manifest; it is not copied, so don't change it afterwards.
    namespace : str, optional
        Where namespaced objects belong that name no namespace.

    Raises
    ------
    InputError
        If the kind isn't one of the model's.

    Examples
    --------
    >>> queue = decode_object(
    ...     {
    ...         "kind": "LocalQueue",
    ...         "metadata": {"name": "team-a"},
    ...         "spec": {"clusterQueue": "research"},
    ...     }
    ... )
    >>> queue.key, queue.cluster_queue, queue.stop_policy
    ('default/team-a', 'research', 'None')
    """
    kind = obj.get("kind")
    if kind == "Pod":
        # A pod that waits is a job; it is not among the kinds that a manifest declares.
        return cluster.pod(obj, namespace)
    if in_cluster := CLUSTER_KINDS.get(kind or ""):
        return in_cluster(obj)
    if in_namespace := NAMESPACED_KINDS.get(kind or ""):
        return in_namespace(obj, namespace)
    raise InputError(
        Problem(
            Message("manifests.decode.no-kind", kind=repr(kind))
            if kind
            else Message("manifests.decode.kind-missing"),
            field="kind",
            hint=Message(
                "manifests.decode.no-kind.hint",
                names=", ".join(sorted((*CLUSTER_KINDS, *NAMESPACED_KINDS))),
            ),
        )
    )
