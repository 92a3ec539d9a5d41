"""What many workloads change together is stored once, and reads like the changes one by one."""

from __future__ import annotations

import pickle
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kueuelab.trace.changes import GroupChange, parts_of
from kueuelab.trace.recorder import Recorder
from kueuelab.trace.steps import TimerFired
from kueuelab.trace.timetravel import Cursor
from kueuelab.trace.trace import Trace

_NAMES = st.lists(st.sampled_from("abcd"), unique=True, max_size=4)
_VALUES = st.sampled_from(["active", "inadmissible", "inflight"])
_KEYS = st.sampled_from(["queue", "shape"])
_ONE = st.tuples(st.lists(st.sampled_from("abcd"), min_size=1, max_size=1), _KEYS, _VALUES)
_WRITES = st.lists(st.one_of(st.tuples(_NAMES, _KEYS, _VALUES), _ONE), max_size=5)
_RUNS = st.lists(_WRITES, min_size=1, max_size=8)


def _change_all(recorder: Recorder, names: list[str], inside: str, value: str) -> None:
    places = [recorder.value(("workloads", name, inside)) for name in names]
    recorder.change_all(places, tuple(names), value)


def _recorded(run: list[Any], *, together: bool, rest: int = 0) -> Trace:
    recorder = Recorder()
    for at, writes in enumerate(run):
        for names, inside, value in writes:
            if together:
                _change_all(recorder, names, inside, value)
            else:
                for name in names:
                    recorder.change(("workloads", name, inside), value)
        if at < len(run) - rest or not at:
            recorder.record(TimerFired("x"), "a")
    return Trace.of(recorder)


@given(_RUNS, st.integers(0, 2))
def test_changes_of_a_group_are_the_changes_one_by_one(run: list[Any], rest: int) -> None:
    group = _recorded(run, together=True, rest=rest)
    single = _recorded(run, together=False, rest=rest)
    assert group == single
    assert single == group
    assert list(map(repr, group)) == list(map(repr, single))
    for mine, theirs in zip(group, single, strict=True):
        assert len(mine.changes) == len(theirs.changes)
        assert list(mine.changes)[-1:] == list(mine.changes[-1:])
    cursor = Cursor(group)
    for index in (*range(len(group)), *reversed(range(len(group)))):
        cursor.to(index)
        assert cursor.state == group.state_at(index) == single.state_at(index)


def test_the_same_change_of_many_workloads_is_stored_once() -> None:
    recorder = Recorder()
    names = [f"job-{number}" for number in range(50)]
    _change_all(recorder, names, "queue", "active")
    recorder.record(TimerFired("x"))
    for value in ("inadmissible", "active"):
        _change_all(recorder, names, "queue", value)
        recorder.record(TimerFired("x"))
    # What was not there before is not a change of a group.
    assert [len(parts_of(step.changes)) for step in recorder.steps] == [50, 1, 1]
    assert [len(step.changes) for step in recorder.steps] == [50, 50, 50]
    (part,) = parts_of(recorder.steps[1].changes)
    assert isinstance(part, GroupChange)
    assert pickle.loads(pickle.dumps(recorder.steps[1])) == recorder.steps[1]
