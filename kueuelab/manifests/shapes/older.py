"""Shapes of Kueue's oldest versions, v1alpha1 and v1alpha2, as far as they differ.

They are converted, and what came of that is judged as any other manifest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kueuelab.manifests.shapes.core import (
    LABEL_SELECTOR,
    POD_TEMPLATE,
    TAINT,
    manifest,
    namespaced_manifest,
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

__all__ = ["V1ALPHA1_KINDS"]

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
        "preemption": ANYTHING,
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
                "resourceGroups": ANYTHING,
                "fairSharing": ANYTHING,
            }
        ),
        "status": ANYTHING,
    }
)

_AS_NOW: Final = manifest({"spec": ANYTHING, "status": ANYTHING})

#: Kueue's kinds in v1alpha1 and v1alpha2, by kind.
V1ALPHA1_KINDS: Final[Mapping[str, Record]] = {
    "Queue": _OLD_QUEUE,
    "LocalQueue": _OLD_QUEUE,
    "ClusterQueue": manifest({"spec": _OLD_CLUSTER_QUEUE, "status": ANYTHING}),
    "ResourceFlavor": _OLD_FLAVOR,
    "Workload": namespaced_manifest({"spec": _OLD_WORKLOAD, "status": ANYTHING}),
    "QueuedWorkload": namespaced_manifest({"spec": _OLD_WORKLOAD, "status": ANYTHING}),
    "Cohort": _OLD_COHORT,
    "Topology": _AS_NOW,
    "MultiKueueConfig": _AS_NOW,
    "MultiKueueCluster": _AS_NOW,
}
