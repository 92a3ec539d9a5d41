"""Goal seek: bisection that is checked, all values, Optuna; each answer names its runs."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import kueuelab as kl
from kueuelab.cli import app
from kueuelab.errors import InputError, UnknownObjectError
from kueuelab.sweeps import Range

from .small import one_queue, preempted

QUOTA = "cluster-queue/team-a:spec.resourceGroups[0].flavors[default].resources[cpu].nominalQuota"
WITHIN = "cluster-queue/team-a:spec.preemption.withinClusterQueue"


def test_the_least_quota_with_which_nothing_waits_too_long() -> None:
    found = kl.seek(one_queue(), {QUOTA: Range(1, 64)}, so_that="waiting.max <= 10s")
    # Two jobs of 4 cores at once.
    assert found.values == {QUOTA: 8}
    assert (found.way, found.monotonic) == ("bisection", True)
    assert len(found.sweep) < 16
    assert [found.sweep.rows[run][QUOTA] for run in (*found.runs, *found.refuted)] == [8, 7]
    assert found.sweep.rows[found.runs[0]]["waiting.max"] == 0
    assert found.sweep.rows[found.refuted[0]]["waiting.max"] == 15
    assert {row[QUOTA] for row in found.sweep.rows} >= {6, 7, 8, 9, 10}, "neighbours are tried"


def test_what_is_never_admitted_does_not_count_as_a_short_wait() -> None:
    found = kl.seek(one_queue(), {QUOTA: [1, 2, 3, 4]}, so_that="waiting.max <= 60")
    assert found.values == {QUOTA: 4}


def test_an_answer_says_which_runs_verify_it() -> None:
    found = kl.seek(one_queue(), {QUOTA: Range(6, 9)}, so_that="waiting.max <= 10s", seeds=2)
    lines = found.as_text().splitlines()
    assert lines[0] == f"{QUOTA} = 8"
    runs = " and ".join(map(str, found.runs))
    assert f"Verified by runs {runs}" in lines
    assert len(found.runs) == 2
    assert found.sweep.run(found.runs[0]).cluster.workloads["default/second"].is_finished


def test_none_meets_the_conditions() -> None:
    found = kl.seek(one_queue(), {QUOTA: Range(4, 7)}, so_that="waiting.max <= 10s")
    assert found.values is None
    assert found.as_text() == "No value meets the conditions, in 3 runs"


def test_where_more_is_not_always_enough_all_values_are_tried() -> None:
    levels = ["Never", "LowerPriority", "Never"]
    found = kl.seek(one_queue(), {WITHIN: levels}, so_that="waiting.max <= 15s")
    assert (found.way, found.monotonic) == ("all", False)
    assert found.values == {WITHIN: "Never"}
    assert "More is not always enough" in found.as_text()


def test_the_best_policy_under_a_condition() -> None:
    vary = {WITHIN: ["LowerPriority", "Never"], QUOTA: [4, 6]}
    found = kl.seek(
        preempted(),
        vary,
        minimise="lost_work[resource=cpu]",
        so_that="utilisation[resource=cpu] < 85%",
    )
    assert found.way == "all"
    assert found.values == {WITHIN: "Never", QUOTA: 4}
    assert found.measures["lost_work[resource=cpu]"].highest == 0
    waits = kl.seek(preempted(), vary, maximise="waiting.max")
    assert waits.measures["waiting.max"].mean == max(row["waiting.max"] for row in waits.sweep.rows)


def test_many_points_are_sampled() -> None:
    vary = {QUOTA: Range(1, 40), WITHIN: ["LowerPriority", "Never"]}
    found = kl.seek(one_queue(), vary, minimise="makespan", so_that="waiting.max <= 15", trials=15)
    assert found.way == "samples"
    assert len(found.sweep) <= 15
    assert found.values is not None
    assert found.measures["makespan"].mean == 25
    again = kl.seek(one_queue(), vary, minimise="makespan", so_that="waiting.max <= 15", trials=15)
    assert again.values == found.values
    assert again.sweep.rows == found.sweep.rows


@pytest.mark.parametrize("text", ["waiting.max", "waiting.max = 3", "waiting.max < soon"])
def test_a_condition_that_is_none(text: str) -> None:
    with pytest.raises(InputError, match="is no condition"):
        kl.seek(one_queue(), {QUOTA: [4]}, so_that=text)


def test_nothing_to_search_for() -> None:
    with pytest.raises(InputError, match="nothing to search for"):
        kl.seek(one_queue(), {QUOTA: [4]})
    with pytest.raises(UnknownObjectError, match=r"no measure named 'waiting.p96'"):
        kl.seek(one_queue(), {QUOTA: [4]}, so_that="waiting.p96 < 3")


def test_the_command() -> None:
    policy = "cluster-queue/team-a:spec.preemption.reclaimWithinCohort"
    seek = ["seek", "reclaim-1-take-back", "--vary", f"{policy}=Never,Any"]
    result = CliRunner().invoke(app, [*seek, "--so-that", "preemptions>=1"])
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [
        f"{policy} = Any",
        "  preemptions: 1",
        "Verified by run 0",
        "With the next smaller value a condition does not hold in run 1",
        "Found by bisection, in 2 runs",
    ]
    none = CliRunner().invoke(app, [*seek, "--so-that", "preemptions>=5"])
    assert none.exit_code == 1
    assert none.stdout == "No value meets the conditions, in 2 runs\n"
