"""The rules among fields that the schema of Workloads states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from kueuelab.manifests.server.rule import Object, Rule, every, exactly_one
from kueuelab.manifests.shapes.shape import ABSENT

__all__ = ["WORKLOAD_RULES"]


def _has(workload: Object, condition: str) -> bool:
    """Tell whether a condition of a Workload is true."""
    conditions = workload.get("status", {}).get("conditions", ())
    return any(c["type"] == condition and c["status"] == "True" for c in conditions)


def _assigns_each_pod_set(workload: Object) -> bool:
    admission = workload.get("status", {}).get("admission")
    if admission is None or not _has(workload, "QuotaReserved"):
        return True
    return len(workload["spec"]["podSets"]) == len(admission["podSetAssignments"])


def _class_of(workload: Object) -> Object | None:
    found: Object | None = workload["spec"].get("priorityClassRef")
    return found


def _keeps_having_class(new: Object, old: Object) -> bool:
    if not _has(old, "QuotaReserved"):
        return True
    return (_class_of(new) is None) == (_class_of(old) is None)


def _keeps_of_class(name: str) -> Callable[[Object, Object], bool]:
    def keeps(new: Object, old: Object) -> bool:
        if not _has(old, "QuotaReserved") or "spec" not in new or "spec" not in old:
            return True
        now, before = _class_of(new), _class_of(old)
        if now is None or before is None:
            return True
        is_pods = (now["group"], now["kind"]) == ("scheduling.k8s.io", "PriorityClass")
        return (name == "name" and not is_pods) or bool(now[name] == before[name])

    return keeps


def _keeps_class_source(new: Object, old: Object) -> bool:
    before, now = (each["spec"].get("priorityClassSource", ABSENT) for each in (old, new))
    if before is ABSENT or now is ABSENT or not _has(old, "QuotaReserved"):
        return True
    return bool(before == now)


def _keeps_old_class_name(new: Object, old: Object) -> bool:
    source = new["spec"].get("priorityClassSource", ABSENT)
    before, now = (each["spec"].get("priorityClassName", ABSENT) for each in (old, new))
    if ABSENT in (source, before, now) or "priorityClassSource" not in old["spec"]:
        return True
    own = source == "kueue.x-k8s.io/workloadpriorityclass"
    return own or not _has(old, "QuotaReserved") or bool(before == now)


def _keeps_queue(new: Object, old: Object) -> bool:
    if not (_has(old, "QuotaReserved") and _has(new, "QuotaReserved")):
        return True
    return bool(new["spec"].get("queueName") == old["spec"].get("queueName"))


def _keeps_time(new: Object, old: Object) -> bool:
    if not (_has(old, "Admitted") and _has(new, "Admitted")):
        return True
    name = "maximumExecutionTimeSeconds"
    return bool(new["spec"].get(name, 0) == old["spec"].get(name, 0))


def _keeps_cluster(new: Object, old: Object) -> bool:
    name = "clusterName"
    return name not in old or name not in new or bool(old[name] == new[name])


def _has_kind(group: str, kind: str) -> Callable[[Object], bool]:
    return lambda reference: reference["group"] != group or reference["kind"] == kind


def _roots_of(values: Object, number: int) -> bool:
    return "individual" not in values or len(values["individual"]["roots"]) == number


_RESERVED: Final = "immutable while workload quota reserved"
_KUEUE: Final = "kueue.x-k8s.io"
_PODS: Final = "scheduling.k8s.io"

#: The rules by the names that the tables give them.
WORKLOAD_RULES: Final[Mapping[str, tuple[Rule, ...]]] = {
    "one-assignment-for-each-pod-set": (
        Rule(
            "podSetAssignments must have the same number of podSets as the spec",
            _assigns_each_pod_set,
        ),
    ),
    "class-stays": (Rule(f"priorityClassRef is {_RESERVED}", keeps=_keeps_having_class),),
    "class-group-fixed": (
        Rule(f"priorityClassRef.group is {_RESERVED}", keeps=_keeps_of_class("group")),
    ),
    "class-kind-fixed": (
        Rule(f"priorityClassRef.kind is {_RESERVED}", keeps=_keeps_of_class("kind")),
    ),
    "class-name-fixed": (
        Rule(
            "priorityClassRef.name is immutable for scheduling.k8s.io/priorityclass while "
            "workload quota reserved",
            keeps=_keeps_of_class("name"),
        ),
    ),
    "class-source-fixed": (Rule(f"priorityClassSource is {_RESERVED}", keeps=_keeps_class_source),),
    "old-class-name-fixed": (
        Rule(
            f"priorityClassName is {_RESERVED} and priorityClassSource is not equal to "
            "kueue.x-k8s.io/workloadpriorityclass",
            keeps=_keeps_old_class_name,
        ),
    ),
    "queue-name-fixed": (Rule(f"queueName is {_RESERVED}", keeps=_keeps_queue),),
    "execution-time-fixed": (
        Rule(f"maximumExecutionTimeSeconds is {_RESERVED}", keeps=_keeps_time),
    ),
    "class-needs-priority": (
        Rule(
            "priority should not be nil when priorityClassRef is set",
            lambda spec: "priorityClassRef" not in spec or "priority" in spec,
        ),
    ),
    "class-name-needs-priority": (
        Rule(
            "priority should not be nil when priorityClassName is set",
            lambda spec: "priorityClassName" not in spec or "priority" in spec,
        ),
    ),
    "min-count-within-count": (
        Rule(
            "minCount should be positive and less or equal to count",
            lambda pods: "minCount" not in pods or bool(pods["minCount"] <= pods["count"]),
        ),
    ),
    "pod-class-kind": (
        Rule(
            f"only the PriorityClass kind is allowed for the {_PODS} group",
            _has_kind(_PODS, "PriorityClass"),
        ),
    ),
    "workload-class-kind": (
        Rule(
            f"only the WorkloadPriorityClass kind is allowed for the {_KUEUE} group",
            _has_kind(_KUEUE, "WorkloadPriorityClass"),
        ),
    ),
    "cluster-name-fixed": (Rule("clusterName is immutable once set", keeps=_keeps_cluster),),
    "cluster-name-or-nominated": (
        Rule(
            "clusterName and nominatedClusterNames are mutually exclusive",
            lambda status: "clusterName" not in status or not status.get("nominatedClusterNames"),
        ),
    ),
    "values-for-each-level": (
        Rule(
            "valuesPerLevel must have the same length as the number of levels in this "
            "TopologyAssignment",
            lambda assignment: every(
                assignment["slices"],
                lambda part: len(part["valuesPerLevel"]) == len(assignment["levels"]),
            ),
        ),
    ),
    "pod-count-for-each-domain": (
        Rule(
            "podCounts.individual must have length equal to domainCount",
            lambda part: (
                "individual" not in part["podCounts"]
                or len(part["podCounts"]["individual"]) == part["domainCount"]
            ),
        ),
    ),
    "root-for-each-domain": (
        Rule(
            "valuesPerLevel.individual, if set, must have roots of length equal to domainCount "
            "of this TopologyAssignmentSlice",
            lambda part: every(
                part["valuesPerLevel"], lambda values: _roots_of(values, part["domainCount"])
            ),
        ),
    ),
    "universal-or-individual-values": (
        Rule(
            "exactly one of the fields in [universal individual] must be set",
            lambda value: ("universal" in value) != ("individual" in value),
        ),
    ),
    "universal-or-individual-counts": (
        Rule(
            "exactly one of the fields in [universal individual] must be set",
            exactly_one("universal", "individual"),
        ),
    ),
}
