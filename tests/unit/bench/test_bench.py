"""The benchmarks on small shapes: everything arrives, runs and finishes, always alike."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from kueuelab.bench import run_growth, run_shape
from kueuelab.bench.drive import Drive, arrive
from kueuelab.bench.measure import measured, peak_memory
from kueuelab.bench.runs import START
from kueuelab.bench.shapes import (
    BASELINE,
    LARGE_SCALE,
    Shape,
    WorkloadClass,
    objects_of,
    queue_names,
)
from kueuelab.model import ClusterQueue
from kueuelab.model.times import MILLISECOND, SECOND
from kueuelab.simulation import Cluster

SMALL = Shape(
    "small",
    cohorts=2,
    queues=2,
    classes=(
        WorkloadClass("light", count=10, every_ms=100, runtime_ms=200, priority=50, cpu=10),
        WorkloadClass("heavy", count=4, every_ms=150, runtime_ms=500, priority=100, cpu=20),
    ),
)


def driven(shape: Shape) -> Drive:
    cluster = Cluster(start=START)
    for obj in objects_of(shape):
        cluster.apply(obj)
    drive = Drive(cluster)
    arrive(drive, shape, START)
    return drive


def test_shapes_are_those_of_kueue() -> None:
    assert (BASELINE.cohorts, BASELINE.queues, BASELINE.workloads) == (5, 6, 15_000)
    assert (LARGE_SCALE.cohorts, LARGE_SCALE.queues, LARGE_SCALE.workloads) == (10, 100, 50_000)
    queues = [obj for obj in objects_of(BASELINE) if isinstance(obj, ClusterQueue)]
    assert len(queues) == len(list(queue_names(BASELINE))) == 30
    (quota,) = queues[0].resource_groups[0].flavors[0].resources
    assert (quota.name, quota.nominal, quota.borrowing_limit) == ("cpu", 20_000, 100_000)
    assert queues[0].preemption.within_cluster_queue == "LowerPriority"
    assert queues[0].preemption.reclaim_within_cohort == "Any"


@pytest.mark.parametrize(
    ("fair_sharing", "cycles", "heads"), [(False, 1036, 31_080), (True, 1087, 32_405)]
)
def test_baseline_has_the_counts_of_kueue(fair_sharing: bool, cycles: int, heads: int) -> None:
    result = run_shape(BASELINE, fair_sharing=fair_sharing)
    assert (result.tally.cycles, result.tally.heads) == (cycles, heads)
    assert result.tally.finished == BASELINE.workloads


def test_all_workloads_finish_some_of_them_after_an_eviction() -> None:
    drive = driven(SMALL)
    tally = drive.run()
    assert tally.created == tally.finished == SMALL.workloads == 56
    assert tally.evictions > 0
    assert tally.admissions == tally.finished + tally.evictions
    assert all(state.is_finished for state in drive.cluster.workloads.values())
    assert drive.cluster.at_rest


def test_runs_are_alike() -> None:
    tallies, events = [], []
    for _ in range(2):
        drive = driven(SMALL)
        tallies.append(drive.run())
        events.append([str(event) for event in drive.cluster.events])
    assert tallies[0] == tallies[1]
    assert events[0] == events[1]


def test_first_workload_arrives_after_the_first_interval_and_runs_its_time() -> None:
    lone = Shape(
        "lone",
        1,
        1,
        (WorkloadClass("a", count=2, every_ms=1000, runtime_ms=300, priority=0, cpu=1),),
    )
    drive = driven(lone)
    drive.run()
    created = [state.obj.metadata.creation_timestamp for state in drive.cluster.workloads.values()]
    assert created == [START + SECOND, START + 2 * SECOND]
    assert drive.cluster.now == START + 2 * SECOND + 300 * MILLISECOND


def test_workloads_that_never_fit_end_the_run() -> None:
    giant = Shape(
        "giant",
        1,
        1,
        (WorkloadClass("a", count=3, every_ms=10, runtime_ms=10, priority=0, cpu=999),),
    )
    tally = driven(giant).run()
    assert (tally.created, tally.finished, tally.admissions) == (3, 0, 0)


def test_result_has_the_numbers_that_are_asked_for() -> None:
    finished = []
    result = run_shape(SMALL, progress=lambda: finished.append(1))
    assert len(finished) == 56
    record = result.as_json()
    assert record["workloads"] == 56
    assert record["evictions"] == result.tally.evictions
    assert record["microsecondsPerHead"] > 0
    assert record["peakMemoryBytes"] is None or record["peakMemoryBytes"] > 2**20
    assert set(asdict(result.tally)) <= set(record)
    assert "secondsByRoom" not in record


def test_profile_names_the_rooms() -> None:
    result = run_shape(SMALL, profile=True)
    assert result.profile is not None
    assert {"scheduler", "simulation", "quota"} <= set(result.profile.rooms)
    assert result.profile.functions[0][1] > 0


def test_growth_measures_three_kinds_of_cycles() -> None:
    rows = run_growth((50, 100), rounds=3)
    assert [(row.admitted, row.kind) for row in rows] == [
        (size, kind) for size in (50, 100) for kind in ("admit", "preempt", "wait")
    ]
    assert {row.heads for row in rows} == {75}


def test_growth_admits_preempts_and_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes: list[set[str]] = []
    cycle = Cluster.cycle

    def watched(cluster: Cluster) -> object:
        record = cycle(cluster)
        outcomes.append(
            {"preempting" if entry.preempting else entry.status for entry in record.entries}
        )
        return record

    monkeypatch.setattr(Cluster, "cycle", watched)
    run_growth((50,), rounds=1)
    admit, fill, preempt, preemptor, back, wait = outcomes
    assert (admit, fill) == ({"assumed"}, {"assumed"})
    assert (preempt, preemptor, back) == ({"preempting"}, {"assumed"}, {"assumed"})
    assert wait == {""}


def test_measuring() -> None:
    with measured() as measurement:
        sum(range(1000))
    assert measurement.seconds > 0
    memory = peak_memory()
    assert memory is None or memory > 2**20
