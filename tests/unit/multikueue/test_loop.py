"""The clock that all clusters share."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuelab.model.times import SECOND
from kueuelab.multikueue.loop import EventLoop

#: Milliseconds, minutes, and what has the same times on both ways.
_DELAYS = st.sampled_from(
    [0, 1, SECOND // 20, SECOND // 10, SECOND // 10 + 1, SECOND // 5, 60 * SECOND]
)
_ACTIONS = st.recursive(
    st.tuples(_DELAYS, st.just(())),
    lambda inner: st.tuples(_DELAYS, st.lists(inner, max_size=4).map(tuple)),
    max_leaves=12,
)


def test_what_is_due_at_once_happens_in_the_order_in_which_it_was_set() -> None:
    loop = EventLoop(0)
    happened: list[str] = []

    def first() -> None:
        happened.append("first")
        loop.at(5, partial(happened.append, "set meanwhile"))
        loop.at(1, partial(happened.append, "long past"))

    loop.at(5, first)
    loop.at(5, partial(happened.append, "second"))
    loop.after(2, partial(happened.append, "earlier"))
    loop.run_until(4)
    assert happened == ["earlier"]
    assert loop.now == 4
    loop.run_until(9)
    assert happened == ["earlier", "first", "second", "set meanwhile", "long past"]
    assert loop.now == 9


def test_after_a_failure_the_others_are_still_done_and_once() -> None:
    loop = EventLoop(0)
    happened: list[str] = []

    def fail() -> None:
        raise RuntimeError("no")

    loop.at(1, partial(happened.append, "before"))
    loop.at(1, fail)
    loop.at(1, partial(happened.append, "after"))
    with pytest.raises(RuntimeError, match="no"):
        loop.run_until(2)
    assert (happened, loop.now) == (["before"], 1)
    loop.run_until(2)
    assert (happened, loop.now) == (["before", "after"], 2)


def test_what_became_due_before_a_failure_is_done_after_the_others() -> None:
    loop = EventLoop(0)
    happened: list[str] = []

    def fail() -> None:
        loop.after(0, partial(happened.append, "set meanwhile"))
        raise RuntimeError("no")

    loop.at(1, fail)
    loop.at(1, partial(happened.append, "after"))
    with pytest.raises(RuntimeError, match="no"):
        loop.run_until(1)
    loop.run_until(1)
    assert happened == ["after", "set meanwhile"]


@given(st.lists(_ACTIONS, max_size=8), st.lists(_DELAYS, max_size=4))
def test_actions_happen_by_time_then_as_they_were_set(
    actions: list[tuple[int, tuple[object, ...]]], pauses: list[int]
) -> None:
    loop = EventLoop(0)
    happened: list[tuple[int, int]] = []
    count = 0

    def put(delay: int, inner: tuple[object, ...]) -> None:
        nonlocal count
        count += 1
        loop.after(delay, partial(act, (loop.now + delay, count), inner))

    def act(expected: tuple[int, int], inner: tuple[object, ...]) -> None:
        assert loop.now == expected[0]
        happened.append(expected)
        for each in inner:
            put(*each)

    for each in actions:
        put(*each)
        for pause in pauses:
            loop.run_until(loop.now + pause)
    loop.run_until(loop.now + 3600 * SECOND)
    assert happened == sorted(happened)
    assert len(happened) == count
