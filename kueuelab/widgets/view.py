"""What every view is: a widget, and the same as text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from kueuelab.widgets.board import Board

__all__ = ["View"]


class View(ABC):
    """One view of a run. Displaying it shows its widget; as text it is there, too.

    Attributes
    ----------
    board
        What it shares with other views of the same run.
    widget
        The widget, to be put into a layout of one's own.
    """

    board: Board
    widget: Any

    @abstractmethod
    def as_text(self) -> str:
        """Return what it shows as plain text."""

    def __repr__(self) -> str:
        board = self.board
        return f"<{type(self).__name__} at step {board.index + 1} of {len(board.trace)}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        shown = self.widget._repr_mimebundle_()
        bundle = dict(shown[0] if isinstance(shown, tuple) else shown)
        bundle["text/plain"] = self.as_text()
        return bundle
