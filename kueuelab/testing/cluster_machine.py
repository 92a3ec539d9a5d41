"""A Hypothesis state machine that does everything to a cluster that can be done to one.

Objects of every kind come, change and go, with all feature gates in any combination. After each
action, what the cluster keeps up to date is held against its definition
(:mod:`kueuelab.testing.kept_state`). Needs Hypothesis, which comes with ``kueuelab[test]``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, ClassVar, Final, TypeAlias

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from kueuelab.errors import NotModelledError
from kueuelab.manifests.decode import decode_configuration, decode_object
from kueuelab.model.release import FeatureGate
from kueuelab.model.releases import RELEASE
from kueuelab.model.times import SECOND, parse_time
from kueuelab.model.workload import ReclaimablePod
from kueuelab.simulation import Cluster
from kueuelab.testing.invariants import violations
from kueuelab.testing.kept_state import KEPT, stale
from kueuelab.trace.recorder import Recorder
from kueuelab.workload.slices import ELASTIC_JOB, WORKLOAD_SLICE_NAME

__all__ = ["ClusterMachine"]

_Written: TypeAlias = dict[str, Any]

_START: Final = "2026-01-01T00:00:00Z"
_HOST: Final = "kubernetes.io/hostname"
_QUEUES: Final = ("cq-0", "cq-1", "cq-2", "cq-3")
_LOCAL_QUEUES: Final = ("lq-0", "lq-1", "lq-2", "lq-3")
_COHORTS: Final = ("co-0", "co-1", "co-2")
_FLAVORS: Final = ("f-0", "f-1", "racks-0", "racks-1")
_NODES: Final = ("n-0", "n-1", "n-2", "n-3")
_CHECKS: Final = ("check-0", "check-1")
_JOBS: Final = ("e-0", "e-1", "e-2")
_WORKLOADS: Final = (*_JOBS, *(f"w-{number}" for number in range(13)))
_STOP_POLICIES: Final = (*["None"] * 8, "Hold", "HoldAndDrain")
_GATES: Final[tuple[FeatureGate, ...]] = tuple(
    gate for gate in RELEASE.gates.values() if not gate.locked
)

_workloads = st.sampled_from([f"default/{name}" for name in _WORKLOADS])
_cpus = st.sampled_from(["2", "3", "1", "4", "500m", "0"])
_now_and_then = st.integers(0, 7).map(lambda number: number == 7)
_maybe = st.booleans()


def _object(
    kind: str, name: str, spec: _Written, group: str = "kueue.x-k8s.io/v1beta2"
) -> _Written:
    return {"apiVersion": group, "kind": kind, "metadata": {"name": name}, "spec": spec}


# --- what is written -------------------------------------------------------------------


@st.composite
def _configurations(draw: st.DrawFn) -> _Written:
    chosen = draw(st.lists(st.sampled_from(_GATES), max_size=6, unique=True))
    found: _Written = {"featureGates": {gate.name: not gate.default for gate in chosen}}
    if draw(_maybe):
        final, initial = "LessThanOrEqualToFinalShare", "LessThanInitialShare"
        orders = [[final, initial], [initial], [final]]
        found["fairSharing"] = {"preemptionStrategies": draw(st.sampled_from(orders))}
    if draw(_maybe):
        found["waitForPodsReady"] = {
            "timeout": "10s",
            "recoveryTimeout": "5s",
            "blockAdmission": draw(_maybe),
            "requeuingStrategy": {
                "timestamp": draw(st.sampled_from(["Eviction", "Creation"])),
                "backoffBaseSeconds": draw(st.integers(0, 3)),
                "backoffLimitCount": draw(st.integers(0, 2)),
            },
        }
    if draw(_maybe):
        found["admissionFairSharing"] = {
            "usageHalfLifeTime": draw(st.sampled_from(["0s", "10s"])),
            "usageSamplingInterval": draw(st.sampled_from(["1s", "5s"])),
        }
    # Devices count as cpu, of which there is quota.
    mapping: _Written = {"name": "cpu", "deviceClassNames": ["gpu"]}
    found["resources"] = {"deviceClassMappings": [mapping]}
    if draw(_maybe):
        found["resources"]["quotaCheckStrategy"] = "IgnoreUndeclared"
    return found


@st.composite
def _groups(draw: st.DrawFn, *, limits: bool) -> list[_Written]:
    def quota() -> _Written:
        found: _Written = {"name": "cpu", "nominalQuota": draw(_cpus)}
        if limits and draw(_maybe):
            found["borrowingLimit"] = draw(_cpus)
        if limits and draw(_now_and_then):
            found["lendingLimit"] = "0"
        return found

    flavors = draw(st.lists(st.sampled_from(_FLAVORS), min_size=1, max_size=2, unique=True))
    listed = [{"name": name, "resources": [quota()]} for name in flavors]
    return [{"coveredResources": ["cpu"], "flavors": listed}]


@st.composite
def _cluster_queues(draw: st.DrawFn, name: str) -> _Written:
    cohort = draw(st.sampled_from([*_COHORTS, ""]))
    reclaim = draw(st.sampled_from(["Any", "LowerPriority", "Never"]))
    borrow = "Never" if reclaim == "Never" else draw(st.sampled_from(["Never", "LowerPriority"]))
    within = st.sampled_from(["LowerPriority", "LowerOrNewerEqualPriority", "Never"])
    search = st.sampled_from(["MayStopSearch", "TryNextFlavor"])
    spec: _Written = {
        "namespaceSelector": {"matchLabels": {"team": "a"}} if draw(_now_and_then) else {},
        "queueingStrategy": draw(st.sampled_from(["BestEffortFIFO", "StrictFIFO"])),
        "resourceGroups": draw(_groups(limits=bool(cohort))),
        "stopPolicy": draw(st.sampled_from(_STOP_POLICIES)),
        "preemption": {
            "withinClusterQueue": draw(within),
            "reclaimWithinCohort": reclaim,
            "borrowWithinCohort": {"policy": borrow},
        },
        "flavorFungibility": {"whenCanBorrow": draw(search), "whenCanPreempt": draw(search)},
        "fairSharing": {"weight": draw(st.sampled_from(["1", "2", "500m", "0"]))},
    }
    if cohort:
        spec["cohortName"] = cohort
    if draw(_now_and_then):
        rule_: _Written = {"name": draw(st.sampled_from(_CHECKS))}
        if draw(_maybe):
            rule_["onFlavors"] = [spec["resourceGroups"][0]["flavors"][0]["name"]]
        spec["admissionChecksStrategy"] = {"admissionChecks": [rule_]}
    if draw(_maybe):
        spec["admissionScope"] = {"admissionMode": "UsageBasedAdmissionFairSharing"}
    return _object("ClusterQueue", name, spec)


@st.composite
def _local_queues(draw: st.DrawFn, name: str) -> _Written:
    spec: _Written = {
        "clusterQueue": draw(st.sampled_from(_QUEUES)),
        "stopPolicy": draw(st.sampled_from(_STOP_POLICIES)),
    }
    if draw(_maybe):
        spec["fairSharing"] = {"weight": draw(st.sampled_from(["0", "1", "2"]))}
    return _object("LocalQueue", name, spec)


@st.composite
def _cohorts(draw: st.DrawFn, name: str) -> _Written:
    spec: _Written = {"fairSharing": {"weight": draw(st.sampled_from(["1", "2", "0"]))}}
    # Now and then a cycle, which Kueue takes, too.
    above = [each for each in _COHORTS if each < name or draw(st.integers(0, 9)) == 0]
    has_parent = draw(_maybe)
    if above and has_parent:
        spec["parentName"] = draw(st.sampled_from(above))
    if draw(_maybe):
        spec["resourceGroups"] = draw(_groups(limits="parentName" in spec))
    return _object("Cohort", name, spec)


@st.composite
def _flavors(draw: st.DrawFn, name: str) -> _Written:
    spec: _Written = {"nodeLabels": {"pool": name}}
    if draw(_now_and_then):
        spec["nodeTaints"] = [{"key": "spot", "value": "true", "effect": "NoSchedule"}]
    if name.startswith("racks"):
        # Some flavors have the same nodes.
        spec["nodeLabels"] = {"pool": draw(st.sampled_from(["racks", "racks-0"]))}
        spec["topologyName"] = draw(st.sampled_from(["by-host", "by-rack"]))
    return _object("ResourceFlavor", name, spec)


def _topology(name: str) -> _Written:
    levels = ["rack", _HOST] if name == "by-host" else ["block", "rack"]
    return _object("Topology", name, {"levels": [{"nodeLabel": level} for level in levels]})


@st.composite
def _nodes(draw: st.DrawFn, name: str) -> _Written:
    status = "False" if draw(_now_and_then) else "True"
    labels = {"pool": draw(st.sampled_from(["racks", "racks-0"])), _HOST: name}
    labels |= {"block": "b", "rack": draw(st.sampled_from(["r0", "r1"]))}
    spec: _Written = {}
    if draw(_now_and_then):
        effect = draw(st.sampled_from(["NoSchedule", "NoExecute"]))
        spec["taints"] = [{"key": "broken", "value": "true", "effect": effect}]
    found = _object("Node", name, spec, "v1")
    found["metadata"]["labels"] = labels
    found["status"] = {
        "allocatable": {"cpu": draw(_cpus), "pods": "5"},
        "conditions": [{"type": "Ready", "status": status}],
    }
    return found


@st.composite
def _workload_objects(draw: st.DrawFn, name: str) -> _Written:
    pod_sets = [draw(_pod_sets(f"part-{number}")) for number in range(draw(st.integers(1, 2)))]
    spec: _Written = {
        "queueName": draw(st.sampled_from(_LOCAL_QUEUES)),
        "priority": draw(st.integers(-1, 3)),
        "podSets": pod_sets,
    }
    if draw(_now_and_then):
        spec["maximumExecutionTimeSeconds"] = draw(st.integers(1, 20))
    if draw(st.integers(0, 2)) == 0:
        group = "kueue.x-k8s.io"
        spec["priorityClassRef"] = {"group": group, "kind": "WorkloadPriorityClass", "name": "high"}
    found = _object("Workload", name, spec)
    if name in _JOBS:  # The first slice of an elastic job.
        found["metadata"]["annotations"] = {ELASTIC_JOB: "true", WORKLOAD_SLICE_NAME: name}
        owner = {"apiVersion": "batch/v1", "kind": "Job", "name": name, "controller": True}
        found["metadata"]["ownerReferences"] = [owner]
    return found


@st.composite
def _pod_sets(draw: st.DrawFn, name: str) -> _Written:
    count = draw(st.integers(1, 4))
    requests = draw(st.sampled_from(["1", "500m", "2", ""]))
    resources = {"requests": {"cpu": requests}} if requests else {}
    pod: _Written = {"containers": [{"name": "c", "resources": resources}]}
    if draw(st.integers(0, 2)) == 0:
        pod["tolerations"] = [{"operator": "Exists"}]
    if draw(_now_and_then):
        pod["runtimeClassName"] = "slow"
    if draw(_now_and_then):
        pod["resourceClaims"] = [{"name": "d", "resourceClaimTemplateName": "devices"}]
    if draw(_now_and_then):
        resources.setdefault("requests", {})["example.com/gpu"] = "1"
    found: _Written = {"name": name, "count": count, "template": {"spec": pod}}
    if count > 1 and draw(_now_and_then):
        found["minCount"] = draw(st.integers(1, count))
    if draw(st.integers(0, 2)) == 2:
        request: _Written = draw(
            st.sampled_from(
                [
                    {"required": "rack"},
                    {"preferred": "rack"},
                    {"preferred": _HOST},
                    {"unconstrained": True},
                    {
                        "preferred": "rack",
                        "podSetSliceRequiredTopology": "rack",
                        "podSetSliceSize": 2,
                    },
                ]
            )
        )
        found["topologyRequest"] = request
    return found


# --- the machine -----------------------------------------------------------------------


class ClusterMachine(RuleBasedStateMachine):
    """One cluster, in a random configuration, to which anything may happen.

    Attributes
    ----------
    counts
        How many worlds there were, how many actions of each kind, how many comparisons.
    """

    counts: ClassVar[Counter[str]] = Counter()

    cluster: Cluster

    @initialize(data=st.data(), is_recorded=_maybe)
    def load(self, data: st.DataObject, is_recorded: bool) -> None:
        """Begin with queues, cohorts, flavors and nodes, and some workloads."""
        self.cluster = Cluster(
            decode_configuration(data.draw(_configurations(), "configuration")),
            start=parse_time(_START),
            recorder=Recorder() if is_recorded else None,
        )
        objects = [data.draw(_flavors(name)) for name in _FLAVORS]
        objects += [_topology(name) for name in ("by-host", "by-rack")]
        objects += [data.draw(_nodes(name)) for name in _NODES]
        objects += [data.draw(_cluster_queues(name)) for name in _QUEUES[:3]]
        objects += [data.draw(_local_queues(name)) for name in _LOCAL_QUEUES[:3]]
        objects += [_check(name, active=True) for name in _CHECKS]
        objects += [data.draw(_workload_objects(name)) for name in _WORKLOADS[:8]]
        self.cluster.load([self._decoded(obj) for obj in objects])
        self._count("worlds")

    def _count(self, what: str) -> None:
        ClusterMachine.counts[what] += 1

    def _decoded(self, obj: _Written) -> Any:
        return decode_object(obj)

    def _apply(self, obj: _Written) -> None:
        self._count(f"apply {obj['kind']}")
        try:
            self.cluster.apply(self._decoded(obj))
        except NotModelledError:  # cohorts that are too deep; nothing was changed
            self._count("not modelled")

    # --- scheduling and time -----------------------------------------------------------

    @rule()
    def cycle(self) -> None:
        """Run one cycle."""
        self._count("cycle")
        self.cluster.cycle()

    @rule(data=st.data(), rounds=st.integers(1, 4))
    def settle(self, data: st.DataObject, rounds: int) -> None:
        """Create a workload that may preempt; run rounds of cycles, evictions and seconds."""
        self._count("settle")
        free = [name for name in _WORKLOADS if f"default/{name}" not in self.cluster.workloads]
        if free:
            urgent = data.draw(_workload_objects(free[0]))
            urgent["spec"]["priority"] = 4
            self.cluster.create_workload(self._decoded(urgent))
        self.cluster.settle(rounds)

    @rule(seconds=st.sampled_from([0.3, 1, 2.5, 5, 11, 61]))
    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._count("advance")
        self.cluster.advance(int(seconds * SECOND))

    @rule()
    def complete_evictions(self) -> None:
        """Let the pods of evicted workloads be gone."""
        self._count("complete evictions")
        self.cluster.complete_evictions()

    # --- workloads ---------------------------------------------------------------------

    @rule(data=st.data(), count=st.integers(1, 4))
    def create(self, data: st.DataObject, count: int) -> None:
        """Create workloads whose names are free."""
        free = [name for name in _WORKLOADS if f"default/{name}" not in self.cluster.workloads]
        for name in free[:count]:
            self._count("create")
            obj = data.draw(_workload_objects(name))
            self.cluster.create_workload(self._decoded(obj))

    @rule(key=_workloads, is_done=_now_and_then)
    def delete(self, key: str, is_done: bool) -> None:
        """Delete a workload now and then."""
        if is_done:
            self._count("delete")
            self.cluster.delete_workload(key)

    @rule(key=_workloads)
    def finish(self, key: str) -> None:
        """Let a job succeed."""
        self._count("finish")
        self.cluster.finish(key)

    @rule(job=st.sampled_from(_JOBS), pods=st.integers(0, 6))
    def scale(self, job: str, pods: int) -> None:
        """Give an elastic job another number of pods; its slices are put in order before."""
        self._count("scale")
        self.cluster.sync_slices(f"default/{job}")
        self.cluster.scale(f"default/{job}", pods)

    @rule(key=_workloads, priority=st.integers(-1, 4))
    def set_priority(self, key: str, priority: int) -> None:
        """Give a workload another priority."""
        self._count("set priority")
        self.cluster.set_priority(key, priority)

    @rule(key=_workloads, active=_maybe)
    def set_active(self, key: str, active: bool) -> None:
        """Deactivate a workload, or activate it again."""
        self._count("set active")
        self.cluster.set_active(key, active)

    @rule(
        key=_workloads,
        check=st.sampled_from(_CHECKS),
        state=st.sampled_from(["Ready", "Ready", "Pending", "Retry", "Rejected"]),
    )
    def set_check(self, key: str, check: str, state: Any) -> None:
        """Let a check report."""
        self._count("set check")
        self.cluster.set_check(key, check, state)

    @rule(key=_workloads, ready=_maybe)
    def pods_ready(self, key: str, ready: bool) -> None:
        """Let the pods of a workload be ready, or no longer."""
        self._count("pods ready")
        self.cluster.pods_ready(key, ready)

    @rule(key=_workloads, count=st.integers(0, 2))
    def reclaim(self, key: str, count: int) -> None:
        """Let some pods be done."""
        self._count("reclaim")
        self.cluster.reclaim(key, [ReclaimablePod("part-0", count)])

    # --- other objects -----------------------------------------------------------------

    @rule(data=st.data(), name=st.sampled_from(_QUEUES))
    def apply_cluster_queue(self, data: st.DataObject, name: str) -> None:
        """Create or change a ClusterQueue."""
        self._apply(data.draw(_cluster_queues(name)))

    @rule(data=st.data(), name=st.sampled_from(_LOCAL_QUEUES))
    def apply_local_queue(self, data: st.DataObject, name: str) -> None:
        """Create or change a LocalQueue."""
        self._apply(data.draw(_local_queues(name)))

    @rule(data=st.data(), name=st.sampled_from(_COHORTS))
    def apply_cohort(self, data: st.DataObject, name: str) -> None:
        """Create or change a Cohort."""
        self._apply(data.draw(_cohorts(name)))

    @rule(data=st.data(), name=st.sampled_from(_FLAVORS))
    def apply_flavor(self, data: st.DataObject, name: str) -> None:
        """Create or change a ResourceFlavor; one with a topology can't be changed."""
        known = self.cluster.objects.flavors.get(name)
        if known is None or known.topology_name is None:
            self._apply(data.draw(_flavors(name)))

    @rule(data=st.data(), name=st.sampled_from(_NODES))
    def apply_node(self, data: st.DataObject, name: str) -> None:
        """Create or change a Node."""
        self._apply(data.draw(_nodes(name)))

    @rule(name=st.sampled_from(["by-host", "by-rack"]))
    def apply_topology(self, name: str) -> None:
        """Create a Topology again that was removed."""
        self._apply(_topology(name))

    @rule(name=st.sampled_from(_CHECKS), active=_maybe)
    def apply_check(self, name: str, active: bool) -> None:
        """Create an AdmissionCheck, or change whether it is active."""
        self._apply(_check(name, active=active))

    @rule(value=st.integers(-1, 5))
    def apply_priority_class(self, value: int) -> None:
        """Give a WorkloadPriorityClass another value."""
        self._apply({**_object("WorkloadPriorityClass", "high", {}), "value": value})

    @rule(labels=st.sampled_from([{}, {"team": "a"}]))
    def apply_namespace(self, labels: Mapping[str, str]) -> None:
        """Change the labels of the namespace."""
        obj = _object("Namespace", "default", {}, "v1")
        self._apply({**obj, "metadata": {"name": "default", "labels": dict(labels)}})

    @rule(cpu=st.sampled_from(["500m", "1"]))
    def apply_limit_range(self, cpu: str) -> None:
        """Give containers without requests one."""
        limits = [{"type": "Container", "defaultRequest": {"cpu": cpu}}]
        self._apply(_object("LimitRange", "requests", {"limits": limits}, "v1"))

    @rule(cpu=st.sampled_from(["100m", "500m"]))
    def apply_runtime_class(self, cpu: str) -> None:
        """Give pods an overhead."""
        obj = {**_object("RuntimeClass", "slow", {}, "node.k8s.io/v1"), "handler": "slow"}
        self._apply({**obj, "overhead": {"podFixed": {"cpu": cpu}}})

    @rule(count=st.integers(0, 2))
    def apply_claim_template(self, count: int) -> None:
        """Let pods claim devices; none are all that there are, which Kueue does not count."""
        exactly: _Written = {"deviceClassName": "gpu", "count": count}
        if not count:
            exactly = {"deviceClassName": "gpu", "allocationMode": "All"}
        claims = {"devices": {"requests": [{"name": "d", "exactly": exactly}]}}
        spec = {"spec": claims}
        self._apply(_object("ResourceClaimTemplate", "devices", spec, "resource.k8s.io/v1"))

    @rule(resource=st.sampled_from(["", "example.com/gpu"]))
    def apply_device_class(self, resource: str) -> None:
        """Let an extended resource stand for devices, or not."""
        spec = {"extendedResourceName": resource} if resource else {}
        self._apply(_object("DeviceClass", "gpu", spec, "resource.k8s.io/v1"))

    @rule(node=st.sampled_from(_NODES), phase=st.sampled_from(["Running", "Succeeded"]))
    def apply_pod(self, node: str, phase: str) -> None:
        """Let a pod run that Kueue does not manage, or end."""
        container = {"name": "c", "resources": {"requests": {"cpu": "500m"}}}
        obj = _object("Pod", "other", {"nodeName": node, "containers": [container]}, "v1")
        self._apply({**obj, "status": {"phase": phase}})

    @rule(
        removed=st.sampled_from(
            [
                *(("ClusterQueue", name) for name in _QUEUES),
                *(("LocalQueue", name) for name in _LOCAL_QUEUES),
                *(("Cohort", name) for name in _COHORTS),
                *(("ResourceFlavor", name) for name in _FLAVORS),
                *(("Node", name) for name in _NODES),
                *(("AdmissionCheck", name) for name in _CHECKS),
                *(("Topology", name) for name in ("by-host", "by-rack")),
                ("LimitRange", "requests"),
                ("RuntimeClass", "slow"),
                ("ResourceClaimTemplate", "devices"),
                ("DeviceClass", "gpu"),
                ("Pod", "other"),
                ("WorkloadPriorityClass", "high"),
            ]
        ),
        is_done=_maybe,
    )
    def remove(self, removed: tuple[str, str], is_done: bool) -> None:
        """Delete an object now and then, if there is one of that name."""
        if not is_done:
            return
        kind, name = removed
        namespaced = ("LocalQueue", "LimitRange", "Pod", "ResourceClaimTemplate")
        key = f"default/{name}" if kind in namespaced else name
        if self.cluster.objects.get(kind, key) is not None:
            self._count(f"remove {kind}")
            self.cluster.remove(kind, name)

    # --- what must hold ----------------------------------------------------------------

    @invariant()
    def nothing_is_stale(self) -> None:
        """What is kept is what its definition says, and the cluster is sound."""
        if not hasattr(self, "cluster"):
            return
        ClusterMachine.counts["comparisons"] += len(KEPT)
        found = [*stale(self.cluster), *violations(self.cluster)]
        assert not found, "\n".join(found)


def _check(name: str, *, active: bool) -> _Written:
    found = _object("AdmissionCheck", name, {"controllerName": "example.com/controller"})
    found["status"] = {"conditions": [{"type": "Active", "status": str(active), "reason": "x"}]}
    return found
