"""What is recorded of a search is what it would be alone, whatever was recorded before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scheduler_lab import (
    CPU,
    borrow_within_cohort,
    cohort,
    configuration,
    crowded,
    holder,
    no_topologies,
    queue,
    tree,
    workload,
)

from kueuelab.model import AdmissionFairSharing, Configuration, FlavorResource
from kueuelab.quota import QuotaTree
from kueuelab.scheduler.preemption import Preemptor
from kueuelab.trace import steps
from kueuelab.trace.recorder import Recorder

SPOT = ("spot", "cpu")


class Searches:
    """Searches that are recorded together, cycle by cycle, and each of them alone."""

    def __init__(
        self, made: QuotaTree, *, fair: bool = False, settings: Configuration | None = None
    ) -> None:
        self._made = made
        self._settings = settings or configuration(fair=fair)
        self._recorder = Recorder()

    def next_cycle(self) -> None:
        """Begin a cycle: the recorder goes on, the rest is new."""
        self._together = self._preemptor(self._recorder)

    def check(
        self, name: str, cpu: int = 1, *, at: FlavorResource = CPU, **rest: Any
    ) -> list[steps.Facts]:
        """Let a workload of a ClusterQueue search, and return what is recorded of it."""
        before = len(self._recorder.steps)
        self._search(self._together, name, cpu, at, rest)
        found = [each.facts for each in self._recorder.steps[before:]]
        recorder = Recorder()
        self._search(self._preemptor(recorder), name, cpu, at, rest)
        assert found == [each.facts for each in recorder.steps]
        return found

    def _preemptor(self, recorder: Recorder) -> Preemptor:
        return Preemptor(self._settings, self._made, no_topologies(self._made), recorder)

    def _search(
        self, preemptor: Preemptor, name: str, cpu: int, at: FlavorResource, rest: dict[str, Any]
    ) -> None:
        asking, node = workload("new", cpu, **rest), self._made.cluster_queues[name]
        with self._made.simulation():
            preemptor.forget()
            preemptor.targets(asking, node, {at: cpu * 1000}, (at,))


@given(crowded(), st.integers(1, 3), st.integers(0, 2), st.booleans())
def test_in_any_world(make: Callable[[], QuotaTree], cpu: int, priority: int, fair: bool) -> None:
    made = make()
    searches = Searches(made, fair=fair)
    for number in range(2):
        searches.next_cycle()
        for name in made.cluster_queues:
            searches.check(name, cpu, priority=priority)
        holder(made, f"late-{number}", "a", 2, since=9)


def rich() -> QuotaTree:
    """Return ClusterQueues of each policy in cohorts of two levels, some of which borrow."""
    spots = ("default", "spot")
    borrow = borrow_within_cohort(2)
    return tree(
        cohort("x", "root"),
        cohort("y", "root"),
        queue("any", "x", cpu=3, reclaim="Any", within="LowerOrNewerEqualPriority", flavors=spots),
        queue("other", "x", cpu=3, reclaim="Any", within="LowerPriority", flavors=spots),
        queue("lower", "x", cpu=2, reclaim="LowerPriority", borrow_policy=borrow, flavors=spots),
        queue("far", "y", cpu=2, reclaim="LowerPriority", within="Any", flavors=spots),
        queue("never", "x", cpu=1, within="LowerOrNewerEqualPriority", flavors=spots),
        queue("nor", "y", cpu=1, flavors=spots),
        queue("a", "x", cpu=0, flavors=spots),
        queue("b", "y", cpu=0, flavors=spots),
    )


@pytest.mark.parametrize("fair", [False, True])
def test_by_policy_priority_flavor_and_place(fair: bool) -> None:
    made = rich()
    for number, name in enumerate(("any", "never", "a", "b", "a", "b", "other", "far")):
        holder(
            made, f"{name}-{number}", name, 2, priority=number % 3, since=number + 1, created=number
        )
    holder(made, "leaving", "b", 1, priority=2, evicted=True)
    holder(made, "spot", "a", 2, flavor="spot")
    searches = Searches(made, fair=fair)
    for number in range(3):
        searches.next_cycle()
        for priority in (1, 2, 1):
            for name in ("any", "other", "lower", "far", "never", "nor"):
                for cpu in (1, 3):
                    assert searches.check(name, cpu, priority=priority, created=number)
                searches.check(name, 1, at=SPOT, priority=priority)
        # What comes and goes is seen in the next cycle.
        if number == 0:
            holder(made, "late", "a", 1, priority=1, since=20)
        else:
            made.set_cluster_queue(queue("more", "x", cpu=1, flavors=("default", "spot")))
            made.set_cluster_queue(queue("lower", "x", cpu=2, reclaim="LowerPriority"))


def test_by_the_usage_of_local_queues_at_the_time() -> None:
    made = tree(queue("q", "team", cpu=4, reclaim="Any"), queue("a", "team", cpu=0))
    holder(made, "one", "a", local="first")
    holder(made, "two", "a", local="second")
    used = {"ns/first": 1.0, "ns/second": 2.0}
    for node in made.cluster_queues.values():
        node.candidates.usage = used.__getitem__
    sharing = Configuration(admission_fair_sharing=AdmissionFairSharing(60))
    searches = Searches(made, settings=sharing)
    searches.next_cycle()
    before = searches.check("q", 3)
    used["ns/first"] = 3.0
    searches.next_cycle()
    assert searches.check("q", 3) != before
