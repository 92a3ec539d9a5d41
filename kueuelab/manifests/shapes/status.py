"""What the lab reads of the status of Kueue's objects.

A status comes from a server, perhaps from one that is newer than these tables: they are open.
What the API server thinks of everything else is in `kueuelab.manifests.server`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kueuelab.manifests.shapes.core import AMOUNTS, CONDITIONS, TOLERATION
from kueuelab.manifests.shapes.names import dns_label, dns_subdomain
from kueuelab.manifests.shapes.shape import (
    ANYTHING,
    TEXT,
    TEXT_MAP,
    TIME,
    Integer,
    ListOf,
    OneOf,
    Record,
    Shape,
    Text,
)

__all__ = ["STATUSES"]

_NAME: Final = Text(longest=253, valid=dns_subdomain)
_POD_SET_NAME: Final = Text(longest=63, valid=dns_label)
_COUNT: Final = Integer(minimum=0)

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

_WORKLOAD_STATUS: Final = Record(
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
        "resourceRequests": ListOf(Record({"name": TEXT, "resources": AMOUNTS}, open=True)),
        "clusterName": TEXT,
        "nominatedClusterNames": ListOf(TEXT),
        "preemptionGates": ListOf(
            Record({"name": TEXT, "position": TEXT}, required=("name",), open=True)
        ),
    },
    open=True,
)

_CONDITIONS: Final = Record({"conditions": CONDITIONS}, open=True)

#: The status of each kind that has one, by kind.
STATUSES: Final[Mapping[str, Shape]] = {
    "Workload": _WORKLOAD_STATUS,
    **dict.fromkeys(
        ("ClusterQueue", "Cohort", "LocalQueue", "AdmissionCheck", "MultiKueueCluster"),
        _CONDITIONS,
    ),
}
