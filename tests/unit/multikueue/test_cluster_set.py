"""Single behaviours of a cluster set that the recorded scenarios don't have, or not so plainly."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kueuelab import scenarios
from kueuelab.errors import InputError, UnknownObjectError
from kueuelab.multikueue import ClusterSet, cheapest_first, load
from kueuelab.workload import WorkloadState

sys.path.insert(0, str(Path(__file__).parents[2] / "multikueue"))
from cluster_sets import cluster_set, job, plan


def _only(made: ClusterSet) -> WorkloadState:
    (state,) = made.manager.member.workloads.values()
    return state


def test_an_external_dispatcher_is_a_callable() -> None:
    made = cluster_set(
        {"cloud": 4, "onprem": 1},
        configuration={"dispatcherName": "example.com/cheapest"},
        dispatcher=cheapest_first({"cloud": 3.0, "onprem": 1.0}, patience=5_000_000_000),
    )
    made.submit("manager", job("big", 2), plan(3))
    made.advance(2)
    assert _only(made).nominated_cluster_names == ("onprem",)
    made.advance(6)
    assert _only(made).cluster_name == "cloud"


def test_the_api_refuses_a_nomination_after_admission() -> None:
    made = cluster_set({"w1": 4}, configuration={"dispatcherName": "example.com/by-hand"})
    made.submit("manager", job("a"), plan(30))
    made.advance(1)
    key = _only(made).key
    assert made.nominate(key, ["w1"]) == ""
    made.advance(3)
    assert _only(made).cluster_name == "w1"
    assert "mutually exclusive" in made.nominate(key, ["w1"])


def test_a_job_deleted_while_its_worker_is_away_is_collected_afterwards() -> None:
    made = cluster_set({"w1": 4})
    made.submit("manager", job("a"), plan(600))
    made.advance(5)
    made.disconnect("w1")
    made.delete_job("manager", "Job/team/a")
    made.advance(3)
    assert made.workers["w1"].workloads
    made.reconnect("w1")
    made.advance(30)
    assert not made.workers["w1"].workloads
    assert not made.workers["w1"].jobs


def test_a_tie_is_drawn_and_says_who_else_could_have_won() -> None:
    winners = set()
    for seed in range(8):
        made = cluster_set({"w1": 4, "w2": 4}, seed=seed)
        made.submit("manager", job("a"), plan(3))
        made.advance(3)
        (race,) = made.races.drawn
        assert {race.winner, *race.others} == {"w1", "w2"}
        winners.add(race.winner)
    assert winners == {"w1", "w2"}


def test_why_crosses_clusters() -> None:
    run = load("lost-worker").run(until=25)
    answer = run.why("train")
    assert any(line.startswith("w1: admitted") for line in answer.lines)
    assert answer.hazards[0].id == "older-copy-wins"
    assert "older copy" in str(answer)
    with pytest.raises(UnknownObjectError):
        run.why("nobody")


def test_why_says_what_each_worker_lacks() -> None:
    made = cluster_set({"w1": 1, "w2": 2})
    made.submit("w2", job("filler", 2), plan(600))
    made.advance(1)
    made.submit("manager", job("a", 2), plan(3))
    made.advance(2)
    copy = made.workers["w1"].workloads[_only(made).key]
    assert "maximum capacity" in copy.conditions["QuotaReserved"].message


def test_unknown_names_are_named() -> None:
    made = cluster_set({"w1": 1})
    with pytest.raises(UnknownObjectError):
        made.disconnect("w9")
    with pytest.raises(UnknownObjectError):
        made.submit("w9", job("a"))
    with pytest.raises(InputError):
        load("apiVersion: kueuelab/v1\nkind: Scenario\nspec: {timeline: []}\n")


@pytest.mark.parametrize("name", scenarios.names("multikueue"))
def test_packaged_scenarios_keep_what_they_say(name: str) -> None:
    scenario = load(name)
    assert scenario.name == name
    assert scenario.title
    assert scenario.spec.description.endswith(".")
    run = scenario.run()
    assert run.outcomes
    assert run.passed, [(o.subject, o.differences) for o in run.outcomes if not o.passed]


def test_an_empty_dispatcher_name_means_none_not_the_default() -> None:
    made = cluster_set({"w1": 4}, configuration={"dispatcherName": ""})
    made.submit("manager", job("a"), plan(3))
    made.advance(10)
    assert _only(made).nominated_cluster_names == ()
    assert not made.nominate(_only(made).key, ("w1",))
    made.advance(10)
    assert _only(made).cluster_name == "w1"


def test_a_workload_is_found_by_its_name_alone() -> None:
    run = load("lost-worker").run()
    created = run.until(workload="train", event="created")
    assert created.index == run.until(workload="default/train", event="created").index
    assert created.step.kind == "WorkloadCreated"
    with pytest.raises(UnknownObjectError, match="trani"):
        run.until(workload="trani")
