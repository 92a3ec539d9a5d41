"""State at any step, and moving there and back."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuelab.trace import Breakpoint, Cursor, Recorder, Trace
from kueuelab.trace.reading import State
from kueuelab.trace.state import Frames, StateWriter
from kueuelab.trace.steps import TimerFired

_PATHS = st.sampled_from(
    [
        ("workloads", "a", "phase"),
        ("workloads", "a", "conditions", "Evicted"),
        ("workloads", "b", "phase"),
        ("clusterQueues", "q", "usage", "default", "cpu"),
        ("cohorts", "c", "usage", "default", "cpu"),
        ("objects", "ClusterQueue/q"),
    ]
)
_VALUES = st.one_of(st.none(), st.integers(0, 3), st.just({"status": "True"}))
_RUNS = st.lists(st.lists(st.tuples(_PATHS, _VALUES), max_size=4), min_size=1, max_size=30)


def _recorded(run: list[list[tuple[Any, Any]]]) -> Trace:
    recorder = Recorder()
    recorder.frames = Frames(spacing=3)
    for changes in run:
        for path, value in changes:
            recorder.change(path, value)
        recorder.record(TimerFired("x"), "a")
    return Trace.of(recorder)


def _replayed(trace: Trace, index: int) -> State:
    writer = StateWriter()
    for step in trace.steps[: index + 1]:
        writer.apply(step)
    return State(writer.state())


@given(_RUNS)
def test_state_at_a_step_equals_replaying_from_the_start(run: Any) -> None:
    trace = _recorded(run)
    again = Trace(trace.steps)
    for index in range(-1, len(trace)):
        assert trace.state_at(index) == _replayed(trace, index) == again.state_at(index)


@given(_RUNS, st.lists(st.integers(0, 40), max_size=12))
def test_forward_then_back_is_the_identity(run: Any, moves: list[int]) -> None:
    trace = _recorded(run)
    cursor = Cursor(trace)
    for to in moves:
        before, index = cursor.state, cursor.index
        copy = repr(before.as_data())
        cursor.to(to)
        assert cursor.state == trace.state_at(cursor.index)
        cursor.to(index)
        assert cursor.state == before
        assert repr(before.as_data()) == copy


@given(_RUNS)
def test_a_step_has_one_true_change_per_place(run: Any) -> None:
    trace = _recorded(run)
    for step in trace:
        before, after = trace.state_at(step.index - 1), trace.state_at(step.index)
        assert len({change.path for change in step.changes}) == len(step.changes)
        for change in step.changes:
            for state, value in ((before, change.before), (after, change.after)):
                at: Any = state.as_data()
                for name in change.path:
                    at = (at or {}).get(name)
                assert at == value


def test_state_of_real_runs(traces: tuple[Trace, ...]) -> None:
    for trace in traces:
        cursor = Cursor(trace)
        states = [cursor.state]
        while cursor.forward():
            states.append(cursor.state)
        while cursor.back():
            assert cursor.state == states[cursor.index]


def test_there_is_no_state_beyond_the_end(take_back: Trace) -> None:
    with pytest.raises(IndexError):
        take_back.state_at(len(take_back))


def test_what_is_announced_after_the_last_step_counts() -> None:
    recorder = Recorder()
    recorder.record(TimerFired("x"), "a")
    recorder.change(("workloads", "a", "queue"), "active")
    trace = Trace.of(recorder)
    assert trace.state_at(0).workload("a").place == "active"
    recorder.record(TimerFired("y"), "a")
    assert len(recorder.steps[1].changes) == 1


def test_moves(take_back: Trace) -> None:
    cursor = Cursor(take_back)
    assert cursor.at_start
    assert cursor.next_preemption()
    assert cursor.step.workload == "default/job-1"
    assert cursor.state.workload("default/job-1").phase == "Evicted"
    assert not cursor.next_preemption()
    assert cursor.previous_cycle()
    assert cursor.step.cycle == 3
    assert cursor.next_entry()
    assert cursor.step.kind == "NominationStarted"
    assert cursor.previous_about("default/job-0")
    assert cursor.end()
    assert cursor.at_end
    assert not cursor.forward()
    assert cursor.until(Breakpoint.event("admitted")) is False
    assert cursor.start()


def test_breakpoints_combine(take_back: Trace) -> None:
    cursor = Cursor(take_back)
    stop = Breakpoint.event("admitted") & Breakpoint.workload("default/job-2")
    assert cursor.until(stop)
    assert (cursor.step.kind, cursor.step.workload) == ("Admitted", "default/job-2")
    assert cursor.back_until(Breakpoint.event("preempted") | Breakpoint.event("skipped"))
    assert cursor.step.facts.status == "skipped"  # type: ignore[attr-defined]
    assert cursor.back_until(Breakpoint.message("Pending the preemption of 1"))
    assert cursor.back_until(~Breakpoint.queue("cluster-queue") & Breakpoint.event("admitted"))
    assert cursor.step.workload == "default/job-1"


def test_breakpoints_find_the_same_with_and_without_the_index(take_back: Trace) -> None:
    for stop in (
        Breakpoint.event("evicted") | Breakpoint.event("admitted"),
        Breakpoint.event("evicted") & Breakpoint.event("preempted"),
        ~(Breakpoint.event("pending") | Breakpoint.kind("FitChecked")),
    ):
        places = stop.places(take_back, 0, len(take_back))
        assert [i for i in places if stop(take_back[i])] == [s.index for s in take_back if stop(s)]


def test_a_value_that_is_announced_again_changes_nothing() -> None:
    recorder = Recorder()
    path, other = ("workloads", "a", "queue"), ("workloads", "b", "queue")
    recorder.change(path, "active")
    recorder.record(TimerFired("x"), "a")
    recorder.change(path, "active")
    recorder.change(other, "active")
    recorder.change(other, None)
    recorder.change(path, "inflight")
    recorder.record(TimerFired("y"), "a")
    found = [(change.path, change.before, change.after) for change in recorder.steps[1].changes]
    assert found == [(path, "active", "inflight")]
