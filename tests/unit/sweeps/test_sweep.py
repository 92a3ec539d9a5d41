"""Sweeps: what varies, rows, tables, failures, and going on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import kueuelab as kl
from kueuelab.errors import InputError, UnknownObjectError
from kueuelab.sweeps import Range
from kueuelab.sweeps.store import Store
from kueuelab.sweeps.sweeping import plan_of, run_plan

from .small import one_queue, preempted

QUOTA = "cluster-queue/team-a:spec.resourceGroups[0].flavors[default].resources[cpu].nominalQuota"
WITHIN = "cluster-queue/team-a:spec.preemption.withinClusterQueue"


def test_each_point_runs_with_each_seed() -> None:
    found = kl.sweep(one_queue(), {QUOTA: [4, 8], WITHIN: ["Never", "LowerPriority"]}, seeds=2)
    assert [row["run"] for row in found.rows] == list(range(8))
    assert [row["seed"] for row in found.rows] == [0, 1] * 4
    assert [(row[QUOTA], row[WITHIN]) for row in found.rows[::2]] == [
        (4, "Never"),
        (4, "LowerPriority"),
        (8, "Never"),
        (8, "LowerPriority"),
    ]
    assert [row["waiting.max"] for row in found.rows[::2]] == [15, 20, 0, 0]


def test_a_run_of_the_table_can_be_opened() -> None:
    found = kl.sweep(one_queue(), {QUOTA: [4, 8]})
    run = found.run(1)
    assert run.cluster.workloads["default/second"].is_finished
    assert (
        found.lab(1)
        .spec.manifests.cluster_queues[0]
        .resource_groups[0]
        .flavors[0]
        .resources[0]
        .nominal
        == 8000
    )


def test_there_is_no_run_behind_the_last() -> None:
    with pytest.raises(InputError, match=r"there is no run 5. The sweep has 1 run"):
        kl.sweep(one_queue()).run(5)


def test_the_configuration_and_all_objects_of_a_kind_can_be_varied() -> None:
    strategies = {"preemptionStrategies": ["LessThanInitialShare"]}
    plan = plan_of(
        one_queue(),
        {
            "configuration:fairSharing": [None, strategies],
            "cluster-queue/*:spec.queueingStrategy": ["StrictFIFO"],
        },
    )
    specs = [plan.scenario(run) for run in range(2)]
    assert [spec.configuration.fair_sharing is not None for spec in specs] == [False, True]
    assert {q.queueing_strategy for spec in specs for q in spec.manifests.cluster_queues} == {
        "StrictFIFO"
    }


@pytest.mark.parametrize(
    ("vary", "message"),
    [
        ({"cluster-queue/team-a": ["x"]}, "names no field"),
        ({"cluster-queue/team-a:spec.preemption.withinClusterQueue": []}, "has no values"),
        ({WITHIN: ["Sometimes"]}, "Sometimes"),
        ({QUOTA: Range(1, 8)}, "a grid needs a list"),
        ({"workloads:rate": [1]}, "needs a model"),
        ({"configuration:fairSharing.preemptionStrategies": [["No"]]}, "preemptionStrategies"),
    ],
)
def test_a_mistake_is_an_error_before_the_first_run(vary: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        kl.sweep(one_queue(), vary)


def test_an_object_that_is_not_there_is_named() -> None:
    with pytest.raises(UnknownObjectError, match="there is no ClusterQueue named 'team-x'"):
        kl.sweep(one_queue(), {"cluster-queue/team-x:spec.cohortName": ["a"]})


def test_designs_draw_samples_from_ranges_and_lists() -> None:
    vary = {QUOTA: Range(4, 11), WITHIN: ["Never", "LowerPriority"]}
    latin = plan_of(one_queue(), vary, design="latin", samples=8).points
    assert sorted(quota for quota, _ in latin) == list(range(4, 12))
    assert sorted(policy for _, policy in latin) == ["LowerPriority"] * 4 + ["Never"] * 4
    drawn = plan_of(one_queue(), vary, design="random", samples=8).points
    assert len(drawn) == 8
    assert {quota for quota, _ in drawn} <= set(range(4, 12))
    assert drawn == plan_of(one_queue(), vary, design="random", samples=8).points
    with pytest.raises(InputError, match="needs the number of samples"):
        plan_of(one_queue(), vary, design="latin")


class _Failing:
    """Workloads that cannot be made for one seed."""

    def __repr__(self) -> str:
        return "<failing>"

    def submissions(self, spec: object, seed: int) -> tuple[()]:
        if seed == 1:
            raise ZeroDivisionError("no such day")
        return ()


def test_a_run_that_fails_is_a_row_with_its_error() -> None:
    found = kl.sweep(one_queue(), workloads=_Failing(), seeds=3)
    assert [row["error"] for row in found.rows] == [None, "ZeroDivisionError: no such day", None]
    assert "waiting.mean" not in found.rows[1]
    assert repr(found) == "<Sweep small: 3 runs, 1 failed>"
    assert found.table.column("waiting.mean").to_pylist() == [7.5, None, 7.5]
    assert "3 (1 failed)" in found.as_text()


def test_two_processes_give_the_same_rows_as_one() -> None:
    vary = {QUOTA: [4, 8]}
    assert (
        kl.sweep(preempted(), vary, seeds=2, jobs=2).rows
        == kl.sweep(preempted(), vary, seeds=2).rows
    )


def test_the_table_is_the_same_to_the_byte(tmp_path: Path) -> None:
    files = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for file, jobs in zip(files, (1, 2), strict=True):
        kl.sweep(preempted(), {QUOTA: [4, 8]}, seeds=2, jobs=jobs, out=file)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_rows_are_kept_as_runs_end_and_the_sweep_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "found.parquet"
    plan = plan_of(one_queue(), {QUOTA: [4, 8]}, seeds=3)
    seen: list[int] = []

    def stop_after_two(row: dict[str, Any]) -> None:
        seen.append(row["run"])
        if len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_plan(plan, out=file, progress=stop_after_two)
    assert not file.exists()
    assert sorted(Store(file, plan).rows()) == [0, 1]
    found = run_plan(plan, out=file, progress=lambda row: seen.append(row["run"]))
    assert seen == [0, 1, 2, 3, 4, 5]
    assert [row["run"] for row in found.rows] == seen
    assert pq.read_table(file).column("run").to_pylist() == seen
    assert not file.with_name("found.parquet.parts").exists()
    again = run_plan(plan, out=file, progress=lambda row: seen.append(row["run"]))
    assert len(seen) == 6, "nothing is run twice"
    assert again.rows == found.rows


def test_the_file_of_another_sweep_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "found.parquet"
    kl.sweep(one_queue(), out=file)
    before = file.read_bytes()
    with pytest.raises(InputError, match="this file belongs to another sweep"):
        kl.sweep(one_queue(), seeds=2, out=file)
    assert file.read_bytes() == before


def test_a_summary_has_the_spread_over_the_seeds() -> None:
    found = kl.sweep(preempted(), {QUOTA: [4, 8]}, seeds=2)
    summary = found.summary("waiting.max")
    assert [row.runs for row in summary.rows] == [(0, 1), (2, 3)]
    low = summary.rows[0].spreads[0]
    assert low is not None
    assert (low.lowest, low.mean, low.highest) == (10, 15, 20)
    with pytest.raises(UnknownObjectError, match=r"there is no measure named 'waiting.p96'"):
        found.summary("waiting.p96")


def test_runs_need_only_the_core() -> None:
    heavy = ["pandas", "numpy", "pyarrow", "optuna", "distributed", "multiprocessing"]
    code = (
        "import sys, kueuelab as kl, kueuelab.sweeps.dask_cluster\n"
        "kl.sweep(kl.scenarios.load('reclaim-1-take-back'), seeds=2).as_text()\n"
        f"print(*sorted(set({heavy!r}) & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_the_frame_has_a_column_for_each_factor_and_measure() -> None:
    frame = kl.sweep(one_queue(), {QUOTA: [4, 8]}).frame
    assert list(frame.columns[:4]) == ["run", "seed", QUOTA, "error"]
    assert frame.groupby(QUOTA)["waiting.max"].mean().to_dict() == {4: 15.0, 8: 0.0}
