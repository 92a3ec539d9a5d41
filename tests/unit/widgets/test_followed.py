"""Views of one board follow each other; a page that has gone on is not taken back."""

from __future__ import annotations

from typing import Any

import pytest

from kueuelab import scenarios
from kueuelab.whatif.clusters import MultiKueueRun
from kueuelab.widgets.board import Board
from kueuelab.widgets.clock_view import ClockView
from kueuelab.widgets.frame_view import FrameView, KernelLink
from kueuelab.widgets.multikueue_position import MultiKueuePosition


def two_views() -> tuple[FrameView, FrameView]:
    board = Board(scenarios.load("within-1-all-in-one-queue").run().trace)
    return FrameView(board.document, board), FrameView(board.document, board)


def test_views_follow_what_python_does() -> None:
    one, other = two_views()
    one.step = 4
    assert other.step == 4


def test_what_a_page_tells_is_not_told_to_its_other_views() -> None:
    """They share a board in the page, and may be further by the time that Python answers."""
    one, other = two_views()
    before = other.step
    one.set_state({"step": before + 3, "selected": {"kind": "Workload", "name": "default/job-1"}})
    assert (other.step, other.selected) == (before, {})
    other.set_state({"step": before + 3})
    one.step = before
    assert other.step == before


def test_what_a_page_tells_is_not_repeated_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A repetition that comes late would take back a view that has gone on."""
    one, _ = two_views()
    sent: list[Any] = []
    monkeypatch.setattr(one, "_send", lambda message, **_: sent.append(message))
    job = {"kind": "Workload", "name": "default/job-1"}
    one.set_state({"step": one.step + 3, "selected": job})
    assert sent == []
    one.set_state({"at_once": True})  # the others are repeated, as Jupyter does
    assert [message["state"] for message in sent] == [{"at_once": True}]


def test_what_a_page_tells_of_several_clusters_is_not_told_to_its_other_views() -> None:
    run = scenarios.load("lost-worker").run()
    assert isinstance(run, MultiKueueRun)
    position = MultiKueuePosition(run)
    one = ClockView(position.document, position)
    other = KernelLink(position.document, position)
    before = other.step
    one.set_state({"step": before + 3, "elapsed": 0})
    assert (position.index, other.step) == (before + 3, before)
    one.step = before + 4
    assert other.step == before + 4
