"""The roles of workloads in a preemption, read from the steps alone."""

from __future__ import annotations

import pytest

from kueuelab import scenarios
from kueuelab.trace import Trace
from kueuelab.trace.steps import (
    CandidateConsidered,
    Evicted,
    FilledBack,
    Nominated,
    TargetsChosen,
    WorkloadRemoved,
)
from kueuelab.views import PreemptionView, Role, preemption_view_at


def check_roles(trace: Trace) -> None:
    for step in trace:
        view = preemption_view_at(trace, step.index)
        roles = view.roles
        match step.facts:
            case CandidateConsidered(candidate=key) if key == step.workload:
                # It has quota already and looks for another place: it is a candidate of its own.
                assert roles[key] is Role.PREEMPTOR
            case CandidateConsidered(candidate=key, included=included):
                assert roles[key] is (Role.CANDIDATE if included else Role.EXCLUDED)
            case WorkloadRemoved(candidate=key):
                assert roles[key] is Role.REMOVED
            case FilledBack(candidate=key, kept=kept):
                assert roles[key] is (Role.RESTORED if kept else Role.REMOVED)
            case TargetsChosen(targets=targets) | Nominated(targets=targets):
                targeted = [c.workload for c in view.candidates if c.status == "target"]
                assert sorted(targeted) == sorted(key for key, _ in targets)
                assert roles[step.workload] in (Role.PREEMPTOR, Role.HEAD)
            case Evicted(preemptor=preemptor) if preemptor:
                assert roles[preemptor] is Role.PREEMPTOR
                assert roles[step.workload] is Role.TARGET
            case _:
                pass


def test_roles_follow_the_steps(trace: Trace) -> None:
    check_roles(trace)


def test_roles_follow_the_steps_of_every_curated_case(curated: dict[str, Trace]) -> None:
    for trace in curated.values():
        check_roles(trace)


def test_every_part_occurs_somewhere(curated: dict[str, Trace]) -> None:
    from_scenario = scenarios.load("within-cq-1-which-candidate").run().trace
    seen = {
        role
        for trace in (*curated.values(), from_scenario)
        for step in trace
        for role in preemption_view_at(trace, step.index).roles.values()
    }
    assert seen == set(Role) - {Role.NONE}


def test_candidates_are_ranked_in_the_order_of_trying(curated: dict[str, Trace]) -> None:
    ranked = 0
    for trace in curated.values():
        for index in trace.of_kind("CandidatesOrdered"):
            order = trace[index].facts.candidates  # type: ignore[attr-defined]
            view = preemption_view_at(trace, index)
            assert [c.workload for c in view.candidates if c.rank] == list(order)
            ranked += len(order)
    assert ranked > 20


def test_a_new_search_forgets_the_one_before(within: Trace) -> None:
    starts = within.of_kind("PreemptionStarted")
    assert [preemption_view_at(within, index).candidates for index in starts] == [()] * len(starts)


@pytest.mark.parametrize("index", [-1, 10_000])
def test_outside_of_the_trace_there_are_no_roles(within: Trace, index: int) -> None:
    assert preemption_view_at(within, index) == PreemptionView((), (), {})
