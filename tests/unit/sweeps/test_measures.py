"""Each measure on a scenario that is small enough to compute it by hand."""

from __future__ import annotations

import pytest

from kueuelab import scenarios
from kueuelab.simulation import Player
from kueuelab.sweeps.measures import Measures, jains_index, measures_of, quantile
from kueuelab.sweeps.observation import observe
from kueuelab.whatif.lab import Lab

from .small import borrowing, one_queue, preempted, queue, scenario, submit


def measured(lab: Lab, until: float | None = None) -> Measures:
    return measures_of(observe(lab.spec, until))


def played(name: str) -> Player:
    """Play a scenario as it is played where it is recorded."""
    player = Player(scenarios.load(name).spec)
    player.play()
    assert player.cycles
    return player


def test_waiting_is_the_time_from_creation_to_admission() -> None:
    found = measured(one_queue())
    # The first is admitted at once; the second waits from 5 s to 20 s.
    assert found["waiting.mean"] == 7.5
    assert (found["waiting.p50"], found["waiting.p95"], found["waiting.max"]) == (0, 15, 15)
    assert found["waiting.mean[queue=team-a]"] == 7.5
    assert found["waiting.mean[priority=0]"] == 0
    assert found["waiting.mean[priority=10]"] == 15
    assert (found["workloads"], found["finished"], found["never_admitted"]) == (2, 2, 0)


def test_makespan_is_from_the_first_creation_to_the_last_end() -> None:
    assert measured(one_queue())["makespan"] == 40


def test_bounded_slowdown_compares_the_time_in_the_system_with_the_run() -> None:
    found = measured(one_queue())
    # 20 s for a run of 20 s, and 35 s for a run of 20 s.
    assert found["bounded_slowdown.mean"] == (1 + 35 / 20) / 2
    assert found["bounded_slowdown.p95"] == 1.75


def test_a_bounded_slowdown_takes_no_run_as_shorter_than_ten_seconds() -> None:
    lab = scenario(
        [queue("team-a", 4)],
        submit(0, "first", "team-a", 4, 20),
        submit(0, "short", "team-a", 4, 1),
    )
    assert measured(lab)["bounded_slowdown.p95"] == 21 / 10


def test_utilisation_and_goodput_are_parts_of_the_nominal_quota_over_the_run() -> None:
    found = measured(one_queue(), until=50)
    # 4 of 4 cores for 40 s of 50 s.
    assert found["utilisation[flavor=default,resource=cpu]"] == 0.8
    assert found["utilisation[resource=cpu]"] == found["goodput[resource=cpu]"] == 0.8


def test_a_preemption_loses_the_work_since_the_admission() -> None:
    found = measured(preempted())
    # low: 0-10 s, evicted; high: 10-30 s; low again: 30-60 s.
    assert (found["preemptions"], found["evictions"]) == (1, 1)
    assert found["lost_work[resource=cpu]"] == 4 * 10 / 3600
    assert found["lost[resource=cpu]"] == 40 / 240
    assert found["goodput[resource=cpu]"] == (4 * 30 + 2 * 20) / 240
    assert found["utilisation[resource=cpu]"] == pytest.approx(200 / 240)
    assert found["waiting.max"] == 20
    assert found["waiting.mean[priority=10]"] == 0
    # low: 60 s for a run of 30 s.
    assert found["bounded_slowdown.mean[priority=0]"] == 2


def test_borrowing_is_what_is_used_beyond_the_nominal_quota() -> None:
    found = measured(borrowing())
    # 2 cores borrowed for 10 s, of 8 cores for 20 s.
    assert found["borrowing[flavor=default,resource=cpu]"] == 20 / 160


def test_shares_are_those_of_the_cohort_tree_averaged_over_time() -> None:
    found = measured(borrowing())
    # team-a: 6 of 8 cores for 10 s of 20 s; team-b: 2 of 8 cores all the time.
    assert found["dominant_share.mean[queue=team-a]"] == 0.375
    assert found["dominant_share.max[queue=team-a]"] == 0.75
    assert found["dominant_share.mean[queue=team-b]"] == 0.25
    # Kueue's share counts what is borrowed: 2 of 8 cores, in thousandths.
    assert found["weighted_share.max[queue=team-a]"] == 250
    assert found["weighted_share.mean[queue=team-a]"] == 125
    assert found["weighted_share.max[queue=team-b]"] == 0
    assert found["jains_index"] == (0.375 + 0.25) ** 2 / (2 * (0.375**2 + 0.25**2))


def test_a_borrower_of_weight_zero_has_no_finite_share() -> None:
    lab = scenario(
        [queue("team-a", 4, "all", fairSharing={"weight": "0"}), queue("team-b", 4, "all")],
        submit(0, "wide", "team-a", 6, 10),
    )
    found = measured(lab)
    assert "weighted_share.mean[queue=team-a]" not in found
    assert found["dominant_share.max[queue=team-a]"] == 0.75


def test_a_workload_that_is_never_admitted_waits_until_the_end() -> None:
    lab = scenario(
        [queue("team-a", 4)],
        submit(0, "first", "team-a", 4, 20),
        submit(5, "too-large", "team-a", 8, 20),
    )
    found = measured(lab)
    assert found["never_admitted"] == 1
    assert found["waiting.max"] == 15
    assert found["finished"] == 1


def test_a_loop_is_counted() -> None:
    import kueuelab as kl

    looping = next(name for name in kl.scenarios.names() if "loop" in name)
    assert measured(kl.scenarios.load(looping))["loops"] == 1
    assert measured(one_queue())["loops"] == 0


def test_a_workload_that_runs_at_the_start_counts_from_there() -> None:
    # The end of a run is where it is cut off; what runs then is neither finished nor lost.
    found = measured(one_queue(), until=10)
    assert found["finished"] == 0
    assert found["goodput[resource=cpu]"] == 1
    assert found["waiting.max"] == 5


def test_quantiles_are_values_that_occur() -> None:
    assert [quantile([3, 1, 2], part) for part in (0, 0.5, 0.95, 1)] == [1, 2, 3, 3]


def test_jains_index_of_one_queue_is_one() -> None:
    assert jains_index([0.3]) == 1


def test_a_run_that_is_measured_keeps_no_records_of_cycles() -> None:
    found = observe(scenarios.load("loop-4-pods-never-ready").spec)
    assert found.player.cycles == []
    assert found.player.loop is not None
    # The loop is named after cycles all the same.
    assert found.player.loop == played("loop-4-pods-never-ready").loop
