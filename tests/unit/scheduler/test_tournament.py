"""The tournament of fair sharing compares anew only on the way of the winner: the same order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scheduler_lab import CPU, cohort, configuration, queue, tree, workload

from kueuelab.model import Configuration
from kueuelab.quota import CohortNode, QuotaTree, Share, compare_shares, dominant_resource_share
from kueuelab.scheduler import Assignment, Entry
from kueuelab.scheduler.assignment import FlavorAssignment, Mode, PodSetResult
from kueuelab.scheduler.tournament import by_share
from kueuelab.workload import LastAssignment

#: An order of entries: what is under test, or the plain one.
Order = Callable[[list[Entry], Configuration], Iterator[Entry]]


class PlainTournament:
    """Computes every share and plays every match anew for every entry, as Kueue does."""

    def __init__(self, made: QuotaTree, settings: Configuration) -> None:
        self.tree = made
        self.gates = settings.gates

    def share(self, cohort_: CohortNode, entry: Entry) -> Share:
        assert entry.assignment is not None
        mark = self.tree.mark()
        self.tree.add_usage(entry.node, entry.assignment.usage)
        nodes = [entry.node, *entry.node.ancestors()]
        share = dominant_resource_share(nodes[nodes.index(cohort_) - 1])
        self.tree.undo(mark)
        return share

    def before(self, left: Entry, right: Entry, cohort_: CohortNode) -> bool:
        """Tell whether ``left`` goes before ``right`` by one of the rules."""
        if self.gates["PrioritizePreemptorWorkloads"] and left.is_preemptor != right.is_preemptor:
            return left.is_preemptor
        one, other = self.share(cohort_, left), self.share(cohort_, right)
        assert left.assignment is not None
        assert right.assignment is not None
        borrows = [
            one.borrows_on(left.assignment.usage),
            other.borrows_on(right.assignment.usage),
        ]
        if self.gates["FairSharingPrioritizeNonBorrowing"] and borrows[0] != borrows[1]:
            return borrows[1]
        if order := compare_shares(one, other):
            return order < 0
        priorities = left.workload.priority, right.workload.priority
        if self.gates["PrioritySortingWithinCohort"] and priorities[0] != priorities[1]:
            return priorities[0] > priorities[1]
        created = [each.workload.obj.metadata.creation_timestamp or 0 for each in (left, right)]
        return created[0] < created[1]

    def winner(self, at: CohortNode, waiting: dict[str, Entry]) -> Entry | None:
        below = [self.winner(child, waiting) for child in at.sorted_cohorts]
        finalists = [entry for entry in below if entry is not None]
        finalists += [waiting[node.name] for node in at.sorted_queues if node.name in waiting]
        best: Entry | None = None
        for entry in finalists:
            if best is None or self.before(entry, best, at):
                best = entry
        return best

    def order(self, entries: list[Entry], _: Configuration) -> Iterator[Entry]:
        waiting = {entry.cluster_queue: entry for entry in entries}
        while waiting:
            first = waiting[min(waiting)]
            root = first.node.root
            best = self.winner(root, waiting) if isinstance(root, CohortNode) else first
            assert best is not None
            yield waiting.pop(best.cluster_queue)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Callable[[], QuotaTree], list[dict[str, Any]]]:
    """Cohorts up to three levels deep, ClusterQueues in them or alone, a head for most."""
    small = st.integers(0, 3)
    parents = [""] + [draw(st.sampled_from(["", *"xyz"[:i]])) for i in range(1, 3)]
    cohorts = [
        cohort(name, parent, draw(st.one_of(st.none(), small)), draw(st.one_of(st.none(), small)))
        for name, parent in zip("xyz", parents, strict=True)
    ]
    queues, heads = [], []
    for name in "abcdefg"[: draw(st.integers(2, 7))]:
        queues.append(
            queue(
                name,
                draw(st.sampled_from(["x", "x", "y", "z", ""])),
                cpu=draw(small),
                weight=draw(st.sampled_from([None, None, 0, 1, 2])),
                lend=draw(st.sampled_from([None, None, 0, 1])),
            )
        )
        head = {
            "name": f"of-{name}",
            "cluster_queue": name,
            "cpu": draw(small),
            "used": draw(small),
            "priority": draw(st.integers(0, 1)),
            "created": draw(st.integers(0, 1)),
            "preemptor": draw(st.integers(0, 4)) == 0,
            "takes": draw(st.booleans()),
        }
        heads.append(head)

    def make() -> QuotaTree:
        made = tree(*cohorts, *queues)
        for head in heads:
            usage = {CPU: head["used"] * 1000}
            made.add_usage(made.cluster_queues[head["cluster_queue"]], usage)
        return made

    return make, heads


def entries_of(made: QuotaTree, heads: list[dict[str, Any]]) -> list[Entry]:
    found = []
    for head in heads:
        cpu = head["cpu"]
        state = workload(head["name"], cpu, priority=head["priority"], created=head["created"])
        node = made.cluster_queues[head["cluster_queue"]]
        assignment = Assignment(LastAssignment((), 0, 1, ""))
        flavor = FlavorAssignment("default", Mode.Fit)
        assignment.add(PodSetResult("main", 1, {"cpu": cpu * 1000}, {"cpu": flavor}))
        found.append(Entry(state, node.name, node, head["preemptor"], assignment))
    return found


def processed(made: QuotaTree, heads: list[dict[str, Any]], order: Order) -> list[str]:
    """Return the order in which entries are processed; some reserve what they request."""
    found = []
    takes = {head["name"] for head in heads if head["takes"]}
    with made.simulation():
        for entry in order(entries_of(made, heads), Configuration()):
            found.append(entry.workload.obj.name)
            if entry.workload.obj.name in takes:
                assert entry.assignment is not None
                made.add_usage(entry.node, entry.assignment.usage)
    return found


@pytest.mark.parametrize("by_priority", [True, False])
@pytest.mark.parametrize("non_borrowing", [True, False])
@given(world=worlds())
def test_the_order_is_that_of_a_tournament_that_computes_everything_anew(
    by_priority: bool, non_borrowing: bool, world: Any
) -> None:
    make, heads = world
    settings = configuration(
        fair=True,
        PrioritySortingWithinCohort=by_priority,
        FairSharingPrioritizeNonBorrowing=non_borrowing,
        PrioritizePreemptorWorkloads=True,
    )
    made = make()
    plain = processed(made, heads, PlainTournament(made, settings).order)
    assert processed(made, heads, lambda entries, _: by_share(entries, settings)) == plain
