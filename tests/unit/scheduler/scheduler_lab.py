"""Quota trees, workloads and entries for tests of the scheduler's parts, in few words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from kueuelab.model import (
    Admission,
    BorrowWithinCohort,
    ClusterQueue,
    ClusterQueuePreemption,
    Cohort,
    Configuration,
    FairSharing,
    FeatureGates,
    FlavorQuotas,
    ObjectMeta,
    PodSet,
    PodSetAssignment,
    ResourceFlavor,
    ResourceGroup,
    ResourceQuota,
    Resources,
    Workload,
)
from kueuelab.model.pods import Container, PodSpec, PodTemplate, ResourceRequirements
from kueuelab.quantity import Quantity
from kueuelab.queues import Head
from kueuelab.quota import ClusterQueueNode, QuotaTree
from kueuelab.scheduler import Entry, Inadmissible, Scheduler
from kueuelab.scheduler.flavor_rules import FlavorRules
from kueuelab.scheduler.placer import Placer
from kueuelab.topology import TopologyForest
from kueuelab.trace.recorder import Recorder
from kueuelab.workload import WorkloadState

CPU = ("default", "cpu")


def quotas(
    *flavors: str, cpu: int = 4, borrow: int | None = None, lend: int | None = None
) -> tuple[ResourceGroup, ...]:
    """Return one group with the same cpu quota, in cpus, in each flavor."""
    milli = [None if each is None else each * 1000 for each in (borrow, lend)]
    quota = ResourceQuota("cpu", cpu * 1000, milli[0], milli[1])
    found = tuple(FlavorQuotas(flavor, (quota,)) for flavor in flavors or ("default",))
    return (ResourceGroup(("cpu",), found),)


def queue(name: str, cohort: str = "", *, cpu: int = 4, **spec: Any) -> ClusterQueue:
    """Return a ClusterQueue; ``within``, ``reclaim``, ``borrow_policy`` are its preemption."""
    flavors = spec.pop("flavors", ("default",))
    groups = quotas(*flavors, cpu=cpu, borrow=spec.pop("borrow", None), lend=spec.pop("lend", None))
    groups = spec.pop("groups", groups)
    weight = spec.pop("weight", None)
    preemption = ClusterQueuePreemption(
        spec.pop("within", "Never"), spec.pop("reclaim", "Never"), spec.pop("borrow_policy", None)
    )
    return ClusterQueue(
        ObjectMeta(name),
        groups,
        cohort,
        preemption=preemption,
        fair_weight=None if weight is None else Fraction(weight),
        **spec,
    )


def cohort(
    name: str, parent: str = "", cpu: int | None = None, weight: int | None = None
) -> Cohort:
    groups = () if cpu is None else quotas(cpu=cpu)
    return Cohort(ObjectMeta(name), parent, groups, None if weight is None else Fraction(weight))


def tree(*objects: ClusterQueue | Cohort, recorder: Recorder | None = None) -> QuotaTree:
    made = QuotaTree(recorder)
    for obj in objects:
        if isinstance(obj, Cohort):
            made.set_cohort(obj)
        else:
            made.set_cluster_queue(obj)
    return made


def pod_set(
    name: str = "main", count: int = 1, minimum: int | None = None, **requests: int | str
) -> PodSet:
    """Return a pod set; ``requests`` are quantities (``2``, ``"1500m"``) per pod."""
    amounts = {resource: Quantity.parse(str(amount)) for resource, amount in requests.items()}
    spec = PodSpec(containers=(Container("c", ResourceRequirements(amounts)),))
    return PodSet(name, count, minimum, PodTemplate(spec=spec))


def workload(
    name: str,
    cpu: int = 1,
    *,
    priority: int = 0,
    created: int = 0,
    pods: Sequence[PodSet] = (),
    local: str = "lq",
) -> WorkloadState:
    """Return a pending workload of the LocalQueue ``local``."""
    meta = ObjectMeta(name, "ns", uid=name, creation_timestamp=created, generation=1)
    found = tuple(pods) or (pod_set(cpu=cpu),)
    return WorkloadState(Workload(meta, found, local, priority), Resources())


def holder(
    made: QuotaTree,
    name: str,
    cluster_queue: str,
    cpu: int = 1,
    *,
    flavor: str = "default",
    since: int = 1,
    evicted: bool = False,
    **rest: Any,
) -> WorkloadState:
    """Return a workload that holds quota in a tree."""
    state = workload(name, cpu, **rest)
    usage = {"cpu": cpu * 1000}
    state.admission = Admission(
        cluster_queue, (PodSetAssignment("main", {"cpu": flavor}, usage, 1),)
    )
    state.set_condition("QuotaReserved", "True", "QuotaReserved", "", since)
    if evicted:
        state.set_condition("Evicted", "True", "Preempted", "", since)
    state.refresh()
    assert made.add_workload(state)
    return state


def configuration(*, fair: bool | Sequence[str] = False, **gates: bool) -> Configuration:
    if fair is False:
        sharing = None
    else:
        sharing = FairSharing() if fair is True else FairSharing(tuple(fair))  # type: ignore[arg-type]
    return Configuration(fair_sharing=sharing, gates=FeatureGates(gates))


def borrow_within_cohort(threshold: int | None = None) -> BorrowWithinCohort:
    return BorrowWithinCohort("LowerPriority", threshold)


class FakeCluster:
    """Heads for a scheduler, and a list of what it asks for and what it does."""

    def __init__(self, *heads: Head) -> None:
        self.to_pop = list(heads)
        self.calls: list[str] = []
        self.obstacles: dict[str, Inadmissible] = {}
        self.inactive: set[str] = set()
        self.not_ready = 0
        self.delayed: set[str] = set()

    def heads(self) -> list[Head]:
        self.calls.append("heads")
        return self.to_pop

    def is_inactive(self, cluster_queue: str) -> bool:
        return cluster_queue in self.inactive

    def obstacle(self, workload: WorkloadState, queue: ClusterQueueNode) -> Inadmissible | None:
        self.calls.append(f"nominate {workload.obj.name}")
        return self.obstacles.get(workload.obj.name)

    def preempt(self, entry: Entry) -> None:
        self.calls.append(f"preempt {','.join(targets_of(entry))} for {entry.workload.obj.name}")

    def migrate(self, entry: Entry) -> None:
        pass

    def evict_unreplaced(self, entry: Entry) -> None:
        self.calls.append(f"evict {entry.workload.obj.name}")

    def delays_topology(self, workload: WorkloadState, cluster_queue: str, flavor: str) -> bool:
        return flavor in self.delayed

    def wait_for_pods_ready(self, entry: Entry) -> Iterator[Entry]:
        while self.not_ready:
            self.not_ready -= 1
            self.calls.append(f"wait {entry.workload.obj.name}")
            yield entry

    def admit(self, entry: Entry) -> None:
        self.calls.append(f"admit {entry.workload.obj.name}")

    def requeue(self, entry: Entry) -> None:
        self.calls.append(f"requeue {entry.workload.obj.name}")


def no_topologies(made: QuotaTree, settings: Configuration | None = None) -> Placer:
    """Return a placer for flavors without topologies."""
    rules = FlavorRules.of(settings or configuration())
    return Placer(TopologyForest(made.journal, {}), {}, rules, FakeCluster())


def targets_of(entry: Entry) -> list[str]:
    return [target.workload.obj.name for target in entry.targets]


def run(
    made: QuotaTree,
    *heads: Head,
    settings: Configuration | None = None,
    flavors: Mapping[str, ResourceFlavor] | None = None,
    recorder: Recorder | None = None,
    forest: TopologyForest | None = None,
    delayed: Iterable[str] = (),
) -> dict[str, Entry]:
    """Run a cycle; return its entries by workload, those that were rejected too.

    ``delayed`` are flavors whose domains wait for an admission check.
    """
    known = {"default": ResourceFlavor(ObjectMeta("default"))}
    cluster = FakeCluster(*heads)
    cluster.delayed = {*delayed}
    scheduler = Scheduler(
        settings or configuration(), made, flavors or known, cluster, recorder, forest
    )
    cycle = scheduler.next_cycle()
    assert list(cycle.run()) == []
    return {each.workload.obj.name: each for each in (*cycle.processed, *cycle.inadmissible)}


@st.composite
def crowded(draw: st.DrawFn, *, flat: bool = False) -> Callable[[], QuotaTree]:
    """Make ClusterQueues in up to three cohorts, mostly borrowing, with small candidates.

    Those that are ``flat`` are in one cohort, and ``q`` may reclaim from the others. A ClusterQueue
    may use less than its workloads: an entry above its borrowing limit reserves less than nothing.
    """
    small = st.integers(0, 2)
    lend = st.none() if draw(st.booleans()) else st.sampled_from([None, None, None, 0, 1])
    parents = [""] + [draw(st.sampled_from(["", *"xy"[: i + 1]])) for i in range(2)]
    cohorts = [
        cohort(name, parent, draw(small), draw(st.one_of(st.none(), small)))
        for name, parent in zip("xyz", parents, strict=True)
    ]
    within = st.sampled_from(["Never", "LowerPriority", "LowerOrNewerEqualPriority"])
    queues = [
        queue(
            name,
            "x" if flat else draw(st.sampled_from("xxyz")),
            cpu=draw(small) + (4 if flat and name == "q" else 0),
            within="LowerPriority" if flat else draw(within),
            reclaim="Any" if flat else draw(st.sampled_from(["Any", "LowerPriority", "Never"])),
            weight=draw(st.sampled_from([None, None, 0, 1, 2])),
            lend=draw(lend),
            borrow=draw(st.sampled_from([None, None, None, 0, 1, 3])),
            borrow_policy=draw(
                st.sampled_from([None, None, BorrowWithinCohort("LowerPriority", 1)])
            ),
        )
        for name in "qabcd"
    ]
    holders = [
        {
            "name": f"w{number}",
            "cluster_queue": draw(st.sampled_from("qqqaabbcd")),
            "cpu": draw(st.integers(1, 2)),
            "priority": draw(small),
            "since": draw(st.integers(1, 3)),
            "evicted": draw(st.integers(0, 9)) == 0,
        }
        for number in range(draw(st.integers(1, 16)))
    ]
    above_limit = draw(st.sampled_from([None, None, *"abcd"]))
    less = draw(st.integers(1, 3))

    def make() -> QuotaTree:
        made = tree(*cohorts, *queues)
        for each in holders:
            holder(made, **each)
        if above_limit is not None:
            made.add_usage(made.cluster_queues[above_limit], {CPU: -less * 1000})
        return made

    return make
