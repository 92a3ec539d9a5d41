"""Widgets of frames: they follow their board, and answer what the browser asks."""

from __future__ import annotations

from typing import Any

from kueuelab.trace import Trace
from kueuelab.views import Document
from kueuelab.widgets.board import Board
from kueuelab.widgets.frame_view import FrameView, KernelLink


def view_of(trace: Trace) -> tuple[Board, FrameView, list[Any]]:
    board = Board(trace)
    view = FrameView(Document(board.run_index), board, answers={"more": lambda _: {"more": 1}})
    sent: list[Any] = []
    view.send = lambda content, buffers=None: sent.append(content)
    return board, view, sent


def ask(view: FrameView, question: Any) -> None:
    view._handle_custom_msg(question, [])


def test_a_view_and_its_board_are_at_one_step(within: Trace) -> None:
    board, view, _ = view_of(within)
    assert view.step == board.index
    view.step = 40
    assert board.index == 40
    board.go(50)
    assert view.step == 50


def test_what_is_selected_in_one_is_selected_in_all(within: Trace) -> None:
    board, view, _ = view_of(within)
    other = KernelLink(Document(board.run_index), board)
    assert other.board == view.board == board.id
    view.selected = {"kind": "Workload", "name": "default/job-1"}
    assert board.workload == "default/job-1"
    assert other.selected == view.selected
    board.select("Workload", "default/job-1")
    assert view.selected == other.selected == {}


def test_a_question_has_an_answer_with_its_id(within: Trace) -> None:
    _, view, sent = view_of(within)
    ask(view, {"ask": "find", "text": "job-1", "id": "7"})
    ask(view, {"ask": "more", "id": "8"})
    ask(view, {"ask": "nothing that is known", "id": "9"})
    ask(view, "no question")
    assert sent == [{"found": ["default/job-1"], "id": "7"}, {"more": 1, "id": "8"}, {"id": "9"}]
