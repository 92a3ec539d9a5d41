"""Views of one board follow each other; a page that has gone on is not taken back."""

from __future__ import annotations

from kueuelab import scenarios
from kueuelab.widgets.board import Board
from kueuelab.widgets.frame_view import FrameView


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
