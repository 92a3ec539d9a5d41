"""What many workloads change together is stored once, and reads like the changes one by one."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kueuelab.trace.changes import GroupChange, changes_of, parts_of, weight_of
from kueuelab.trace.recorder import Recorder
from kueuelab.trace.step import Path
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


class _Status:
    """The values of an object; counts how often it was read."""

    def __init__(self, values: Mapping[str, int | None]) -> None:
        self.read = 0
        self._values: dict[Path, Any] = {("status", place): at for place, at in values.items()}

    def values(self) -> Mapping[Path, Any]:
        self.read += 1
        return self._values


_STATUS = st.dictionaries(st.sampled_from("xyz"), st.none() | st.integers(0, 2), max_size=3)
_OBJECTS = st.lists(st.tuples(st.sampled_from("ab"), st.none() | _STATUS), max_size=4)


@given(st.lists(_OBJECTS, min_size=1, max_size=8))
def test_changes_of_an_object_are_those_of_its_values(
    run: list[list[tuple[str, dict[str, int | None] | None]]],
) -> None:
    whole, single = Recorder(), Recorder()
    known: dict[str, dict[str, int | None]] = {}
    for writes in run:
        for name, values in writes:
            status = None if values is None else _Status(values)
            whole.write(whole.object(("workloads", name)), status)
            now: dict[str, int | None] = values or {}
            for place in dict.fromkeys((*known.get(name, ()), *now)):
                single.change(("workloads", name, "status", place), now.get(place))
            known[name] = now
        for recorder in (whole, single):
            recorder.record(TimerFired("x"), "a")
    traces = Trace.of(whole), Trace.of(single)
    for mine, theirs in zip(*traces, strict=True):
        assert sorted(mine.changes) == sorted(theirs.changes)
        assert len(mine.changes) == len(theirs.changes) == weight_of(mine.changes)
    cursor = Cursor(traces[0])
    for index in (*range(len(traces[0])), *reversed(range(len(traces[0])))):
        cursor.to(index)
        assert cursor.state == traces[0].state_at(index) == traces[1].state_at(index)


def test_the_values_of_an_object_are_read_when_its_changes_are() -> None:
    recorder = Recorder()
    place = recorder.object(("workloads", "a"))
    assert recorder.object(("workloads", "a")) is place
    first, second = _Status({"x": 1, "y": 2}), _Status({"x": 1, "y": 3, "z": None})
    for status in (first, second):
        recorder.write(place, status)
        recorder.record(TimerFired("x"), "a")
    changes = recorder.steps[1].changes
    assert weight_of(changes) > 0
    assert weight_of(changes_of([*parts_of(recorder.steps[0].changes)])) == 2
    assert (first.read, second.read) == (1, 0)
    assert list(changes) == [(("workloads", "a", "status", "y"), 2, 3)]
    assert [len(changes), len(changes)] == [1, 1]
    assert (first.read, second.read) == (2, 1)
    assert pickle.loads(pickle.dumps(recorder.steps[1])) == recorder.steps[1]
