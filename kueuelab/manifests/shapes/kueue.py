"""Shapes of Kueue's own kinds, v1beta2. See https://kueue.sigs.k8s.io/docs/reference/."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kueuelab.manifests.shapes import rules
from kueuelab.manifests.shapes.core import (
    AMOUNTS,
    CONDITIONS,
    LABEL_SELECTOR,
    LABELS,
    POD_TEMPLATE,
    TAINT,
    TOLERATION,
    manifest,
    namespaced_manifest,
)
from kueuelab.manifests.shapes.names import dns_label, dns_subdomain, resource_name
from kueuelab.manifests.shapes.shape import (
    ANYTHING,
    BOOLEAN,
    TEXT,
    TEXT_MAP,
    TIME,
    Integer,
    ListOf,
    MapOf,
    OneOf,
    QuantityShape,
    Record,
    Text,
)

__all__ = ["CHECK_RULE", "CLUSTER_QUEUE_SPEC", "KUEUE_KINDS", "WORKLOAD_SPEC", "WORKLOAD_STATUS"]

_NAME: Final = Text(longest=253, valid=dns_subdomain)
_GIVEN_NAME: Final = Text(longest=253, shortest=1, valid=dns_subdomain)
_POD_SET_NAME: Final = Text(longest=63, valid=dns_label)
_AMOUNT: Final = QuantityShape(minimum=0)
_COUNT: Final = Integer(minimum=0)
_STOP_POLICY: Final = OneOf(("None", "Hold", "HoldAndDrain"))
_FAIR_SHARING: Final = Record({"weight": QuantityShape(minimum=0)})

_RESOURCE_QUOTA: Final = Record(
    {
        "name": Text(shortest=1, valid=resource_name),
        "nominalQuota": _AMOUNT,
        "borrowingLimit": _AMOUNT,
        "lendingLimit": _AMOUNT,
    },
    required=("name",),
)
_FLAVOR_QUOTAS: Final = Record(
    {
        "name": _GIVEN_NAME,
        "resources": ListOf(_RESOURCE_QUOTA, most=64, least=1, unique_by="name"),
    },
    required=("name", "resources"),
)
_RESOURCE_GROUP: Final = Record(
    {
        "coveredResources": ListOf(Text(shortest=1, valid=resource_name), most=64, least=1),
        "flavors": ListOf(_FLAVOR_QUOTAS, most=64, least=1, unique_by="name"),
    },
    required=("coveredResources", "flavors"),
    rules=(rules.covered_resources_match,),
)
_RESOURCE_GROUPS: Final = ListOf(_RESOURCE_GROUP, most=16)

_FLAVOR_FUNGIBILITY: Final = Record(
    {
        "whenCanBorrow": OneOf(("MayStopSearch", "TryNextFlavor")),
        "whenCanPreempt": OneOf(("MayStopSearch", "TryNextFlavor")),
        "preference": OneOf(("BorrowingOverPreemption", "PreemptionOverBorrowing")),
    },
    rules=(rules.preference_needs_try_next_flavor,),
)
_PREEMPTION: Final = Record(
    {
        "withinClusterQueue": OneOf(("Never", "LowerPriority", "LowerOrNewerEqualPriority")),
        "reclaimWithinCohort": OneOf(("Never", "LowerPriority", "Any")),
        "borrowWithinCohort": Record(
            {"policy": OneOf(("Never", "LowerPriority")), "maxPriorityThreshold": Integer()}
        ),
    },
    rules=(rules.borrowing_needs_reclaim,),
)
CHECK_RULE: Final = Record(
    {
        "name": Text(longest=316, shortest=1),
        "onFlavors": ListOf(_GIVEN_NAME, most=64, unique_by=""),
    },
    required=("name",),
)

CLUSTER_QUEUE_SPEC: Final = Record(
    {
        "resourceGroups": _RESOURCE_GROUPS,
        "cohortName": _NAME,
        "queueingStrategy": OneOf(("StrictFIFO", "BestEffortFIFO")),
        "namespaceSelector": LABEL_SELECTOR,
        "flavorFungibility": _FLAVOR_FUNGIBILITY,
        "preemption": _PREEMPTION,
        "admissionChecksStrategy": Record(
            {"admissionChecks": ListOf(CHECK_RULE, most=64, least=1, unique_by="name")},
        ),
        "stopPolicy": _STOP_POLICY,
        "fairSharing": _FAIR_SHARING,
        "admissionScope": Record(
            {"admissionMode": OneOf(("UsageBasedAdmissionFairSharing", "NoAdmissionFairSharing"))},
            required=("admissionMode",),
        ),
        "concurrentAdmissionPolicy": Record(
            {
                "migration": Record(
                    {
                        "mode": OneOf(("TryPreferredFlavors", "RetainFirstAdmission")),
                        "constraints": Record({"lastAcceptableFlavorName": _NAME}),
                    },
                    required=("mode",),
                )
            },
            required=("migration",),
        ),
    },
    rules=(
        rules.not_too_many_in_all,
        rules.each_flavor_and_resource_once,
        rules.limits_need("cohortName", "cohort"),
        rules.lending_within_nominal,
        rules.checks_name_own_flavors,
    ),
)

_COHORT_SPEC: Final = Record(
    {"parentName": _NAME, "resourceGroups": _RESOURCE_GROUPS, "fairSharing": _FAIR_SHARING},
    rules=(rules.each_flavor_and_resource_once, rules.limits_need("parentName", "parent")),
)

_LOCAL_QUEUE_SPEC: Final = Record(
    {"clusterQueue": _NAME, "stopPolicy": _STOP_POLICY, "fairSharing": _FAIR_SHARING}
)

_FLAVOR_SPEC: Final = Record(
    {
        "nodeLabels": MapOf(LABELS.value, most=8, valid_name=LABELS.valid_name),
        "nodeTaints": ListOf(TAINT, most=8),
        "tolerations": ListOf(TOLERATION, most=8),
        "topologyName": _NAME,
    },
    rules=(rules.at_least_one_node_label,),
)

_PRIORITY_CLASS_REF: Final = Record(
    {
        "group": OneOf(("kueue.x-k8s.io", "scheduling.k8s.io")),
        "kind": OneOf(("WorkloadPriorityClass", "PriorityClass")),
        "name": _GIVEN_NAME,
    },
    required=("group", "kind", "name"),
    rules=(rules.kind_fits_group,),
)

_TOPOLOGY_REQUEST: Final = Record(
    {
        "required": Text(longest=63),
        "preferred": Text(longest=63),
        "unconstrained": BOOLEAN,
        "podIndexLabel": Text(longest=317),
        "subGroupIndexLabel": Text(longest=317),
        "subGroupCount": Integer(),
        "podSetGroupName": Text(longest=256),
        "podSetSliceRequiredTopology": Text(longest=63),
        "podSetSliceSize": Integer(),
        "podsetSliceRequiredTopologyConstraints": ListOf(
            Record(
                {"topology": Text(longest=63, shortest=1), "size": Integer(minimum=1)},
                required=("topology", "size"),
            ),
            most=3,
        ),
    }
)

_POD_SET: Final = Record(
    {
        "name": _POD_SET_NAME,
        "count": _COUNT,
        "minCount": Integer(minimum=1),
        "template": POD_TEMPLATE,
        "topologyRequest": _TOPOLOGY_REQUEST,
    },
    rules=(rules.min_count_within_count,),
)

WORKLOAD_SPEC: Final = Record(
    {
        "podSets": ListOf(_POD_SET, most=18, least=1, unique_by="name", default_key="main"),
        "queueName": _NAME,
        "priority": Integer(),
        "priorityClassRef": _PRIORITY_CLASS_REF,
        "active": BOOLEAN,
        "maximumExecutionTimeSeconds": Integer(minimum=1),
        "preemptionGates": ListOf(
            Record({"name": Text(longest=63, shortest=1)}, required=("name",)),
            most=8,
            unique_by="name",
        ),
    },
    rules=(rules.priority_with_class, rules.one_min_count),
)

_ASSIGNMENT: Final = Record(
    {
        "name": _POD_SET_NAME,
        "flavors": TEXT_MAP,
        "resourceUsage": AMOUNTS,
        "count": _COUNT,
        "topologyAssignment": ANYTHING,
        "delayedTopologyRequest": OneOf(("Pending", "Ready")),
    }
)
_CHECK_STATE: Final = Record(
    {
        "name": Text(longest=316, shortest=1),
        "state": OneOf(("Pending", "Ready", "Retry", "Rejected")),
        "message": TEXT,
        "lastTransitionTime": TIME,
        "requeueAfterSeconds": _COUNT,
        "retryCount": _COUNT,
        "podSetUpdates": ListOf(
            Record(
                {
                    "name": _POD_SET_NAME,
                    "labels": TEXT_MAP,
                    "annotations": TEXT_MAP,
                    "nodeSelector": TEXT_MAP,
                    "tolerations": ListOf(TOLERATION),
                },
                required=("name",),
            )
        ),
    },
    required=("name",),
)

# A status comes from a server, perhaps from one that is newer than this table.
WORKLOAD_STATUS: Final = Record(
    {
        "conditions": CONDITIONS,
        "admission": Record(
            {
                "clusterQueue": _NAME,
                "podSetAssignments": ListOf(_ASSIGNMENT, most=18, unique_by="name"),
            },
            required=("clusterQueue",),
        ),
        "requeueState": Record({"count": _COUNT, "requeueAt": TIME}),
        "reclaimablePods": ListOf(
            Record({"name": _POD_SET_NAME, "count": _COUNT}, required=("name", "count")),
            unique_by="name",
        ),
        "admissionChecks": ListOf(_CHECK_STATE, unique_by="name"),
        "accumulatedPastExecutionTimeSeconds": Integer(),
        "clusterName": TEXT,
        "nominatedClusterNames": ListOf(TEXT),
        "preemptionGates": ListOf(
            Record({"name": TEXT, "position": TEXT}, required=("name",), open=True)
        ),
    },
    open=True,
)

_STATUS: Final = Record({"conditions": CONDITIONS}, open=True)

_PROVISIONING_SPEC: Final = Record(
    {
        "provisioningClassName": _GIVEN_NAME,
        "parameters": MapOf(Text(longest=255), most=100),
        "managedResources": ListOf(TEXT, most=100, unique_by=""),
        "retryStrategy": Record(
            {
                "backoffLimitCount": Integer(),
                "backoffBaseSeconds": Integer(),
                "backoffMaxSeconds": Integer(),
            }
        ),
        "podSetUpdates": Record(
            {
                "nodeSelector": ListOf(
                    Record(
                        {
                            "key": Text(longest=317, shortest=1),
                            "valueFromProvisioningClassDetail": Text(longest=32768, shortest=1),
                        },
                        required=("key", "valueFromProvisioningClassDetail"),
                    ),
                    most=8,
                    unique_by="key",
                )
            }
        ),
        "podSetMergePolicy": OneOf(
            ("IdenticalPodTemplates", "IdenticalWorkloadSchedulingRequirements")
        ),
    },
    required=("provisioningClassName",),
)

_CHECK_SPEC: Final = Record(
    {
        "controllerName": Text(longest=253, shortest=1),
        "parameters": Record(
            {
                "apiGroup": Text(longest=253, shortest=1, valid=dns_subdomain),
                "kind": Text(longest=63, shortest=1),
                "name": Text(longest=63, shortest=1, valid=dns_label),
            },
            required=("apiGroup", "kind", "name"),
        ),
    },
    required=("controllerName",),
)

_CLUSTER_SOURCE: Final = Record(
    {
        "kubeConfig": Record(
            {
                "location": Text(longest=256, shortest=1),
                "locationType": OneOf(("Secret", "Path")),
            },
            required=("location",),
        ),
        "clusterProfileRef": Record({"name": Text(longest=256, shortest=1)}, required=("name",)),
    },
    rules=(rules.exactly_one_of("kubeConfig", "clusterProfileRef"),),
)

_TOPOLOGY_SPEC: Final = Record(
    {
        "levels": ListOf(
            Record({"nodeLabel": Text(longest=316, shortest=1)}, required=("nodeLabel",)),
            most=16,
            least=1,
            unique_by="nodeLabel",
        )
    },
    required=("levels",),
    rules=(rules.hostname_is_the_lowest_level,),
)

#: Kueue's kinds in v1beta2, by kind.
KUEUE_KINDS: Final[Mapping[str, Record]] = {
    "ResourceFlavor": manifest({"spec": _FLAVOR_SPEC, "status": ANYTHING}),
    "ClusterQueue": manifest({"spec": CLUSTER_QUEUE_SPEC, "status": _STATUS}),
    "Cohort": manifest({"spec": _COHORT_SPEC, "status": _STATUS}),
    "LocalQueue": namespaced_manifest({"spec": _LOCAL_QUEUE_SPEC, "status": _STATUS}),
    "Workload": namespaced_manifest({"spec": WORKLOAD_SPEC, "status": WORKLOAD_STATUS}),
    "WorkloadPriorityClass": manifest(
        {"value": Integer(), "description": Text(longest=2048)}, required=("value",)
    ),
    "AdmissionCheck": manifest({"spec": _CHECK_SPEC, "status": _STATUS}),
    "Topology": manifest({"spec": _TOPOLOGY_SPEC, "status": ANYTHING}, required=("spec",)),
    "MultiKueueConfig": manifest(
        {
            "spec": Record(
                {
                    "clusters": ListOf(Text(longest=256), most=20, least=1),
                    "quotaManagement": OneOf(("Manual", "Automated")),
                },
                required=("clusters",),
                rules=(rules.unique_items("clusters"),),
            )
        },
    ),
    "MultiKueueCluster": manifest(
        {
            "spec": Record({"clusterSource": _CLUSTER_SOURCE}, required=("clusterSource",)),
            "status": _STATUS,
        },
        required=("spec",),
    ),
    "ProvisioningRequestConfig": manifest(
        {"spec": _PROVISIONING_SPEC, "status": ANYTHING}, required=("spec",)
    ),
}
