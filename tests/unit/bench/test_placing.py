"""The benchmarks that place pods: everything finishes, and nodes hold no more than they can."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from kueuelab.bench import run_placing, run_shape
from kueuelab.bench.placing import CYCLE
from kueuelab.bench.shapes import TAS, Shape, nodes_of

SMALL = replace(
    TAS,
    cohorts=1,
    queues=2,
    classes=tuple(replace(kind, count=3) for kind in TAS.classes),
    racks=2,
    hosts=3,
)


def test_the_scenario_is_that_of_kueue() -> None:
    assert (TAS.cohorts, TAS.queues, TAS.workloads) == (5, 6, 15_000)
    assert len(list(nodes_of(TAS))) == 640
    by_size: Counter[tuple[int, int]] = Counter()
    for kind in TAS.classes:
        by_size[kind.cpu, kind.pods] += kind.count
    assert by_size == {(1, 2): 350, (5, 4): 100, (20, 8): 50}


def test_all_workloads_are_placed_and_finish() -> None:
    tally = run_shape(SMALL).tally
    assert (tally.created, tally.finished) == (SMALL.workloads, SMALL.workloads)
    assert run_shape(SMALL).tally == tally


def test_without_nodes_nothing_is_admitted() -> None:
    no_room = replace(SMALL, hosts=0)
    assert run_shape(no_room).tally.admissions == 0


def test_each_queue_has_a_head_in_each_cycle_that_is_measured() -> None:
    small: Shape = replace(CYCLE, cohorts=1, queues=3, racks=2, hosts=5)
    result = run_placing(small, pods=40, rounds=2)
    assert (result.nodes, result.pods, result.heads, result.cycles) == (10, 40, 3, 2)
    assert set(result.as_json()) >= {"millisecondsPerCycle", "mostMilliseconds"}
