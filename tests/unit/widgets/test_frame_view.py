"""Widgets of frames: they follow their board, and answer what the browser asks."""

from __future__ import annotations

from typing import Any

import kueuelab as kl
from kueuelab.trace import Trace
from kueuelab.views import Document
from kueuelab.widgets.board import Board, board_of
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


def test_what_would_admit_is_asked_for_at_the_step_that_is_shown() -> None:
    run = kl.scenarios.load("topology-10-fragmentation").run()
    pending = run.trace.of_kind("Pending")[0]
    board = board_of(run)
    view = FrameView(board.document, board)
    sent: list[Any] = []
    view.send = lambda content, buffers=None: sent.append(content)
    ask(view, {"ask": "levers", "workload": "default/big", "step": pending, "id": "1"})
    (answer,) = sent
    assert answer["lines"][0] == "What would admit default/big?"
    found = "\n".join(answer["lines"])
    assert "add a node like r4-h1 to r4 (admitted at 10s" in found
    assert "prefer one domain of cloud.provider.com/topology-rack instead of requiring it" in found
    unknown = {"ask": "levers", "workload": "default/none", "step": pending, "id": "2"}
    ask(view, unknown)
    assert "default/none" in sent[1]["lines"][0]


def test_a_record_alone_has_no_levers(within: Trace) -> None:
    _, view, sent = view_of(within)
    ask(view, {"ask": "levers", "workload": "default/job-1", "step": 40, "id": "1"})
    assert sent == [{"id": "1"}]
