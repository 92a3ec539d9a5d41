"""What a workload tells at once follows its conditions and its admission."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuelab.model import Admission, Condition, ObjectMeta, Resources, Workload
from kueuelab.simulation import Cluster
from kueuelab.testing import violations
from kueuelab.workload import WorkloadState

TELLS = {
    "QuotaReserved": "has_quota_reservation",
    "Admitted": "is_admitted",
    "Evicted": "is_evicted",
    "Finished": "is_finished",
}
types = st.sampled_from([*TELLS, "Requeued"])
statuses = st.sampled_from(["True", "False", "Unknown"])


def _state(*conditions: Condition) -> WorkloadState:
    workload = Workload(ObjectMeta("a", namespace="default"))
    status = replace(workload.status, conditions=conditions)
    return WorkloadState(replace(workload, status=status), Resources())


def _told(state: WorkloadState) -> dict[str, bool]:
    return {type_: getattr(state, name) for type_, name in TELLS.items()}


def _said(state: WorkloadState) -> dict[str, bool]:
    return {type_: state.condition_is(type_, "True") for type_ in TELLS}


@given(st.lists(st.tuples(types, statuses)))
def test_flags_follow_each_condition_that_is_set(writes: list[tuple[str, str]]) -> None:
    state = _state()
    for type_, status in writes:
        state.set_condition(type_, status, "Because", "of this", 5)  # type: ignore[arg-type]
        assert _told(state) == _said(state)


@pytest.mark.parametrize("type_", TELLS)
def test_flags_follow_what_it_is_created_with_and_what_it_is_given(type_: str) -> None:
    true = Condition(type_, "True", "Because", "of this", 5)
    state = _state(true)
    assert [name for name, told in _told(state).items() if told] == [type_]
    before = state.snapshot()
    state.set_conditions({})
    assert not any(_told(state).values())
    state.restore_status(before)
    assert [name for name, told in _told(state).items() if told] == [type_]


def test_the_cluster_queue_is_that_of_the_admission() -> None:
    state = _state()
    assert state.cluster_queue == ""
    state.admission = Admission("cq", ())
    state.refresh()
    assert state.cluster_queue == "cq"
    state.admission = None
    state.refresh()
    assert state.cluster_queue == ""


def test_a_condition_that_is_written_past_the_flags_is_seen() -> None:
    cluster = Cluster()
    state = cluster.create_workload(Workload(ObjectMeta("a", namespace="default")))
    assert list(violations(cluster)) == []
    state.conditions = {"Evicted": Condition("Evicted", "True", "Preempted", "by b", 5)}
    (found,) = violations(cluster)
    assert found == "default/a takes Evicted for False, and its condition says otherwise"
