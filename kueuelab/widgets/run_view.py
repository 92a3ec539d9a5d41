"""What the views of one run have in common: frames, a still picture, and text."""

from __future__ import annotations

from base64 import b64encode
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, ClassVar, Final

from kueuelab import frontend
from kueuelab.files import write_text
from kueuelab.messages import Catalog
from kueuelab.trace.breakpoints import Breakpoint
from kueuelab.trace.timetravel import Cursor
from kueuelab.trace.trace import Trace
from kueuelab.views import Document
from kueuelab.views.frame.text import decision_text, picture_text
from kueuelab.views.merge_patch import Json
from kueuelab.widgets.board import Watched, board_of
from kueuelab.widgets.frame_view import FrameView, KernelLink
from kueuelab.widgets.view import View

__all__ = ["RunView", "still"]

#: A notebook keeps all steps of a run of so many; of a longer one the kernel gives the others.
_MOST_KEPT: Final = 10_000


class RunView(View):
    """A view of a run that the browser steps through by itself.

    In a notebook it is a part of the page: a still picture that becomes the view where scripts
    run, also when the notebook is opened again or published. The kernel joins where there is one.

    Parameters
    ----------
    run
        A run, a trace, or the board of another view.
    stop_at
        Where it stops besides what is chosen in the view.
    at
        The step that it opens at: its index, or what ``run.until`` gives; by default the arrival
        of the first workload, for the lab view the first preemption.
    language
        The language: a code, or a catalogue.

    Attributes
    ----------
    board
        What it shares with other views of the same run.
    """

    #: Which parts are shown.
    part: ClassVar[str]

    def __init__(
        self,
        run: Watched,
        stop_at: Breakpoint | None = None,
        *,
        at: int | Cursor | None = None,
        language: str | Catalog | None = None,
    ) -> None:
        self.board = board_of(run, language=language)
        self.stop_at = stop_at
        if at is not None:
            self.board.go(at if isinstance(at, int) else at.index)

    @property
    def frame(self) -> Json:
        """What is shown at the step, as data."""
        return self.board.frame

    @property
    def document(self) -> Document:
        """The frames of the run, from the step that is shown."""
        return self.board.document.seen(self.part, self.board.index, self.stop_at)

    @cached_property
    def widget(self) -> Any:
        """The view as a widget, to be put into a layout of one's own."""
        return FrameView(self.document, self.board)

    def next(self) -> None:
        """Go to the next step."""
        self.board.move(lambda cursor: cursor.forward())

    def previous(self) -> None:
        """Go to the step before."""
        self.board.move(lambda cursor: cursor.back())

    def to(self, index: int) -> None:
        """Go to a step; they count from 0."""
        self.board.go(index)

    def save_svg(self, to: str | Path) -> None:
        """Write the picture of the step that is shown to a file."""
        write_text(to, self.picture_at(self.board.index) + "\n")

    def picture_at(self, index: int) -> str:
        """Return the picture after a step as SVG."""
        return self.board.picture(index)

    def as_svg(self) -> str:
        """Return the still picture of the view as SVG."""
        board = self.board
        return self.picture_at(_interesting(board.trace, board.index, board.start))

    def _still_text(self) -> str:
        """Return the same as text."""
        board, trace = self.board, self.board.trace
        frame = board.document.frame(_interesting(trace, board.index, board.start))
        said = decision_text(frame, len(trace), len(trace.cycles), board.words)
        return f"{said}\n\n{picture_text(frame, board.words)}"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        board = self.board
        if board.link is None:
            board.link = KernelLink(board.document, board)
        document, picture, said = self.document, self.as_svg(), self._still_text()
        chunks = None if len(board.trace) <= _MOST_KEPT else [document.chunk_of(board.index)]
        data = document.as_data(chunks)
        if board.selected is not None:
            data = {**data, "selected": board.selection_data()}
        return {
            "text/html": frontend.fragment(
                data, still(picture, said, board.words.text("widgets.as-text")), board.id
            ),
            "image/svg+xml": picture,
            "text/plain": self.as_text(),
        }


def _interesting(trace: Trace, index: int, start: int) -> int:
    """Return the step of the still picture: the one that is shown, unless it is only the start.

    Then it is the first at which targets are chosen, or else the last one with an admission.
    """
    if index != start:
        return index
    for each in trace.of_kind("TargetsChosen"):
        if getattr(trace[each].facts, "targets", ()):
            return each
    admitted = trace.of_kind("Admitted", "QuotaReserved")
    return admitted[-1] if admitted else index


def still(picture: str, text: str, summary: str) -> str:
    """Return what is shown until the view is there, and where no script runs.

    Notebooks that are not trusted show images, but no SVG elements.
    """
    data = b64encode(picture.encode()).decode("ascii")
    first = text.partition("\n")[0]
    return (
        f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(first)}">'
        f"<details><summary>{escape(summary)}</summary><pre>{escape(text)}</pre></details>"
    )
