"""The views of a state: of one cluster or of several, and of what isn't there."""

from __future__ import annotations

import pytest

from kueuelab import scenarios
from kueuelab.errors import UnknownObjectError
from kueuelab.trace.reading import State


def test_of_several_clusters_one_is_named() -> None:
    trace = scenarios.load("lost-worker").run().trace
    state = trace.state_at(len(trace) - 1)
    assert state.clusters == ("manager", "w1", "w2")
    assert set(state["w1"].workloads) == {"default/train"}
    assert set(state["w2"].workloads) == {"default/filler"}
    with pytest.raises(UnknownObjectError, match="w3"):
        state["w3"]
    with pytest.raises(UnknownObjectError, match="manager"):
        state.workload("default/train")


def test_the_record_of_one_cluster_has_its_state() -> None:
    trace = scenarios.load("lost-worker").run().trace
    own = trace.of_cluster("w1")
    assert {step.cluster for step in own} == {""}
    end, whole = own.state_at(len(own) - 1), trace.state_at(len(trace) - 1)
    assert end.as_data() == whole["w1"].as_data()
    before_all = trace.state_at(-1)
    assert not before_all["w1"].workloads


def test_what_is_not_there_is_false_and_has_defaults() -> None:
    state = State({})
    assert not state.workload("default/a")
    assert not state.cluster_queue("a")
    assert not state.cohort("a")
    assert not state.local_queue("default/a")
    assert state.workload("default/a").cluster_queue == ""
    assert list(state.workload("default/a").holdings) == []
    assert state.cluster_queue("a").queueing_strategy == "BestEffortFIFO"
    assert state.cluster_queue("a").is_active
    assert state.cohort_path("a") == ()
    assert state == State({"": {}})


def test_usage_that_is_zero_again_did_not_change() -> None:
    """Quota that was held and given back in a cycle leaves its numbers as they are."""
    explanation = scenarios.load("cohort-1-borrowing").run().why("b-1").as_text()
    assert "changed since" not in explanation
    assert "6 cpu requested, 2 available in default" in explanation


def test_roots_are_those_of_each_queue() -> None:
    above = {"a": "team", "b": "team", "c": "other", "d": "", "e": "ring-1", "f": "ring-2"}
    cohorts = {"team": "all", "other": "", "ring-1": "ring-2", "ring-2": "ring-1"}
    objects = {f"ClusterQueue/{name}": {"spec": {"cohortName": of}} for name, of in above.items()}
    objects |= {f"Cohort/{name}": {"spec": {"parentName": of}} for name, of in cohorts.items()}
    state = State({"": {"objects": objects}})
    assert state.roots() == {name: state.root_of(name) for name in above}
    assert set(state.roots().values()) == {"all", "other", "d", "ring-1", "ring-2"}


def test_workloads_by_the_place_in_their_queue() -> None:
    places = {"default/a": "active", "default/b": "inflight", "default/c": None, "default/d": ""}
    workloads = {key: {"queue": place} for key, place in places.items()}
    state = State({"": {"workloads": workloads}})
    assert [view.key for view in state.workloads_in("inflight", "active")] == [
        "default/a",
        "default/b",
    ]
