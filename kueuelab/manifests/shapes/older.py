"""Shapes of Kueue's older versions: what differs from v1beta2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kueuelab.manifests.shapes import rules
from kueuelab.manifests.shapes.core import (
    CONDITIONS,
    LABEL_SELECTOR,
    POD_TEMPLATE,
    TAINT,
    manifest,
    namespaced_manifest,
)
from kueuelab.manifests.shapes.kueue import (
    CHECK_RULE,
    CLUSTER_QUEUE_SPEC,
    KUEUE_KINDS,
    WORKLOAD_SPEC,
    WORKLOAD_STATUS,
)
from kueuelab.manifests.shapes.shape import (
    ANYTHING,
    TEXT,
    TEXT_MAP,
    Integer,
    ListOf,
    OneOf,
    QuantityShape,
    Record,
    Text,
)

__all__ = ["V1ALPHA1_KINDS", "V1BETA1_KINDS"]

_STATUS: Final = Record({"conditions": CONDITIONS}, open=True)

# --- v1beta1: v1beta2 with other names for a few fields ---------------------------------

_CLUSTER_QUEUE: Final = Record(
    {
        **CLUSTER_QUEUE_SPEC.with_fields({}, "cohortName", "concurrentAdmissionPolicy").fields,
        "cohort": TEXT,
        "admissionChecks": ListOf(Text(longest=316, shortest=1), unique_by=""),
        "admissionChecksStrategy": Record({"admissionChecks": ListOf(CHECK_RULE)}),
        "flavorFungibility": Record(
            {
                "whenCanBorrow": OneOf(("Borrow", "MayStopSearch", "TryNextFlavor")),
                "whenCanPreempt": OneOf(("Preempt", "MayStopSearch", "TryNextFlavor")),
                "preference": OneOf(("BorrowingOverPreemption", "PreemptionOverBorrowing")),
            },
            rules=(rules.preference_needs_try_next_flavor,),
        ),
    },
    rules=(
        rules.each_flavor_and_resource_once,
        rules.limits_need("cohort", "cohort"),
        rules.lending_within_nominal,
        rules.checks_name_own_flavors,
    ),
)

_WORKLOAD: Final = Record(
    {
        **WORKLOAD_SPEC.with_fields({}, "priorityClassRef", "preemptionGates").fields,
        "priorityClassName": TEXT,
        "priorityClassSource": OneOf(
            ("", "kueue.x-k8s.io/workloadpriorityclass", "scheduling.k8s.io/priorityclass")
        ),
    }
)

_CLUSTER_SPEC: Final = Record(
    {
        "kubeConfig": Record(
            {"location": TEXT, "locationType": OneOf(("Secret", "Path"))},
            required=("location",),
        ),
        "clusterProfileRef": Record({"name": TEXT}, required=("name",)),
    },
)

_CHECK_SPEC: Final = Record(
    {
        "controllerName": Text(longest=253, shortest=1),
        "parameters": Record(
            {"apiGroup": TEXT, "kind": TEXT, "name": TEXT}, required=("apiGroup", "kind", "name")
        ),
        "retryDelayMinutes": Integer(),
    },
    required=("controllerName",),
)

#: Kueue's kinds in v1beta1, by kind.
V1BETA1_KINDS: Final[Mapping[str, Record]] = {
    **KUEUE_KINDS,
    "ClusterQueue": manifest({"spec": _CLUSTER_QUEUE, "status": _STATUS}),
    "Workload": namespaced_manifest({"spec": _WORKLOAD, "status": WORKLOAD_STATUS}),
    "MultiKueueCluster": manifest({"spec": _CLUSTER_SPEC, "status": _STATUS}),
    "AdmissionCheck": manifest({"spec": _CHECK_SPEC, "status": _STATUS}),
}

# --- v1alpha1: the first releases of 2022, and kinds that were alpha later ----------------

_AMOUNT: Final = QuantityShape(minimum=0)

_OLD_CLUSTER_QUEUE: Final = Record(
    {
        "resources": ListOf(
            Record(
                {
                    "name": Text(shortest=1),
                    "flavors": ListOf(
                        Record(
                            {
                                "name": Text(shortest=1),
                                "quota": Record(
                                    {"min": _AMOUNT, "max": _AMOUNT}, required=("min",)
                                ),
                            },
                            required=("name", "quota"),
                        ),
                        most=16,
                        least=1,
                        unique_by="name",
                    ),
                },
                required=("name", "flavors"),
            ),
            most=16,
            unique_by="name",
        ),
        "cohort": TEXT,
        "queueingStrategy": OneOf(("StrictFIFO", "BestEffortFIFO")),
        "namespaceSelector": LABEL_SELECTOR,
        "preemption": CLUSTER_QUEUE_SPEC.fields["preemption"],
    }
)

_OLD_POD_SETS: Final = ListOf(
    Record(
        {
            "name": TEXT,
            "count": Integer(minimum=0),
            "spec": POD_TEMPLATE.fields["spec"],
        },
        required=("spec",),
    ),
    least=1,
    unique_by="name",
    default_key="main",
)

_OLD_WORKLOAD: Final = Record(
    {
        "podSets": _OLD_POD_SETS,
        "pods": _OLD_POD_SETS,
        "queueName": TEXT,
        "priorityClassName": TEXT,
        "priority": Integer(),
        "admission": ANYTHING,
    }
)

_OLD_FLAVOR: Final = manifest(
    {
        "labels": TEXT_MAP,
        "nodeSelector": TEXT_MAP,
        "taints": ListOf(TAINT, most=8),
        "status": ANYTHING,
    }
)

_OLD_QUEUE: Final = namespaced_manifest(
    {"spec": Record({"clusterQueue": TEXT}), "status": ANYTHING}
)

_OLD_COHORT: Final = manifest(
    {
        "spec": Record(
            {
                "parent": TEXT,
                "parentName": TEXT,
                "resourceGroups": CLUSTER_QUEUE_SPEC.fields["resourceGroups"],
                "fairSharing": CLUSTER_QUEUE_SPEC.fields["fairSharing"],
            }
        ),
        "status": ANYTHING,
    }
)

#: Kueue's kinds in v1alpha1 and v1alpha2, by kind.
V1ALPHA1_KINDS: Final[Mapping[str, Record]] = {
    "Queue": _OLD_QUEUE,
    "LocalQueue": _OLD_QUEUE,
    "ClusterQueue": manifest({"spec": _OLD_CLUSTER_QUEUE, "status": ANYTHING}),
    "ResourceFlavor": _OLD_FLAVOR,
    "Workload": namespaced_manifest({"spec": _OLD_WORKLOAD, "status": ANYTHING}),
    "QueuedWorkload": namespaced_manifest({"spec": _OLD_WORKLOAD, "status": ANYTHING}),
    "Cohort": _OLD_COHORT,
    "Topology": KUEUE_KINDS["Topology"],
    "MultiKueueConfig": KUEUE_KINDS["MultiKueueConfig"],
    "MultiKueueCluster": V1BETA1_KINDS["MultiKueueCluster"],
}
