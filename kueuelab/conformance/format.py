"""The format of a step's record, as shapes to compare by.

What each field means is in ``tests/conformance/README.md``; the order of fields here is
the order in which differences are reported.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

from kueuelab.conformance.shapes import (
    ABSENT,
    PLAIN,
    Cycles,
    Events,
    Field,
    Listing,
    Map,
    Record,
    Value,
)
from kueuelab.model.times import parse_time
from kueuelab.quantity import Quantity, QuantityError

__all__ = ["STEP"]


def _same_quantity(left: Any, right: Any) -> bool:
    # "unlimited" is no quantity, and so is equal to itself alone.
    try:
        return Quantity.parse(left) == Quantity.parse(right)
    except QuantityError:
        return False


def _same_number(left: Any, right: Any) -> bool:
    try:
        return Decimal(str(left)) == Decimal(str(right))
    except InvalidOperation:
        return False


def _same_time(left: Any, right: Any) -> bool:
    try:
        return parse_time(left) == parse_time(right)
    except (TypeError, ValueError):
        return False


_QUANTITIES = Map(Value(_same_quantity))
_USAGE = Map(_QUANTITIES)
# The recorder decides whether a resource of which nothing was consumed is there.
_CONSUMED = Map(Value(_same_quantity), absent="0")
_NUMBER = Value(_same_number)
_TIME = Value(_same_time)
_NAMES = Map(PLAIN)


def _plain(*names: str, absent: Any = ABSENT, words: bool = False) -> dict[str, Field]:
    return {name: Field(PLAIN, absent, words) for name in names}


_EVENT = Record(_plain("type", "reason", "object", "message"))

_FLAVOR = Record(_plain("name", "mode", "borrow", "triedFlavorIdx"))

_ATTEMPT = Record(
    _plain("flavor", "mode", "borrow")
    | _plain("preemptionPossibility", "noFitReason", absent="")
    | _plain("reasons", absent=[])
)

_POD_SET = Record(
    _plain("name", "count")
    | _plain("mode", absent="")
    | {"flavors": Field(Map(_FLAVOR), {})}
    | _plain("topologyAssignment", absent=None)
    | _plain("reasons", absent=[], words=True)
    | _plain("error", absent="", words=True)
    | {"flavorAttempts": Field(Listing(_ATTEMPT, "flavor"), [], words=True)}
)

_TARGET = Record(_plain("workload", "reason"))

_ENTRY = Record(
    _plain("workload", "clusterQueue")
    | _plain("status", "mode", absent="")
    | _plain("borrowing", absent=0)
    | _plain("isPreemptor", "secondPass", absent=False)
    | {"podSets": Field(Listing(_POD_SET, "name"), [])}
    | {"targets": Field(Listing(_TARGET, "workload"), [])}
    | _plain("requeueReason", absent="")
    | _plain("flavorsConsidered", "message", "quotaReservedReason", absent="", words=True)
)

_CYCLE = Record(
    _plain("heads")
    | _plain("blocked", "resumed", absent=False)
    | {"entries": Field(Listing(_ENTRY, "workload"), [])}
    | {"inadmissible": Field(Listing(_ENTRY, "workload"), [])}
)

_ADMITTED_POD_SET = Record(
    _plain("name", "count")
    | {"flavors": Field(_NAMES, {}), "usage": Field(_QUANTITIES, {})}
    | _plain("topologyAssignment", "delayedTopologyRequest", absent=None)
)

_WORKLOAD = Record(
    {
        "admission": Field(
            Record(
                _plain("clusterQueue") | {"podSets": Field(Listing(_ADMITTED_POD_SET, "name"), [])}
            )
        ),
        "conditions": Field(
            Listing(
                Record(_plain("type", "status", "reason") | _plain("message", words=True)),
                "type",
            )
        ),
        "admissionChecks": Field(
            Listing(
                Record(_plain("name", "state") | _plain("message", absent="", words=True)),
                "name",
            )
        ),
        "requeueState": Field(
            Record(_plain("count", absent=0) | {"requeueAt": Field(_TIME, None)})
        ),
        "active": Field(PLAIN, True),
    }
)

_SHARES = {"weightedShare": Field(PLAIN), "preciseWeightedShare": Field(_NUMBER)}

_CLUSTER_QUEUE = Record(
    _plain("active")
    | {"usage": Field(_USAGE, {})}
    | _plain("pendingActive", "inadmissible", absent=[])
    | _SHARES
)

_COHORT = Record({"usage": Field(_USAGE, {}), "subtreeQuota": Field(_USAGE, {})} | _SHARES)

_LOCAL_QUEUE = Record(
    {
        "consumed": Field(_CONSUMED, {}),
        "pendingPenalty": Field(_QUANTITIES, {}),
        "usage": Field(_NUMBER),
    }
)

_STATE = Record(
    {
        "workloads": Field(Map(_WORKLOAD), {}),
        "clusterQueues": Field(Map(_CLUSTER_QUEUE), {}),
        "cohorts": Field(Map(_COHORT), {}),
        "localQueues": Field(Map(_LOCAL_QUEUE), {}),
    }
)

STEP = Record(
    _plain("op")
    | _plain("skipped", absent=False)
    | {"error": Field(PLAIN, "")}
    | {"cycles": Field(Cycles(_CYCLE), [])}
    | {"events": Field(Events(_EVENT), [], words=True)}
    | {"state": Field(_STATE)}
    | _plain("rounds")
    | {"time": Field(_TIME)}
)
