"""The clock that all clusters share."""

from __future__ import annotations

from functools import partial

import pytest

from kueuelab.multikueue.loop import EventLoop


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
