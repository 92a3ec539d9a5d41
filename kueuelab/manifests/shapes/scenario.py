"""Shapes of the scenario file: its head, its actions, its expectations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from kueuelab.manifests.jobs.kinds import JOB_KINDS
from kueuelab.manifests.reading.paths import Path
from kueuelab.manifests.scenario import WORKLOAD_STATES
from kueuelab.manifests.shapes.core import LABELS, TOLERATION
from kueuelab.manifests.shapes.names import dns_label, dns_subdomain
from kueuelab.manifests.shapes.shape import (
    ANYTHING,
    BOOLEAN,
    DURATION,
    LONGEST,
    TEXT,
    TEXT_MAP,
    TIME,
    Integer,
    ListOf,
    MapOf,
    Mistake,
    Number,
    OneOf,
    QuantityShape,
    Record,
    Shape,
    Text,
)
from kueuelab.model.times import SECOND

__all__ = ["ACTION", "EXPECTATION", "SCENARIO", "SUBMIT", "VERBS"]

_COUNT: Final = Integer(minimum=0)
_REFERENCE: Final = Text(longest=320, shortest=1)


@dataclass(frozen=True, slots=True)
class _Moment:
    """A time since the start, or a time span: a duration, or a number of seconds."""

    def check(self, value: Any, path: Path, found: list[Mistake]) -> None:
        """Append what is wrong with ``value`` to ``found``."""
        shape: Shape = DURATION if isinstance(value, str) else _SECONDS
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            shape.check(value, path, found)
        else:
            DURATION.check(value, path, found)


@dataclass(frozen=True, slots=True)
class _Either:
    """Text, or a mapping with fields."""

    text: Shape
    record: Shape

    def check(self, value: Any, path: Path, found: list[Mistake]) -> None:
        """Append what is wrong with ``value`` to ``found``."""
        shape = self.record if isinstance(value, Mapping) else self.text
        shape.check(value, path, found)


#: A whole number, as a float would round the longest duration up.
_SECONDS: Final = Number(minimum=0, maximum=LONGEST // SECOND)
MOMENT: Final = _Moment()

_KUBECONFIGS: Final = (
    *("valid", "garbage", "missing-key", "insecure", "wrong-token", "missing-secret"),
    "unreachable",
)

#: Kinds that a worker may lack.
_CRDS: Final = (
    "Workload",
    *(kind.kind for kind in JOB_KINDS.values() if kind.is_custom),
)
_CRD_OF_WORKER: Final = Record(
    {"worker": _REFERENCE, "kind": OneOf(_CRDS)}, required=("worker", "kind")
)

#: What can happen, and what is to be said about it.
VERBS: Final[Mapping[str, Shape]] = {
    "submit": ANYTHING,
    "apply": ANYTHING,
    "finish": _REFERENCE,
    "delete": _REFERENCE,
    "remove": _Either(
        _REFERENCE,
        Record({"kind": TEXT, "name": TEXT, "namespace": TEXT}, required=("kind", "name")),
    ),
    "setCheck": Record(
        {
            "workload": _REFERENCE,
            "check": _REFERENCE,
            "state": OneOf(("Pending", "Ready", "Retry", "Rejected")),
            "message": TEXT,
            "requeueAfter": MOMENT,
        },
        required=("workload", "check", "state"),
    ),
    "podsReady": _Either(
        _REFERENCE,
        Record({"workload": _REFERENCE, "ready": BOOLEAN}, required=("workload",)),
    ),
    "setActive": Record(
        {"workload": _REFERENCE, "active": BOOLEAN}, required=("workload", "active")
    ),
    "reclaim": Record(
        {"workload": _REFERENCE, "pods": MapOf(_COUNT)}, required=("workload", "pods")
    ),
    "advance": MOMENT,
    "disconnect": _REFERENCE,
    "reconnect": _REFERENCE,
    "restartKueue": _REFERENCE,
    "stopKueue": _REFERENCE,
    "startKueue": _REFERENCE,
    "setKubeconfig": Record(
        {"worker": _REFERENCE, "state": OneOf(_KUBECONFIGS)}, required=("worker", "state")
    ),
    "removeCRD": _CRD_OF_WORKER,
    "installCRD": _CRD_OF_WORKER,
}


def _one_verb(action: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    verbs = [name for name in action if name in VERBS and action[name] is not None]
    if len(verbs) != 1:
        message = "an action does one thing" + (f", not {' and '.join(verbs)}" if verbs else "")
        yield Mistake(path, message, f"Write one of {', '.join(VERBS)}")
    elif "runs" in action and verbs[0] not in ("submit", "apply"):
        yield Mistake((*path, "runs"), f"'{verbs[0]}' starts nothing that could run", at_name=True)


ACTION: Final = Record({"at": MOMENT, "cluster": TEXT, "runs": MOMENT, **VERBS}, rules=(_one_verb,))

_POD_SET: Final[Mapping[str, Shape]] = {
    "requests": MapOf(QuantityShape(minimum=0)),
    "count": _COUNT,
    "minCount": Integer(minimum=1),
    "nodeSelector": TEXT_MAP,
    "tolerations": ListOf(TOLERATION),
}


def _min_count(submit: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    count = submit.get("count", submit.get("pods", 1))
    if submit.get("minCount") is not None and submit["minCount"] > count:
        message = "minCount should be positive and less or equal to count"
        yield Mistake((*path, "minCount"), message)


def _one_description(submit: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    if "count" in submit and "pods" in submit:
        yield Mistake((*path, "pods"), "the same as 'count'", "Keep one of the two")
    if "podSets" in submit:
        for name in ("pods", *_POD_SET):
            if name in submit:
                hint = "Say it for each pod set"
                yield Mistake((*path, name), "not together with 'podSets'", hint, at_name=True)


#: The short form of a job.
SUBMIT: Final = Record(
    {
        "job": Text(longest=253, shortest=1, valid=dns_subdomain),
        "queue": Text(longest=253, shortest=1, valid=dns_subdomain),
        "namespace": Text(longest=63, shortest=1, valid=dns_label),
        **_POD_SET,
        "pods": _COUNT,
        "podSets": ListOf(
            Record(
                {"name": Text(longest=63, shortest=1, valid=dns_label), **_POD_SET},
                rules=(_min_count,),
            ),
            most=18,
            least=1,
            unique_by="name",
            default_key="main",
        ),
        "priorityClass": _REFERENCE,
        "priority": Integer(),
        "labels": LABELS,
        "annotations": TEXT_MAP,
        "active": BOOLEAN,
        "maximumExecutionTime": MOMENT,
        "runs": MOMENT,
        "stops": MOMENT,
    },
    required=("job", "queue"),
    rules=(_min_count, _one_description),
)


def _one_subject(expectation: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    if expectation.get("workload"):
        wrong = [name for name in ("usage", "pending", "admitted") if name in expectation]
        for name in wrong:
            hint = "Write another expectation, without 'workload'"
            message = f"'{name}' is expected of a clusterQueue, not of a workload"
            yield Mistake((*path, name), message, hint, at_name=True)
    elif expectation.get("clusterQueue"):
        for name in ("is", "reason", "message", "flavors", "count"):
            if name in expectation:
                message = f"'{name}' is expected of a workload"
                yield Mistake((*path, name), message, "Add 'workload'", at_name=True)
    else:
        yield Mistake(path, "nothing is expected of anything", "Add 'workload' or 'clusterQueue'")


EXPECTATION: Final = Record(
    {
        "at": MOMENT,
        "cluster": TEXT,
        "workload": _REFERENCE,
        "is": OneOf(WORKLOAD_STATES),
        "reason": TEXT,
        "message": TEXT,
        "clusterQueue": _REFERENCE,
        "flavors": TEXT_MAP,
        "count": _COUNT,
        "usage": MapOf(MapOf(QuantityShape(minimum=0))),
        "pending": _COUNT,
        "admitted": _COUNT,
    },
    required=("at",),
    rules=(_one_subject,),
)

_CLUSTER: Final[Mapping[str, Shape]] = {"configuration": ANYTHING, "manifests": ListOf(ANYTHING)}
_WORKER: Final = Record({**_CLUSTER, "missingCRDs": ListOf(OneOf(_CRDS), unique_by="")})

#: The scenario file but for what is checked piece by piece.
SCENARIO: Final = Record(
    {
        "apiVersion": OneOf(("kueuelab/v1",)),
        "kind": TEXT,
        "metadata": Record(
            {
                "name": TEXT,
                "title": TEXT,
                "description": TEXT,
                "labels": TEXT_MAP,
                "annotations": TEXT_MAP,
            }
        ),
        "spec": Record(
            {
                "description": TEXT,
                "start": TIME,
                "configuration": ANYTHING,
                "manifests": ListOf(ANYTHING),
                "clusters": Record({"manager": Record(_CLUSTER), "workers": MapOf(_WORKER)}),
                "timeline": ListOf(ANYTHING),
                "expect": ListOf(ANYTHING),
            }
        ),
    },
    required=("spec",),
)
