"""What the fields of each kind hold: a name, of what; labels; a message; or what is kept.

A field that no table has is left out of a redacted dump: it decides nothing that the lab
knows of, and may hold anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, TypeAlias

__all__ = ["KINDS", "Apart", "Field", "Names", "Special", "stem_of"]


class Special(Enum):
    """What a field holds that is neither a name nor has fields of its own."""

    #: Words of the API, amounts, times, uids, switches.
    KEPT = auto()
    #: Labels or annotations.
    LABELS = auto()
    #: The name of what is described beside it: of a kind, or a priority class.
    OWN_NAME = auto()
    MESSAGE = auto()
    #: The key of a label or taint; or keys.
    KEY = auto()
    #: Values of the label or taint whose key stands beside.
    VALUE_OF_KEY = auto()
    #: A controller: kept if it is Kueue's or Kubernetes'.
    THEIRS = auto()
    #: Where pods are placed.
    TOPOLOGY = auto()
    #: The metadata of an object, whose kind stands beside.
    OBJECT = auto()


@dataclass(frozen=True, slots=True)
class Apart:
    """A mapping whose keys are resources, and what its values are."""

    values: Field


#: Gives another name: of what it is the name, and the name.
Names: TypeAlias = Callable[[str, str], str]
#: What a field holds; text says of what it is the name. Items of lists are the same.
Field: TypeAlias = "str | Special | Apart | Fields"
#: What the fields of an object hold.
Fields: TypeAlias = "Mapping[str, Field]"

_STEMS: Final = {
    "AdmissionCheck": "check",
    "ClusterQueue": "queue",
    "LimitRange": "limits",
    "LocalQueue": "local-queue",
    "MultiKueueCluster": "cluster",
    "MultiKueueConfig": "config",
    "PodSet": "pod-set",
    "PriorityClass": "pod-priority",
    "ResourceFlavor": "flavor",
    "RuntimeClass": "runtime",
    "WorkloadPriorityClass": "priority",
}


def stem_of(kind: str) -> str:
    """Return how something of a kind is called.

    Examples
    --------
    >>> stem_of("ClusterQueue"), stem_of("Namespace")
    ('queue', 'namespace')
    """
    return _STEMS.get(kind, kind.lower())


_KEPT: Final = Special.KEPT


def _kept(*names: str) -> dict[str, Field]:
    return dict.fromkeys(names, Special.KEPT)


_METADATA: Final[Fields] = {
    **_kept("uid", "creationTimestamp", "deletionTimestamp", "generation", "resourceVersion"),
    "finalizers": _KEPT,  # those of Kueue and Kubernetes
    "namespace": "Namespace",
    "labels": Special.LABELS,
    "annotations": Special.LABELS,
    "ownerReferences": {
        **_kept("apiVersion", "kind", "uid", "controller", "blockOwnerDeletion"),
        "name": Special.OWN_NAME,
    },
}
_CONDITIONS: Final[Field] = {
    **_kept("type", "status", "reason", "lastTransitionTime", "observedGeneration"),
    "message": Special.MESSAGE,
}
#: Of others than Kueue: their reasons are their own words.
_FOREIGN_CONDITIONS: Final[Fields] = _kept("type", "status", "lastTransitionTime")
_ACTIVE: Final[Field] = {"conditions": _CONDITIONS}

_EXPRESSIONS: Final[Field] = {"key": Special.KEY, "operator": _KEPT, "values": Special.VALUE_OF_KEY}
_SELECTOR: Final[Field] = {"matchLabels": Special.LABELS, "matchExpressions": _EXPRESSIONS}
_TAINTS: Final[Field] = {
    **_kept("operator", "effect", "tolerationSeconds", "timeAdded"),
    "key": Special.KEY,
    "value": Special.VALUE_OF_KEY,
}
_TERM: Final[Field] = {"matchExpressions": _EXPRESSIONS, "matchFields": _EXPRESSIONS}
_NODE_AFFINITY: Final[Field] = {
    "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": _TERM},
    "preferredDuringSchedulingIgnoredDuringExecution": {"weight": _KEPT, "preference": _TERM},
}
_CONTAINERS: Final[Field] = {
    **_kept("resources", "restartPolicy", "image", "command"),  # pruned to a time to sleep
    "name": "Container",
}
_TEMPLATE: Final[Field] = {
    "metadata": {"labels": Special.LABELS, "annotations": Special.LABELS},
    "spec": {
        **_kept("overhead", "priority", "resources", "restartPolicy"),
        "affinity": {"nodeAffinity": _NODE_AFFINITY},
        "containers": _CONTAINERS,
        "initContainers": _CONTAINERS,
        "nodeSelector": Special.LABELS,
        "priorityClassName": "PriorityClass",
        "runtimeClassName": "RuntimeClass",
        "resourceClaims": {
            "name": "Claim",
            "resourceClaimName": "ResourceClaim",
            "resourceClaimTemplateName": "ResourceClaimTemplate",
        },
        "schedulingGates": {"name": Special.THEIRS},
        "tolerations": _TAINTS,
        "topologySpreadConstraints": {
            **_kept("maxSkew", "whenUnsatisfiable"),
            "topologyKey": Special.KEY,
            "labelSelector": _SELECTOR,
        },
    },
}
_GROUPS: Final[Field] = {
    "coveredResources": _KEPT,
    "flavors": {"name": "ResourceFlavor", "resources": _KEPT},
}
_FAIR_STATUS: Final[Fields] = {"fairSharing": _KEPT, "conditions": _CONDITIONS}

_WORKLOAD: Final[Fields] = {
    "spec": {
        **_kept("active", "maximumExecutionTimeSeconds", "priority", "priorityClassSource"),
        "podSets": {
            **_kept("count", "minCount"),
            "name": "PodSet",
            "template": _TEMPLATE,
            "topologyRequest": {
                **_kept("unconstrained", "podIndexLabel", "subGroupIndexLabel"),
                **_kept("subGroupCount", "podSetSliceSize"),
                "preferred": Special.KEY,
                "required": Special.KEY,
                "podSetSliceRequiredTopology": Special.KEY,
                "podsetSliceRequiredTopologyConstraints": {
                    "size": _KEPT,
                    "topology": Special.KEY,
                },
                "podSetGroupName": "Group",
            },
        },
        "preemptionGates": {"name": Special.THEIRS},
        "priorityClassName": Special.OWN_NAME,
        "priorityClassRef": {**_kept("group", "kind"), "name": Special.OWN_NAME},
        "queueName": "LocalQueue",
    },
    "status": {
        **_kept("accumulatedPastExecutionTimeSeconds", "requeueState", "schedulingStats"),
        "admission": {
            "clusterQueue": "ClusterQueue",
            "podSetAssignments": {
                **_kept("count", "resourceUsage", "delayedTopologyRequest"),
                "name": "PodSet",
                "flavors": Apart("ResourceFlavor"),
                "topologyAssignment": Special.TOPOLOGY,
            },
        },
        "admissionChecks": {
            **_kept("state", "lastTransitionTime", "requeueAfterSeconds", "retryCount"),
            "name": "AdmissionCheck",
            "message": Special.MESSAGE,
            "podSetUpdates": {
                "name": "PodSet",
                "labels": Special.LABELS,
                "annotations": Special.LABELS,
                "nodeSelector": Special.LABELS,
                "tolerations": _TAINTS,
            },
        },
        "clusterName": "MultiKueueCluster",
        "conditions": _CONDITIONS,
        "nominatedClusterNames": "MultiKueueCluster",
        "preemptionGates": {**_kept("position", "lastTransitionTime"), "name": Special.THEIRS},
        "reclaimablePods": {"count": _KEPT, "name": "PodSet"},
        "resourceRequests": {"name": "PodSet", "resources": _KEPT},
        "unhealthyNodes": {"name": "Node"},
    },
}

_CLUSTER_QUEUE: Final[Fields] = {
    "spec": {
        **_kept("admissionScope", "fairSharing", "flavorFungibility", "preemption"),
        **_kept("queueingStrategy", "stopPolicy"),
        "admissionChecks": "AdmissionCheck",
        "admissionChecksStrategy": {
            "admissionChecks": {"name": "AdmissionCheck", "onFlavors": "ResourceFlavor"}
        },
        "cohort": "Cohort",
        "cohortName": "Cohort",
        "namespaceSelector": _SELECTOR,
        "resourceGroups": _GROUPS,
    },
    "status": _FAIR_STATUS,
}

_KUBE_CONFIG: Final[Field] = {"locationType": _KEPT, "location": "Secret", "name": "Secret"}

_CONFIGURATION: Final[Fields] = {
    **_kept("apiVersion", "kind", "admissionFairSharing", "fairSharing", "featureGates"),
    **_kept("manageJobsWithoutQueueName", "objectRetentionPolicies", "waitForPodsReady"),
    "integrations": _kept("frameworks"),
    "managedJobsNamespaceSelector": _SELECTOR,
    "multiKueue": {
        **_kept("gcInterval", "workerLostTimeout"),
        "dispatcherName": Special.THEIRS,
    },
    "resources": {
        **_kept("excludeResourcePrefixes", "quotaCheckStrategy", "transformations"),
        "deviceClassMappings": {**_kept("name", "sources"), "deviceClassNames": "DeviceClass"},
    },
}
# Selectors and attributes may hold anything, so they are left out.
_DEVICE_REQUESTS: Final[Field] = {
    "devices": {
        "requests": {
            "name": "DeviceRequest",
            "exactly": {
                **_kept("allocationMode", "count", "adminAccess", "capacity"),
                "deviceClassName": "DeviceClass",
            },
            "firstAvailable": {"name": "DeviceRequest", "deviceClassName": "DeviceClass"},
        }
    }
}

_OBJECTS: Final[Mapping[str, Mapping[str, Field]]] = {
    "AdmissionCheck": {
        "spec": {
            "controllerName": Special.THEIRS,
            "parameters": {**_kept("apiGroup", "kind"), "name": Special.OWN_NAME},
            "retryDelayMinutes": _KEPT,
        },
        "status": {"conditions": _FOREIGN_CONDITIONS},
    },
    "ClusterQueue": _CLUSTER_QUEUE,
    "Cohort": {
        "spec": {
            "fairSharing": _KEPT,
            "parent": "Cohort",
            "parentName": "Cohort",
            "resourceGroups": _GROUPS,
        },
        "status": _FAIR_STATUS,
    },
    "DeviceClass": {"spec": _kept("extendedResourceName")},
    "Job": {
        "spec": {
            **_kept("activeDeadlineSeconds", "backoffLimit", "completionMode", "completions"),
            **_kept("parallelism", "podReplacementPolicy", "suspend", "ttlSecondsAfterFinished"),
            "managedBy": Special.THEIRS,
            "selector": _SELECTOR,
            "template": _TEMPLATE,
        },
        "status": {
            "conditions": {**_kept("reason", "lastProbeTime"), **_FOREIGN_CONDITIONS},
        },
    },
    "LimitRange": {"spec": _KEPT},
    "LocalQueue": {
        "spec": {**_kept("fairSharing", "stopPolicy"), "clusterQueue": "ClusterQueue"},
        "status": _FAIR_STATUS,
    },
    "MultiKueueCluster": {
        "spec": {
            "clusterSource": {
                "kubeConfig": _KUBE_CONFIG,
                "clusterProfileRef": {"name": "Secret"},
            },
            "kubeConfig": _KUBE_CONFIG,
        },
        "status": {"conditions": _CONDITIONS},
    },
    "MultiKueueConfig": {"spec": {"clusters": "MultiKueueCluster"}},
    "Namespace": {},
    "Node": {
        "spec": {"unschedulable": _KEPT, "taints": _TAINTS},
        "status": {**_kept("allocatable", "capacity"), "conditions": _FOREIGN_CONDITIONS},
    },
    "Pod": {
        "spec": {
            **_kept("overhead", "resources"),
            "containers": _CONTAINERS,
            "initContainers": _CONTAINERS,
            "nodeName": "Node",
            "nodeSelector": Special.LABELS,
            "schedulingGates": {"name": Special.THEIRS},
        },
        "status": _kept("phase"),
    },
    "PriorityClass": _kept("value", "globalDefault", "preemptionPolicy"),
    "ResourceClaimTemplate": {"spec": {"spec": _DEVICE_REQUESTS}},
    "ResourceSlice": {
        "spec": {
            "driver": _KEPT,
            "pool": {**_kept("generation", "resourceSliceCount"), "name": "ResourcePool"},
            "devices": {**_kept("capacity", "consumesCounters"), "name": "Device"},
        }
    },
    "ResourceFlavor": {
        "spec": {
            "nodeLabels": Special.LABELS,
            "nodeTaints": _TAINTS,
            "tolerations": _TAINTS,
            "topologyName": "Topology",
        }
    },
    "RuntimeClass": {"handler": "RuntimeClass", "overhead": _KEPT},
    "Topology": {"spec": {"levels": {"nodeLabel": Special.KEY}}},
    "Workload": _WORKLOAD,
    "WorkloadPriorityClass": _kept("value"),
}

#: The fields of each kind; under ``metadata`` those of any object's metadata.
KINDS: Final[Mapping[str, Mapping[str, Field]]] = {
    "metadata": _METADATA,
    "Configuration": _CONFIGURATION,
    **{
        kind: {**_kept("apiVersion", "kind"), "metadata": Special.OBJECT, **fields}
        for kind, fields in _OBJECTS.items()
    },
}
