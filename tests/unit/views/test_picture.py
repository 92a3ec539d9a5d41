"""The cohort picture says what the state says, at every step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from kueuelab.trace import Trace
from kueuelab.trace.reading import State
from kueuelab.views import CohortPicture, Role, RunIndex, cohort_picture


def pictures(trace: Trace) -> Iterator[tuple[State, CohortPicture]]:
    run_index = RunIndex(trace)
    for index in range(min(len(trace), 1000)):
        yield trace.state_at(index), cohort_picture(run_index, index)


def check_picture(state: State, picture: CohortPicture, *, loading: bool = False) -> None:
    lines = [lane.line for node in picture.tree.nodes for lane in node.lanes]
    assert lines == list(range(picture.tree.lines))
    for bar in picture.bars:
        if bar.node[0] == "ClusterQueue":
            used = state.cluster_queue(bar.node[1]).usage.get((bar.flavor, bar.resource), 0)
            assert bar.used == used
            assert bar.borrowed == max(0, used - bar.nominal)
            assert 0 <= bar.lends <= max(0, bar.nominal - used)
            chips = [chip for chip in picture.chips if chip.line == bar.line]
            solid = sum(chip.length for chip in chips if chip.role is not Role.REMOVED)
            # What is held, set aside and on trial adds up to what is used.
            assert solid == pytest.approx(used / bar.extent) or loading
    by_line: dict[int, list[Any]] = {}
    for chip in picture.chips:
        by_line.setdefault(chip.line, []).append(chip)
    for chips in by_line.values():
        for left, right in pairwise(chips):
            assert right.start == pytest.approx(left.start + left.length)
    # One chip without a workload stands for several.
    waiting = Counter(chip.workload for chip in picture.chips if chip.waiting and chip.workload)
    assert set(waiting.values()) <= {1}
    for key in waiting:
        assert state.workload(key).phase == "Pending"


def test_bars_and_chips_add_up(trace: Trace) -> None:
    for state, picture in pictures(trace):
        check_picture(state, picture)


def test_bars_and_chips_add_up_in_curated_cases(curated: dict[str, Trace]) -> None:
    for trace in curated.values():
        cycles = trace.of_kind("CycleStarted")
        first = cycles[0] if cycles else len(trace)
        for index, (state, picture) in enumerate(pictures(trace)):
            # Admitted workloads are there before their quota is counted.
            check_picture(state, picture, loading=index < first)


def test_there_is_the_same_picture_on_the_way_back(trace: Trace) -> None:
    run_index, again = RunIndex(trace), RunIndex(trace)
    places = range(min(len(trace), 500))
    forward = [cohort_picture(run_index, index) for index in places]
    back = [cohort_picture(again, index) for index in reversed(places)]
    assert forward == back[::-1]


def test_the_tree_stays_while_jobs_come_and_go(late: Trace) -> None:
    run_index = RunIndex(late)
    first = late.of_kind("WorkloadCreated")[0]
    trees = {id(run_index.tree(index)) for index in range(first, len(late))}
    assert len(trees) == 1


def test_the_tree_reads_from_the_top(late: Trace) -> None:
    tree = RunIndex(late).tree(len(late) - 1)
    assert [(node.kind, node.name, node.depth) for node in tree.nodes] == [
        ("Cohort", "same", 0),
        ("ClusterQueue", "cluster-queue", 1),
        ("LocalQueue", "default/cluster-queue", 2),
        ("ClusterQueue", "cohort-queue", 1),
        ("LocalQueue", "default/cohort-queue", 2),
    ]


def test_borrowing_is_an_arrow_from_the_lender(late: Trace) -> None:
    run_index = RunIndex(late)
    index = late.of_kind("Admitted")[1]
    (arrow,) = cohort_picture(run_index, index).arrows
    assert (arrow.from_line, arrow.to_line, arrow.label) == (1, 3, "300m")


def test_the_text_names_every_part(late: Trace) -> None:
    run_index = RunIndex(late)
    removed = late.of_kind("WorkloadRemoved")[-1]
    assert cohort_picture(run_index, removed).as_text().splitlines() == [
        "Cohort same",
        "  [....................] default/cpu, 0 of 700m used",
        "  ClusterQueue cluster-queue",
        "    [....................] default/cpu, 0 of 500m used",
        "    LocalQueue default/cluster-queue: waiting: job-2 500m p100 (preemptor)",
        "  ClusterQueue cohort-queue",
        "    [....................] default/cpu, 0 of 200m used",
        "      used by: job-1 500m p10 (removed in simulation)",
        "    LocalQueue default/cohort-queue: no pending workloads",
    ]


def test_a_candidate_tells_the_rule(within: Trace) -> None:
    picture = cohort_picture(RunIndex(within), within.of_kind("CandidatesOrdered")[1])
    about = {chip.workload: chip.about for chip in picture.chips}
    assert about["default/job-0"].endswith("priority 100 is not lower than 100 under LowerPriority")
    assert about["default/job-1"].endswith("priority 10 is lower than 100 under LowerPriority")


def test_a_workload_of_a_skipped_queue_tells_why(curated: dict[str, Trace]) -> None:
    found = [
        chip.about
        for trace in curated.values()
        for index in trace.of_kind("TargetsChosen")
        for chip in cohort_picture(RunIndex(trace), index).chips
        if chip.role is Role.EXCLUDED
    ]
    assert any("is not borrowing" in about for about in found)


def test_many_small_workloads_are_drawn_together(busy: Trace) -> None:
    run_index = RunIndex(busy)
    picture = cohort_picture(run_index, len(busy) - 1)
    chips = Counter(chip.line for chip in picture.chips)
    assert max(chips.values()) <= 32
    assert any(chip.label.endswith(" more") for chip in picture.chips)
    check_lengths(picture)


def check_lengths(picture: CohortPicture) -> None:
    for bar in picture.bars:
        if bar.node[0] == "ClusterQueue":
            chips = [chip for chip in picture.chips if chip.line == bar.line]
            assert sum(chip.length for chip in chips) == pytest.approx(bar.at(bar.used))
