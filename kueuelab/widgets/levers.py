"""What would admit a workload, as a view in the page asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kueuelab.errors import KueueLabError
from kueuelab.widgets.board import Board

__all__ = ["levers"]

#: So many changes are listed.
_MOST_SHOWN: Final = 12


def levers(board: Board, question: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the lines of the answer at a step; empty where there is only a record.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> from kueuelab.widgets.board import board_of
    >>> board = board_of(scenarios.load("topology-10-fragmentation").run())
    >>> levers(board, {"workload": "default/big", "step": 110})["lines"][3]
    'add a node like r1-h1 to r1 (admitted at 10s; evicts no workload)'
    """
    if board.lab_run is None:
        return {}
    step = max(1, int(question["step"]))
    try:
        report = board.lab_run.what_would_admit(str(question["workload"]), step)
    except KueueLabError as error:
        return {"lines": [str(error)]}
    words = board.words
    lines = [words.text("whatif.report.title", workload=report.workload)]
    lines += [words.render(obstacle.text) for obstacle in report.obstacles]
    lines += [suggestion.as_text(words) for suggestion in report.suggestions[:_MOST_SHOWN]]
    if report.tried and not report.suggestions:
        tried = report.tried
        lines.append(words.text("whatif.report.nothing", count=tried, tried=tried))
    return {"lines": lines}
