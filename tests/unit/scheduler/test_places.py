"""The domains that the pods of an entry get in a cycle, and what of them later entries miss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from scheduler_lab import (
    FakeCluster,
    configuration,
    pod_set,
    queue,
    run,
    targets_of,
    tree,
    workload,
)

from kueuelab.model import (
    Admission,
    AdmissionCheckState,
    Condition,
    FlavorQuotas,
    Node,
    ObjectMeta,
    PodSet,
    PodSetAssignment,
    PodSetUpdate,
    ResourceFlavor,
    ResourceGroup,
    ResourceQuota,
    Resources,
    ResourceTransformation,
    Topology,
    TopologyAssignment,
    TopologyDomain,
)
from kueuelab.model.topology import HOSTNAME
from kueuelab.quantity import Quantity
from kueuelab.queues import Head
from kueuelab.quota import QuotaTree
from kueuelab.scheduler import Entry, Scheduler
from kueuelab.topology import DomainUsage, TopologyForest, domain_usage
from kueuelab.trace.recorder import Recorder
from kueuelab.workload import WorkloadState

RACK = {"required": "rack"}
HOST = {"required": HOSTNAME}
ANY = {"unconstrained": True}

#: ``tas`` and ``fast`` have a topology, ``plain`` has none.
FLAVORS = {
    "tas": ResourceFlavor(ObjectMeta("tas"), topology_name="dc"),
    "fast": ResourceFlavor(ObjectMeta("fast"), {"type": "fast"}, topology_name="dc"),
    "plain": ResourceFlavor(ObjectMeta("plain")),
}


def host(name: str, cpu: int = 1) -> Node:
    """Return a node: its rack is the first letter of its name, those of rack ``f`` are fast."""
    labels = {"rack": name[0], HOSTNAME: name, "type": "fast" if name[0] == "f" else "usual"}
    allocatable = {"cpu": Quantity.parse(str(cpu)), "gpu": Quantity.parse("9")}
    allocatable["pods"] = Quantity.parse("9")
    return Node(ObjectMeta(name, labels=labels), allocatable, (), False, _READY)


_READY = (Condition("Ready", "True", ""),)


def forest(made: QuotaTree, **hosts: int) -> TopologyForest:
    """Return the topologies of hosts by name, each with its cpus."""
    found = TopologyForest(made.journal, {name: host(name, cpu) for name, cpu in hosts.items()})
    for flavor in FLAVORS.values():
        if flavor.topology_name:
            found.set_flavor(flavor, Topology(ObjectMeta("dc"), ("rack", HOSTNAME)))
    return found


def group(resource: str, *flavors: str, quota: int = 100) -> ResourceGroup:
    unit = 1000 if resource == "cpu" else 1
    amount = (ResourceQuota(resource, quota * unit),)
    return ResourceGroup((resource,), tuple(FlavorQuotas(name, amount) for name in flavors))


def pods(
    request: Mapping[str, Any] | None,
    name: str = "main",
    count: int = 1,
    minimum: int | None = None,
    **requests: int | str,
) -> PodSet:
    found = pod_set(name, count, minimum, **requests)
    return replace(found, topology_request=None if request is None else dict(request))


def job(name: str, *pod_sets: PodSet) -> WorkloadState:
    return workload(name, pods=pod_sets)


def with_credits(state: WorkloadState) -> WorkloadState:
    """Return the workload where each cpu counts as a credit, too."""
    credit = ResourceTransformation("cpu", outputs={"credits": Fraction(1)})
    return WorkloadState(state.obj, Resources(transformations=(credit,)))


def on(*hosts: str) -> TopologyAssignment:
    """Return an assignment of one pod for each time that a host is named."""
    domains = tuple(TopologyDomain((each,), hosts.count(each)) for each in sorted({*hosts}))
    return TopologyAssignment((HOSTNAME,), domains)


def admitted(
    made: QuotaTree,
    topologies: TopologyForest,
    name: str,
    *pod_sets: PodSet,
    places: Mapping[str, TopologyAssignment],
    delayed: str = "",
    cluster_queue: str = "q",
) -> WorkloadState:
    """Return a workload that has its places, or whose ``delayed`` pod set has none yet."""
    state = job(name, *pod_sets)
    state.admission = Admission(
        cluster_queue,
        tuple(
            PodSetAssignment(
                each.name,
                {"cpu": "tas"},
                {"cpu": each.count * state.pod_amounts[each.name]["cpu"]},
                each.count,
                places[each.name].stored() if each.name in places else None,
                "Pending" if each.name == delayed else None,
            )
            for each in pod_sets
        ),
    )
    for kind in ("QuotaReserved", "Admitted")[: 1 if delayed else 2]:
        state.set_condition(kind, "True", kind, "", 1)
    state.refresh()
    assert made.add_workload(state)
    used: list[DomainUsage] = []
    for pod_set_name, place in places.items():
        used += domain_usage(place, state.pod_amounts[pod_set_name])
    topologies.book(state.key, {"tas": tuple(used)})
    return state


def again(state: WorkloadState) -> Head:
    """Return the head of a second pass."""
    return Head(state, "q", second_pass=1)


def places(entry: Entry) -> dict[str, dict[str, int]]:
    """Return how many pods of each pod set are on each host, for those that have places."""
    assert entry.assignment is not None
    return {
        result.name: {domain.values[-1]: domain.count for domain in result.topology.domains}
        for result in entry.assignment.pod_sets
        if result.topology is not None
    }


def delayed(entry: Entry) -> list[str | None]:
    """Return what the admission says of domains that are assigned later."""
    assert entry.assignment is not None
    admission = entry.assignment.to_admission("q")
    return [each.delayed_topology_request for each in admission.pod_set_assignments]


def cycle(
    made: QuotaTree, topologies: TopologyForest, *heads: Head | WorkloadState, **rest: Any
) -> dict[str, Entry]:
    asked = (each if isinstance(each, Head) else Head(each, "q") for each in heads)
    return run(made, *asked, flavors=FLAVORS, forest=topologies, **rest)


def usual(*groups: ResourceGroup, **spec: Any) -> QuotaTree:
    """Return a tree of a ClusterQueue ``q``; it has cpu of ``tas`` if nothing else is said."""
    return tree(queue("q", groups=groups or (group("cpu", "tas"),), **spec))


class TestWhichPodSetsGetPlaces:
    def test_pods_that_ask_for_nothing_get_places_where_all_flavors_have_a_topology(self) -> None:
        made = usual()
        entry = cycle(made, forest(made, a1=1, a2=1), job("w", pods(None, count=2, cpu=1)))["w"]
        assert (entry.status, places(entry)) == ("assumed", {"main": {"a1": 1, "a2": 1}})

    def test_elsewhere_only_those_that_ask_get_places(self) -> None:
        made = usual(group("cpu", "plain", "tas"))
        found = job("w", pods(None, "aside", cpu=1), pods(RACK, cpu=1))
        entry = cycle(made, forest(made, a1=1), found)["w"]
        assert (entry.status, places(entry)) == ("assumed", {"main": {"a1": 1}})
        assert delayed(entry) == [None, None]

    def test_without_the_gate_none_gets_places(self) -> None:
        made = usual(group("cpu", "plain"))
        off = configuration(TopologyAwareScheduling=False)
        found = job("w", pods(RACK, cpu=1))
        entry = cycle(made, forest(made, a1=1), found, settings=off)["w"]
        assert (entry.status, places(entry)) == ("assumed", {})

    def test_pod_sets_of_a_group_may_have_another_one_between_them(self) -> None:
        made = usual(group("cpu", "tas", "plain"))
        together = {**RACK, "podSetGroupName": "both"}
        found = job(
            "w",
            pods(together, "leader", cpu=1),
            pods(None, "aside", count=7, cpu=1),
            pods(together, "workers", count=2, cpu=1),
        )
        entry = cycle(made, forest(made, a1=2, b1=3), found)["w"]
        assert (entry.status, entry.message) == ("assumed", "")
        assert places(entry) == {"leader": {"b1": 1}, "workers": {"b1": 2}}

    def test_a_leader_that_requests_nothing_gets_a_place_with_its_workers(self) -> None:
        made = usual(group("cpu", "tas"), group("credits", "plain"))
        together = {**RACK, "podSetGroupName": "both"}
        found = with_credits(job("w", pods(together, "leader"), pods(together, "workers", cpu=1)))
        entry = cycle(made, forest(made, a1=1), found)["w"]
        assert entry.assignment is not None
        assert entry.assignment.flavors_by_pod_set() == {
            "leader": {"cpu": "tas"},
            "workers": {"cpu": "tas", "credits": "plain"},
        }
        assert places(entry) == {"leader": {"a1": 1}, "workers": {"a1": 1}}

    def test_pod_sets_without_pods_need_no_place(self) -> None:
        made = usual()
        found = job("w", pods(RACK, "none", count=0, cpu=1), pods(RACK, cpu=1))
        entry = cycle(made, forest(made, a1=1), found)["w"]
        assert (entry.status, places(entry)) == ("assumed", {"main": {"a1": 1}})

    def test_with_fewer_pods_there_are_fewer_places(self) -> None:
        made = usual(group("cpu", "tas", quota=3))
        entry = cycle(made, forest(made, a1=9), job("w", pods(RACK, count=4, minimum=1, cpu=1)))[
            "w"
        ]
        assert (entry.status, places(entry)) == ("assumed", {"main": {"a1": 3}})


class TestPodSetsThatCanHaveNoPlace:
    @pytest.mark.parametrize(
        ("groups", "pod_set_", "why"),
        [
            (
                [group("cpu", "plain")],
                pods(RACK),
                "workload requires Topology, but there is no TAS cache information",
            ),
            ([group("cpu", "tas")], pods(RACK), "no TAS flavor assigned"),
            (
                [group("cpu", "tas"), group("gpu", "fast")],
                pods(RACK, cpu=1, gpu=1),
                "more than one TAS flavor assigned: fast, tas",
            ),
        ],
    )
    def test_the_reason(self, groups: list[ResourceGroup], pod_set_: PodSet, why: str) -> None:
        made = usual(*groups)
        entry = cycle(made, forest(made, a1=9, f1=9), job("w", pod_set_))["w"]
        assert entry.message == f"failed to assign flavors to pod set main: {why}"
        assert (entry.status, places(entry)) == ("", {})

    def test_they_keep_the_whole_workload_from_admission(self) -> None:
        made = usual(group("cpu", "tas"))
        found = job("w", pods(RACK, "empty"), pods(RACK, "main", cpu=1))
        entry = cycle(made, forest(made, a1=1), found)["w"]
        assert (entry.status, places(entry)) == ("", {})
        assert "pod set empty: no TAS flavor assigned" in entry.message


class TestNoRoom:
    def test_what_no_topology_can_hold_does_not_wait_for_preemption(self) -> None:
        made = usual()
        observed = configuration(UnadmittedWorkloadsObservability=True)
        found = job("w", pods(RACK, count=3, cpu=1))
        entry = cycle(made, forest(made, a1=2, b1=2), found, settings=observed)["w"]
        assert entry.mode.name == "NoFit"
        assert entry.quota_reserved_reason == "TopologyPlacementFailed"
        assert entry.assignment is not None
        assert entry.assignment.flavors_considered.startswith("main: tas(NoFit")

    def test_the_verdict_is_about_the_flavor_that_was_assigned(self) -> None:
        observed = configuration(UnadmittedWorkloadsObservability=True)
        made = usual(
            ResourceGroup(
                ("cpu",),
                (
                    FlavorQuotas("fast", (ResourceQuota("cpu", 1000),)),
                    FlavorQuotas("tas", (ResourceQuota("cpu", 9000),)),
                ),
            )
        )
        found = job("w", pods(RACK, "first", cpu=1), pods(RACK, "second", count=3, cpu=1))
        entry = cycle(made, forest(made, f1=1, a1=1), found, settings=observed)["w"]
        assert entry.assignment is not None
        first, second = entry.assignment.pod_sets
        assert [each.mode.name for each in first.attempts] == ["Fit"]
        verdicts = [(each.flavor, each.mode.name, each.no_fit_reason) for each in second.attempts]
        assert verdicts == [
            ("fast", "NoFit", "ExceedsMaxQuota"),
            ("tas", "NoFit", "TopologyPlacementFailed"),
        ]

    def test_one_pod_set_that_no_topology_can_hold_is_enough(self) -> None:
        """Another one lacks quota, which preemption could free."""
        made = usual(group("cpu", "tas"), group("gpu", "plain", quota=1), within="LowerPriority")
        holder = workload("other", pods=[pod_set(gpu=1)], priority=-1)
        holder.admission = Admission(
            "q", (PodSetAssignment("main", {"gpu": "plain"}, {"gpu": 1}, 1),)
        )
        holder.set_condition("QuotaReserved", "True", "QuotaReserved", "", 1)
        holder.refresh()
        made.add_workload(holder)
        found = job("w", pods(RACK, "lacks", cpu=1, gpu=1), pods(RACK, "large", count=3, cpu=1))
        entry = cycle(made, forest(made, a1=2), found)["w"]
        assert (entry.mode.name, entry.targets) == ("NoFit", [])

    def test_a_search_is_recorded_for_the_workload(self) -> None:
        recorder = Recorder()
        made = usual()
        found = job("w", pods(RACK, count=3, cpu=1))
        cycle(made, forest(made, a1=2), found, recorder=recorder)
        searches = [step for step in recorder.steps if step.kind == "DomainsSearched"]
        assert {(step.workload, step.cluster_queue) for step in searches} == {("ns/w", "q")}


class TestEntriesOfOneCycle:
    @staticmethod
    def two(made: QuotaTree, topologies: TopologyForest, *pod_sets: PodSet) -> list[str]:
        entries = cycle(
            made, topologies, Head(job("one", *pod_sets), "q"), Head(job("two", *pod_sets), "r")
        )
        return [entries[name].status for name in ("one", "two")]

    @staticmethod
    def queues(*groups: ResourceGroup) -> QuotaTree:
        return tree(queue("q", groups=groups), queue("r", groups=groups))

    def test_a_domain_is_given_once(self) -> None:
        made = self.queues(group("cpu", "tas"))
        assert self.two(made, forest(made, a1=1), pods(RACK, cpu=1)) == ["assumed", ""]

    def test_another_domain_is_looked_for_in_the_same_flavor(self) -> None:
        """As in Kueue: a second flavor with room is not tried in that cycle."""
        made = self.queues(group("cpu", "fast", "tas"))
        asked = pods(RACK, cpu=1)
        assert self.two(made, forest(made, f1=1, a1=1), asked) == ["assumed", ""]
        made = self.queues(group("cpu", "fast", "tas"))
        assert self.two(made, forest(made, f1=1, f2=1, a1=1), asked) == ["assumed", "assumed"]

    def test_domains_of_later_pod_sets_count(self) -> None:
        made = self.queues(group("cpu", "plain", "tas"))
        found = pods(None, "aside", cpu=1), pods(RACK, cpu=1)
        assert self.two(made, forest(made, a1=1), *found) == ["assumed", ""]

    def test_domains_count_where_another_resource_has_no_topology(self) -> None:
        made = self.queues(group("cpu", "tas"), group("credits", "plain"))
        heads = [
            Head(with_credits(job(name, pods(RACK, cpu=1))), cluster_queue)
            for name, cluster_queue in (("one", "q"), ("two", "r"))
        ]
        entries = cycle(made, forest(made, a1=1), *heads)
        assert [entries[name].status for name in ("one", "two")] == ["assumed", ""]


class TestDelayedPlaces:
    def test_a_check_delays_the_places_in_its_flavor_only(self) -> None:
        made = usual(group("cpu", "fast"), group("gpu", "tas"))
        found = job("w", pods(RACK, "first", cpu=1), pods(RACK, "second", gpu=1))
        entry = cycle(made, forest(made, f1=1, a1=1), found, delayed=["fast"])["w"]
        assert (entry.status, delayed(entry)) == ("assumed", ["Pending", None])
        assert places(entry) == {"second": {"a1": 1}}

    def test_the_second_pass_finds_them(self) -> None:
        made = usual()
        topologies = forest(made, a1=1, b1=2)
        state = admitted(
            made,
            topologies,
            "w",
            pods(RACK, "first", cpu=1),
            pods(RACK, "second", count=2, cpu=1),
            places={"first": on("a1")},
            delayed="second",
        )
        entry = cycle(made, topologies, again(state))["w"]
        assert (entry.status, delayed(entry)) == ("assumed", [None, "Ready"])
        assert places(entry) == {"first": {"a1": 1}, "second": {"b1": 2}}

    def test_with_fewer_pods_only_those_without_places_are_fewer(self) -> None:
        made = usual()
        topologies = forest(made, a1=2, b1=1)
        state = admitted(
            made,
            topologies,
            "w",
            pods(RACK, "first", count=2, minimum=1, cpu=1),
            pods(RACK, "second", count=2, minimum=1, cpu=1),
            places={"first": on("a1", "a1")},
            delayed="second",
        )
        entry = cycle(made, topologies, again(state))["w"]
        assert (entry.status, delayed(entry)) == ("assumed", [None, None])
        assert places(entry) == {"first": {"a1": 2}, "second": {"b1": 1}}

    def test_what_a_passed_check_wants_counts(self) -> None:
        made = usual()
        topologies = forest(made, a1=1, b1=1)
        found = pods(HOST, "first", cpu=1), pods(HOST, "second", cpu=1)
        state = admitted(made, topologies, "w", *found, places={}, delayed="first")
        updates = (
            PodSetUpdate("first", node_selector={"rack": "b"}),
            PodSetUpdate("second", node_selector={"rack": "a"}),
        )
        check = AdmissionCheckState("check", "Ready", pod_set_updates=updates)
        state.admission_checks = {"check": check}
        entry = cycle(made, topologies, again(state))["w"]
        assert places(entry) == {"first": {"b1": 1}, "second": {"a1": 1}}

    def test_what_other_checks_want_does_not_count(self) -> None:
        made = usual()
        topologies = forest(made, a1=1)
        state = admitted(made, topologies, "w", pods(HOST, cpu=1), places={}, delayed="main")
        update = PodSetUpdate("main", node_selector={"rack": "b"})
        check = AdmissionCheckState("check", "Pending", pod_set_updates=(update,))
        state.admission_checks = {"check": check}
        assert places(cycle(made, topologies, again(state))["w"]) == {"main": {"a1": 1}}

    @pytest.mark.parametrize("racks", [("b", "a"), ("b", None), (None, "b")])
    def test_each_pass_counts_what_checks_want_then(self, racks: Sequence[str | None]) -> None:
        made = usual()
        topologies = forest(made, a1=1, b1=1)
        state = admitted(made, topologies, "w", pods(HOST, cpu=1), places={}, delayed="main")
        found = []
        for rack in racks:
            wanted = () if rack is None else (PodSetUpdate("main", node_selector={"rack": rack}),)
            check = AdmissionCheckState("check", "Ready", pod_set_updates=wanted)
            state.admission_checks = {"check": check}
            found.append(places(cycle(made, topologies, again(state))["w"]))
        assert found == [{"main": {f"{rack or 'a'}1": 1}} for rack in racks]


class TestFailedNodes:
    @staticmethod
    def replaced(
        topologies: TopologyForest, made: QuotaTree, *hosts: str, others: Sequence[Head] = ()
    ) -> dict[str, Entry]:
        """Run a second pass for pods on some hosts, of which ``gone`` is no longer there."""
        found = pods(ANY, count=len(hosts), cpu=1)
        state = admitted(made, topologies, "w", found, places={"main": on(*hosts)})
        state.unhealthy_nodes = ("gone",)
        return cycle(made, topologies, again(state), *others)

    def test_only_pods_on_the_failed_node_move(self) -> None:
        made = usual()
        entry = self.replaced(forest(made, a1=1, a2=1), made, "a1", "gone")["w"]
        assert (entry.status, places(entry)) == ("assumed", {"main": {"a1": 1, "a2": 1}})

    def test_an_evicted_workload_is_not_requeued_by_the_cycle(self) -> None:
        made = usual()
        topologies = forest(made, a1=1)
        found = pods(ANY, count=2, cpu=1)
        state = admitted(made, topologies, "w", found, places={"main": on("a1", "gone")})
        state.unhealthy_nodes = ("gone",)
        cluster = FakeCluster(again(state))
        settings = configuration()
        scheduler = Scheduler(settings, made, FLAVORS, cluster, forest=topologies)
        assert list(scheduler.next_cycle().run()) == []
        assert cluster.calls == ["heads", "nominate w", "evict w"]

    def test_only_pod_sets_on_the_failed_node_are_looked_at(self) -> None:
        made = usual()
        topologies = forest(made, a1=1, b1=1)
        found = pods(RACK, "first", cpu=1), pods(RACK, "second", cpu=1)
        where = {"first": on("a1"), "second": on("gone")}
        state = admitted(made, topologies, "w", *found, places=where)
        state.unhealthy_nodes = ("gone",)
        entry = cycle(made, topologies, again(state))["w"]
        assert places(entry) == {"first": {"a1": 1}, "second": {"b1": 1}}

    def test_pods_may_move_to_a_host_that_has_others(self) -> None:
        """The pods that are there already need no more room."""
        made = usual()
        entry = self.replaced(forest(made, a1=2), made, "a1", "gone")["w"]
        assert (entry.status, places(entry)) == ("assumed", {"main": {"a1": 2}})

    def test_pods_that_stay_need_no_room(self) -> None:
        made = usual()
        topologies = forest(made, a1=1, a2=1)
        topologies.count_pod("a1", {"cpu": 1000}, 1)
        entry = self.replaced(topologies, made, "a1", "gone")["w"]
        assert (entry.status, places(entry)) == ("assumed", {"main": {"a1": 1, "a2": 1}})

    def test_the_replacement_is_not_given_to_others(self) -> None:
        made = tree(
            queue("q", groups=(group("cpu", "tas"),)), queue("r", groups=(group("cpu", "tas"),))
        )
        other = Head(job("other", pods(HOST, cpu=1)), "r")
        entries = self.replaced(forest(made, a1=1, a2=1), made, "a1", "gone", others=[other])
        assert [entries[name].status for name in ("w", "other")] == ["assumed", ""]

    @pytest.mark.parametrize(
        ("fail_fast", "outcome"), [(True, ("evicted", [])), (False, ("", ["low"]))]
    )
    def test_without_a_replacement_it_is_evicted_or_preempts(
        self, fail_fast: bool, outcome: tuple[str, list[str]]
    ) -> None:
        made = usual(within="LowerPriority")
        topologies = forest(made, a1=1, a2=1)
        admitted(made, topologies, "low", pods(RACK, cpu=1), places={"main": on("a2")})
        found = pods(ANY, count=2, cpu=1)
        state = admitted(made, topologies, "w", found, places={"main": on("a1", "gone")})
        state.priority = 9
        state.unhealthy_nodes = ("gone",)
        settings = configuration(TASFailedNodeReplacementFailFast=fail_fast)
        entry = cycle(made, topologies, again(state), settings=settings)["w"]
        preempted = targets_of(entry) if entry.preempting else []
        assert (entry.status, preempted) == outcome
        assert places(entry) == {"main": {"a1": 1, "gone": 1}}


def test_a_preemptor_without_targets_reserves_domains_as_if_they_were_empty() -> None:
    made = tree(
        queue("q", groups=(group("cpu", "tas"),)), queue("r", groups=(group("cpu", "tas"),))
    )
    topologies = forest(made, a1=2)
    admitted(made, topologies, "holder", pods(RACK, cpu=1), places={"main": on("a1")})
    heads = [
        Head(workload("large", pods=[pods(RACK, count=2, cpu=1)], priority=1), "q"),
        Head(job("small", pods(RACK, cpu=1)), "r"),
    ]
    entries = cycle(made, topologies, *heads)
    assert places(entries["large"]) == {"main": {"a1": 2}}
    assert [entries[name].status for name in ("large", "small")] == ["", ""]
