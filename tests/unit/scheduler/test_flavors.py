"""Flavor assignment: which flavors are tried, which one is chosen, and what is said about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from scheduler_lab import FakeCluster, pod_set, queue, quotas, tree, workload

from kueuelab.model import (
    BorrowWithinCohort,
    ClusterQueue,
    Configuration,
    FairSharing,
    FeatureGates,
    FlavorFungibility,
    FlavorQuotas,
    FlavorResource,
    ObjectMeta,
    PodSet,
    ResourceFlavor,
    ResourceGroup,
    ResourceQuota,
    Resources,
    Taint,
)
from kueuelab.model.pods import PodSpec, PodTemplate
from kueuelab.scheduler.assignment import Assignment, Mode, PreemptionMode
from kueuelab.scheduler.flavor_rules import FlavorRules
from kueuelab.scheduler.flavors import FlavorAssigner
from kueuelab.scheduler.placer import Placer
from kueuelab.scheduler.rank import Rank, preferred
from kueuelab.topology import TopologyForest
from kueuelab.trace import steps
from kueuelab.trace.recorder import Recorder
from kueuelab.workload import LastAssignment, WorkloadState

TRY_NEXT = FlavorFungibility("TryNextFlavor", "TryNextFlavor")
NAMES = ("f", "g", "h")


def flavor(name: str, **spec: Any) -> ResourceFlavor:
    return ResourceFlavor(ObjectMeta(name), **spec)


class Assigning:
    """A ClusterQueue, its usage, and what preemption could do there."""

    def __init__(self, spec: ClusterQueue, *others: ClusterQueue, **gates: bool) -> None:
        self.tree = tree(spec, *others)
        self.queue = self.tree.cluster_queues[spec.name]
        self.flavors = {name: flavor(name) for name in NAMES}
        self.possible: dict[FlavorResource, tuple[PreemptionMode, int]] = {}
        self.asked: list[tuple[FlavorResource, int]] = []
        self.gates = gates
        self.configuration: dict[str, Any] = {}
        self.recorder: Recorder | None = None

    def use(self, name: str, amount: int, resource: str = "cpu") -> None:
        self.tree.add_usage(self.queue, {(name, resource): amount})

    def _oracle(self, fr: FlavorResource, amount: int, _: int) -> tuple[PreemptionMode, int]:
        self.asked.append((fr, amount))
        return self.possible.get(fr, (PreemptionMode.NoCandidates, 0))

    def assign(
        self,
        asking: WorkloadState,
        counts: Sequence[int] | None = None,
        pinned: Mapping[str, Mapping[str, str]] | None = None,
    ) -> Assignment:
        settings = Configuration(gates=FeatureGates(self.gates), **self.configuration)
        rules = FlavorRules.of(settings)
        return FlavorAssigner(
            asking,
            self.queue,
            self.flavors,
            rules,
            self._oracle,
            Placer(TopologyForest(self.tree.journal, {}), self.flavors, rules, FakeCluster()),
            7,
            pinned,
            self.recorder,
        ).assign(counts)

    def chosen(self, asking: WorkloadState, **rest: Any) -> dict[str, str]:
        return self.assign(asking, **rest).flavors_by_pod_set().get("main", {})


def fungible(**policy: Any) -> FlavorFungibility:
    return FlavorFungibility(
        policy.get("borrow", "MayStopSearch"),
        policy.get("preempt", "TryNextFlavor"),
        policy.get("preference"),
    )


def test_the_first_flavor_that_fits_is_assigned() -> None:
    lab = Assigning(queue("q", flavors=NAMES))
    lab.use("f", 3500)
    found = lab.assign(workload("w"))
    (result,) = found.pod_sets
    assert found.mode is Mode.Fit
    assert {name: each.name for name, each in result.flavors.items()} == {"cpu": "g"}
    assert result.reasons == ()
    assert found.usage == {("g", "cpu"): 1000}
    assert (found.last.cycle, found.last.tried) == (7, ({"cpu": 1},))
    assert found.last.generation == lab.queue.generation
    assert found.last.scheduling_hash == workload("w").scheduling_hash
    assert found.flavors_considered == (
        "main: f(preemptionMode=NoCandidates;insufficient unused quota for cpu in flavor f, "
        "500m more needed)"
    )


def test_more_than_a_flavor_could_ever_have_does_not_fit() -> None:
    lab = Assigning(queue("q", flavors=("f",)), UnadmittedWorkloadsObservability=True)
    found = lab.assign(workload("w", 5))
    assert (found.mode, found.no_fit_reason, lab.asked) == (Mode.NoFit, "ExceedsMaxQuota", [])
    assert found.message == (
        "couldn't assign flavors to pod set main: insufficient quota for cpu in flavor f, "
        "previously considered podsets requests (0) + current podset request (5) > "
        "maximum capacity (4)"
    )
    assert found.flavors_considered.startswith("main: f(NoFit;insufficient quota")
    # All that it could ever have is not more than that.
    fits = lab.assign(workload("w", 4))
    assert (fits.mode, fits.no_fit_reason) == (Mode.Fit, "")
    assert fits.pod_sets[0].attempts[0].no_fit_reason == ""


def test_pod_sets_before_count_against_the_same_flavor() -> None:
    lab = Assigning(queue("q", flavors=("f",)))
    two = workload("w", pods=[pod_set("a", cpu=3), pod_set("b", cpu=2)])
    found = lab.assign(two)
    assert found.message == (
        "couldn't assign flavors to pod set b: insufficient quota for cpu in flavor f, "
        "previously considered podsets requests (3) + current podset request (2) > "
        "maximum capacity (4)"
    )
    # Nothing is assigned to pod sets after one that failed.
    three = workload("w", pods=[pod_set("a", cpu=5), pod_set("b", cpu=1)])
    assert [each.name for each in lab.assign(three).pod_sets] == ["a"]
    # Partial admission asks for other counts.
    many = workload("w", pods=[pod_set("a", 4, cpu=1), pod_set("b", 4, cpu=1)])
    fewer = lab.assign(many, counts=[1, 3])
    assert [(each.name, each.count) for each in fewer.pod_sets] == [("a", 1), ("b", 3)]
    assert fewer.mode is Mode.Fit


@pytest.mark.parametrize(("gate", "reason"), [(True, "WaitingForQuota"), (False, "")])
def test_quota_that_others_hold_is_waited_for(gate: bool, reason: str) -> None:
    """Without a right to preempt there is nothing to ask about preemption."""
    other = queue("o", "team", cpu=4)
    lab = Assigning(
        queue("q", "team", cpu=0, flavors=("default",)),
        other,
        UnadmittedWorkloadsObservability=gate,
    )
    lab.flavors = {"default": flavor("default")}
    lab.tree.add_usage(lab.tree.cluster_queues["o"], {("default", "cpu"): 4000})
    found = lab.assign(workload("w"))
    assert (found.mode, found.no_fit_reason, lab.asked) == (Mode.NoFit, reason, [])


@pytest.mark.parametrize(
    ("spec", "fair", "asked"),
    [
        ({"cpu": 1}, False, True),
        ({"borrow_policy": BorrowWithinCohort("LowerPriority")}, False, True),
        ({"borrow_policy": BorrowWithinCohort("Never")}, False, False),
        ({"reclaim": "Any"}, False, False),
        ({"reclaim": "Any"}, True, True),
        ({"reclaim": "Never"}, True, False),
    ],
)
def test_preemption_may_help_within_nominal_quota_or_with_a_right_to_borrow(
    spec: dict[str, Any], fair: bool, asked: bool
) -> None:
    lab = Assigning(
        queue("q", "team", flavors=("f",), **{"cpu": 0, **spec}),
        queue("o", "team", flavors=("f",), cpu=4),
    )
    if fair:
        lab.configuration["fair_sharing"] = FairSharing()
    lab.tree.add_usage(lab.tree.cluster_queues["o"], {("f", "cpu"): 4000})
    lab.use("f", spec.get("cpu", 0) * 1000)
    lab.assign(workload("w"))
    assert bool(lab.asked) is asked
    assert not asked or lab.asked == [(("f", "cpu"), 1000)]


def test_preemption_is_for_what_was_assumed_before_as_well() -> None:
    lab = Assigning(queue("q", flavors=("f",), within="LowerPriority"))
    lab.use("f", 2500)
    lab.possible["f", "cpu"] = (PreemptionMode.Preempt, 0)
    found = lab.assign(workload("w", pods=[pod_set("a", cpu=1), pod_set("b", cpu=1)]))
    assert lab.asked == [(("f", "cpu"), 2000)]
    assert (found.mode, found.contested()) == (Mode.Preempt, (("f", "cpu"),))


# --- flavorFungibility --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "name"),
    [
        (fungible(), "g"),
        (fungible(preempt="MayStopSearch"), "f"),
        (fungible(borrow="TryNextFlavor"), "h"),
        (fungible(preempt="MayStopSearch", borrow="TryNextFlavor"), "f"),
    ],
)
def test_the_scan_stops_where_flavor_fungibility_says(policy: FlavorFungibility, name: str) -> None:
    """In f it would preempt, in g borrow, in h it fits."""
    groups = (
        ResourceGroup(
            ("cpu",),
            (
                FlavorQuotas("f", (ResourceQuota("cpu", 2000),)),
                FlavorQuotas("g", (ResourceQuota("cpu", 0),)),
                FlavorQuotas("h", (ResourceQuota("cpu", 2000),)),
            ),
        ),
    )
    lab = Assigning(
        queue("q", "team", groups=groups, flavor_fungibility=policy),
        queue("o", "team", flavors=NAMES, cpu=1),
    )
    lab.use("f", 2000)
    lab.tree.add_usage(lab.tree.cluster_queues["o"], {("f", "cpu"): 1000})
    lab.possible["f", "cpu"] = (PreemptionMode.Preempt, 0)
    assert lab.chosen(workload("w")) == {"cpu": name}


@pytest.mark.parametrize(
    ("f", "g", "preference", "name"),
    [
        ("NoCandidates", "Preempt", None, "g"),
        ("Preempt", "NoCandidates", None, "f"),
        ("Preempt", "Reclaim", None, "g"),
        ("Reclaim", "Preempt", None, "f"),
        ("Preempt", "Preempt", None, "f"),
        ("Preempt", "borrow", None, "g"),
        ("Preempt", "borrow", "PreemptionOverBorrowing", "f"),
        ("borrow", "Preempt", "PreemptionOverBorrowing", "g"),
        ("borrow", "Preempt", "BorrowingOverPreemption", "f"),
    ],
)
def test_if_the_scan_does_not_stop_the_best_flavor_is_assigned(
    f: str, g: str, preference: str | None, name: str
) -> None:
    """Borrowing comes before preemption unless ``preference`` says otherwise."""
    spec = queue(
        "q",
        "team",
        flavors=("f", "g"),
        cpu=1,
        flavor_fungibility=fungible(borrow="TryNextFlavor", preference=preference),
    )
    lab = Assigning(spec, queue("o", "team", flavors=("f", "g"), cpu=1))
    other = lab.tree.cluster_queues["o"]
    for each, how in (("f", f), ("g", g)):
        lab.use(each, 1000)
        if how != "borrow":
            lab.tree.add_usage(other, {(each, "cpu"): 1000})
            lab.possible[each, "cpu"] = (PreemptionMode[how], 0)
    assert lab.chosen(workload("w")) == {"cpu": name}


def test_the_scan_goes_on_where_the_last_attempt_stopped() -> None:
    lab = Assigning(queue("q", flavors=NAMES, flavor_fungibility=TRY_NEXT))
    asking = workload("w")
    asking.last_assignment = LastAssignment(({"cpu": 0},), 0, 1, "")
    found = lab.assign(asking)
    assert found.flavors_by_pod_set() == {"main": {"cpu": "g"}}
    assert found.last.tried == ({"cpu": 1},)
    # All are tried: the next attempt starts over.
    asking.last_assignment = LastAssignment(({"cpu": 1},), 0, 1, "")
    assert lab.assign(asking).last.tried == ({"cpu": -1},)
    # Flavors that are no longer there can't be tried.
    asking.last_assignment = LastAssignment(({"cpu": 3},), 0, 1, "")
    gone = lab.assign(asking)
    assert (gone.mode, gone.pod_sets[0].flavors) == (Mode.Fit, {})


def test_without_the_gate_flavor_fungibility_the_first_that_fits_ends_the_scan() -> None:
    lab = Assigning(
        queue("q", "team", flavors=NAMES, cpu=1, flavor_fungibility=TRY_NEXT),
        queue("o", "team", flavors=NAMES, cpu=1),
        FlavorFungibility=False,
    )
    for each in NAMES[:2]:
        lab.use(each, 2000)
    lab.possible = {
        ("f", "cpu"): (PreemptionMode.Preempt, 0),
        ("g", "cpu"): (PreemptionMode.Preempt, 0),
    }
    asking = workload("w")
    asking.last_assignment = LastAssignment(({"cpu": 0},), 0, 1, "")
    found = lab.assign(asking)
    assert [each[0][0] for each in lab.asked] == ["f", "g"]
    assert found.flavors_by_pod_set() == {"main": {"cpu": "h"}}
    assert found.last.tried == ({"cpu": 0},)
    lab.use("h", 2000)
    lab.possible["h", "cpu"] = (PreemptionMode.Preempt, 0)
    assert lab.chosen(asking) == {"cpu": "f"}
    free = Assigning(queue("q", flavors=NAMES), FlavorFungibility=False)
    assert (free.chosen(asking), free.asked) == ({"cpu": "f"}, [])


# --- several resources --------------------------------------------------------------------


def two_resources(*names: str, cpu: int = 4000, memory: int = 4) -> tuple[ResourceGroup, ...]:
    found = tuple(
        FlavorQuotas(name, (ResourceQuota("cpu", cpu), ResourceQuota("memory", memory)))
        for name in names
    )
    return (ResourceGroup(("cpu", "memory"), found),)


def test_all_resources_of_a_group_get_the_same_flavor_and_the_worst_counts() -> None:
    lab = Assigning(queue("q", groups=two_resources("f", "g")))
    lab.use("f", 4, "memory")
    asking = workload("w", pods=[pod_set(cpu=1, memory=1)])
    assert lab.chosen(asking) == {"cpu": "g", "memory": "g"}
    lab.use("g", 4, "memory")
    lab.possible = {("f", "memory"): (PreemptionMode.Preempt, 0)}
    found = lab.assign(asking)
    flavors = found.pod_sets[0].flavors
    assert {name: (each.name, each.mode.name) for name, each in flavors.items()} == {
        "cpu": ("f", "Fit"),
        "memory": ("f", "Preempt"),
    }
    assert found.contested() == (("f", "memory"),)
    assert found.message.count("insufficient unused quota for memory") == 2


def test_each_resource_group_has_a_flavor_of_its_own() -> None:
    groups = (
        *quotas("f"),
        ResourceGroup(("memory",), (FlavorQuotas("g", (ResourceQuota("memory", 4),)),)),
    )
    lab = Assigning(queue("q", groups=groups))
    asking = workload("w", pods=[pod_set(cpu=1, memory=1)])
    assert lab.chosen(asking) == {"cpu": "f", "memory": "g"}
    lab.use("f", 4000)
    lab.use("g", 4, "memory")
    found = lab.assign(asking)
    assert found.message.count("insufficient unused quota for") == 2
    # A group without any flavor leaves the whole pod set without flavors.
    lab.flavors.pop("g")
    found = lab.assign(asking)
    assert found.message == "couldn't assign flavors to pod set main: flavor g not found"
    assert found.pod_sets[0].flavors == {}
    assert (found.mode, found.pod_sets[0].failed) == (Mode.NoFit, True)


@pytest.mark.parametrize("amount", [0, 1])
@pytest.mark.parametrize("gate", [True, False])
@pytest.mark.parametrize("strategy", ["IgnoreUndeclared", "BlockUndeclared"])
def test_a_resource_that_the_cluster_queue_does_not_cover(
    amount: int, gate: bool, strategy: Any
) -> None:
    """It is no obstacle if nothing of it is requested, or if the configuration ignores it."""
    lab = Assigning(queue("q", flavors=("f",)), QuotaCheckStrategy=gate)
    lab.configuration["resources"] = Resources(quota_check_strategy=strategy)
    ignoring = gate and strategy == "IgnoreUndeclared"
    found = lab.assign(workload("w", pods=[pod_set(gpu=amount, cpu=1)]))
    if amount and not ignoring:
        assert found.mode is Mode.NoFit
        assert found.message == (
            "couldn't assign flavors to pod set main: resource gpu unavailable in ClusterQueue"
        )
        assert found.pod_sets[0].flavors == {}
        assert found.no_fit_reason == ""
    else:
        assert found.flavors_by_pod_set() == {"main": {"cpu": "f"}}


def test_pods_are_counted_where_the_cluster_queue_covers_them() -> None:
    group = ResourceGroup(
        ("cpu", "pods"),
        (FlavorQuotas("f", (ResourceQuota("cpu", 4000), ResourceQuota("pods", 3))),),
    )
    lab = Assigning(queue("q", groups=(group,)))
    found = lab.assign(workload("w", pods=[pod_set(count=3, cpu=1)]))
    assert found.usage == {("f", "cpu"): 3000, ("f", "pods"): 3}
    assert list(found.pod_sets[0].requests) == ["pods", "cpu"]
    assert lab.assign(workload("w", pods=[pod_set(count=4, cpu=1)])).mode is Mode.NoFit


def test_resources_of_a_group_of_pod_sets_are_tried_in_kueues_order() -> None:
    group = ResourceGroup(
        ("cpu", "pods"),
        (FlavorQuotas("f", (ResourceQuota("cpu", 4000), ResourceQuota("pods", 9))),),
    )
    lab = Assigning(queue("q", groups=(group,)))
    together = [
        PodSet(name, 1, None, pod_set(cpu=1).template, {"podSetGroupName": "x"}) for name in "ab"
    ]
    *_, chosen = recorded(lab, workload("w", pods=together))
    assert isinstance(chosen, steps.FlavorChosen)
    assert (chosen.pod_sets, chosen.resources) == (("a", "b"), ("pods", "cpu"))


def test_pod_sets_of_a_group_get_the_same_flavor() -> None:
    lab = Assigning(queue("q", flavors=("f", "g")))
    lab.use("f", 2000)
    grouped = [
        PodSet(name, 1, None, pod_set(cpu=2).template, {"podSetGroupName": "together"})
        for name in ("leader", "worker")
    ]
    found = lab.assign(workload("w", pods=grouped))
    assert found.flavors_by_pod_set() == {"leader": {"cpu": "g"}, "worker": {"cpu": "g"}}
    alone = [PodSet(each.name, 1, None, each.template) for each in grouped]
    found = lab.assign(workload("w", pods=alone))
    assert found.flavors_by_pod_set() == {"leader": {"cpu": "f"}, "worker": {"cpu": "g"}}


# --- flavors that can't be used -----------------------------------------------------------


@pytest.mark.parametrize(("gate", "reason"), [(True, "NoMatchingFlavor"), (False, "")])
def test_a_flavor_that_does_not_suit_the_pods_is_passed_over(gate: bool, reason: str) -> None:
    lab = Assigning(queue("q", flavors=("f", "g")), UnadmittedWorkloadsObservability=gate)
    lab.flavors["f"] = flavor("f", node_taints=(Taint("spot", "true", "NoSchedule"),))
    found = lab.assign(workload("w"))
    assert found.flavors_by_pod_set() == {"main": {"cpu": "g"}}
    said = "untolerated taint {spot true NoSchedule <nil>} in flavor f"
    assert found.flavors_considered == f"main: f(NoFit;{said})"
    assert found.pod_sets[0].attempts[0].no_fit_reason == reason
    lab.flavors.pop("g")
    found = lab.assign(workload("w"))
    assert (found.mode, found.no_fit_reason) == (Mode.NoFit, reason)
    assert found.message == (f"couldn't assign flavors to pod set main: flavor g not found, {said}")


def test_a_flavor_must_suit_every_pod_set_of_a_group() -> None:
    lab = Assigning(queue("q", flavors=("f", "g")))
    lab.flavors["f"] = flavor("f", node_labels={"type": "f"})
    plain = pod_set("plain", cpu=1)
    container = plain.template.spec.containers
    picky = PodTemplate(spec=PodSpec(containers=container, node_selector={"type": "g"}))
    together = {"podSetGroupName": "x"}
    pods = [
        PodSet("plain", 1, None, plain.template, together),
        PodSet("picky", 1, None, picky, together),
    ]
    found = lab.assign(workload("w", pods=pods)).flavors_by_pod_set()
    assert found == {"plain": {"cpu": "g"}, "picky": {"cpu": "g"}}


@pytest.mark.parametrize("gate", [True, False])
def test_a_flavor_with_a_topology_is_for_pods_that_ask_for_one(gate: bool) -> None:
    lab = Assigning(queue("q", flavors=("f", "g")), TopologyAwareScheduling=gate)
    lab.flavors["f"] = flavor("f", topology_name="racks")
    found = lab.assign(workload("w"))
    assert found.flavors_by_pod_set() == {"main": {"cpu": "g" if gate else "f"}}
    if gate:
        assert 'Flavor "f" supports only TopologyAwareScheduling' in found.flavors_considered
        # If all flavors have a topology, it is used for every pod set.
        lab.flavors["g"] = flavor("g", topology_name="racks")
        assert lab.chosen(workload("w")) == {"cpu": "f"}


def test_when_flavors_are_pinned_no_other_one_is_tried() -> None:
    lab = Assigning(queue("q", flavors=NAMES))
    found = lab.assign(workload("w"), pinned={"main": {"cpu": "g"}})
    assert found.flavors_by_pod_set() == {"main": {"cpu": "g"}}
    assert found.flavors_considered == ""
    lab.flavors.pop("g")
    found = lab.assign(workload("w"), pinned={"main": {"cpu": "g"}})
    skipped = "skipping flavor {} as it is not found in the nomination mapping for resource cpu"
    assert found.message == (
        "couldn't assign flavors to pod set main: flavor g not found, "
        f"{skipped.format('f')}, {skipped.format('h')}"
    )
    assert [each.flavor for each in found.pod_sets[0].attempts] == ["g"]


# --- what is recorded ---------------------------------------------------------------------


def recorded(lab: Assigning, asking: WorkloadState) -> list[steps.Facts]:
    lab.recorder = Recorder()
    lab.assign(asking)
    assert {(each.workload, each.cluster_queue) for each in lab.recorder.steps} == {("ns/w", "q")}
    return [each.facts for each in lab.recorder.steps]


def test_each_flavor_considered_is_recorded_with_its_numbers() -> None:
    lab = Assigning(
        queue("q", "team", flavors=("f", "g"), cpu=2, borrow=1, lend=0),
        queue("o", "team", flavors=("f", "g"), cpu=1),
    )
    lab.flavors["f"] = flavor("f", node_taints=(Taint("spot", "true", "NoSchedule"),))
    lab.use("g", 1500)
    rejected, considered, chosen = recorded(lab, workload("w"))
    assert rejected == steps.FlavorRejected(
        ("main",), "f", ("untolerated taint {spot true NoSchedule <nil>} in flavor f",)
    )
    assert considered == steps.FlavorConsidered(
        pod_sets=("main",),
        flavor="g",
        resource="cpu",
        requested=1000,
        assumed=0,
        nominal=2000,
        used=1500,
        available=1500,
        potential=3000,
        borrowing_limit=1000,
        lending_limit=0,
        borrowing=1,
        mode="Fit",
        possibility="",
        reasons=(),
    )
    assert chosen == steps.FlavorChosen(
        ("main",),
        ("cpu",),
        "g",
        "Fit",
        1,
        "stopped",
        {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"},
        2,
        2,
    )


def test_why_a_flavor_is_chosen_is_recorded() -> None:
    spec = queue(
        "q",
        flavors=("f", "g"),
        flavor_fungibility=fungible(preference="PreemptionOverBorrowing"),
    )
    lab = Assigning(spec)
    lab.use("f", 4000)
    lab.use("g", 4000)
    lab.possible["g", "cpu"] = (PreemptionMode.Preempt, 0)
    assert [getattr(each, "used", None) for each in recorded(Assigning(spec), workload("w"))] == [
        0,
        None,
    ]
    first, second, chosen = recorded(lab, workload("w"))
    assert isinstance(first, steps.FlavorConsidered)
    assert (first.mode, first.possibility, first.used) == ("Preempt", "NoCandidates", 4000)
    assert first.reasons == ("insufficient unused quota for cpu in flavor f, 1 more needed",)
    assert isinstance(second, steps.FlavorConsidered)
    assert second.possibility == "Preempt"
    rules = {
        "whenCanBorrow": "MayStopSearch",
        "whenCanPreempt": "TryNextFlavor",
        "preference": "PreemptionOverBorrowing",
    }
    best = steps.FlavorChosen(("main",), ("cpu",), "g", "Preempt", 0, "best-seen", rules, 2, 2)
    assert chosen == best
    # The scan began after the last flavor, as flavors were removed in the meantime.
    late = workload("w")
    late.last_assignment = LastAssignment(({"cpu": 3},), 0, 1, "")
    assert recorded(lab, late) == [
        steps.FlavorChosen(("main",), ("cpu",), "", "NoFit", 0, "none-fits", rules, 4, 2)
    ]
    (_, _, none) = recorded(lab, workload("w", 5))
    assert none == steps.FlavorChosen(("main",), ("cpu",), "", "NoFit", 0, "none-fits", rules, 2, 2)
    lab.gates = {"FlavorFungibility": False}
    lab.use("g", -4000)
    assert recorded(lab, workload("w"))[-1] == steps.FlavorChosen(
        ("main",), ("cpu",), "g", "Fit", 0, "stopped", {}, 2, 2
    )


# --- ranks -------------------------------------------------------------------------------------


def test_a_flavor_without_candidates_comes_after_one_that_borrows_more() -> None:
    stuck, borrows = Rank(PreemptionMode.NoCandidates, 0), Rank(PreemptionMode.Preempt, 1)
    for preference in ("BorrowingOverPreemption", "PreemptionOverBorrowing"):
        policy = fungible(preference=preference)
        assert preferred(borrows, stuck, policy)
        assert not preferred(stuck, borrows, policy)


@pytest.mark.parametrize("mode", PreemptionMode)
def test_of_two_equal_flavors_neither_is_preferred(mode: PreemptionMode) -> None:
    if mode is not PreemptionMode.NoFit:
        assert not preferred(Rank(mode, 1), Rank(mode, 1), FlavorFungibility())
