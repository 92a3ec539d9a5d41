"""What all views of a run share: the place in it, and what is selected."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias
from uuid import uuid4

from kueuelab.messages import Catalog, language_of
from kueuelab.trace.timetravel import Cursor
from kueuelab.trace.trace import Trace
from kueuelab.views import Document, RunIndex
from kueuelab.views.merge_patch import Json
from kueuelab.views.opening import beginning
from kueuelab.views.svg import svg_of

if TYPE_CHECKING:
    from kueuelab.whatif.lab import LabRun

__all__ = ["Board", "Watched", "board_of"]


class HasTrace(Protocol):
    """Something that was run."""

    @property
    def trace(self) -> Trace:
        """Its record."""


#: What a view can be made for.
Watched: TypeAlias = "Trace | HasTrace | Board"

#: Called when the board changed: with whether another step is shown.
Listener: TypeAlias = Callable[[bool], None]


class Board:
    """A cursor over a trace, a selection, and the views that follow its changes.

    Parameters
    ----------
    trace
        The record of a run; it must have steps.
    start
        The step to begin at; :func:`~kueuelab.views.opening.beginning`, if omitted.
    language
        The language of the views: a code, or a catalogue.

    Attributes
    ----------
    id
        What views of this board have in common in a page.
    start
        The step at which it began.
    link
        The kernel of the views in the page, ``None`` as long as none is displayed.
    selected
        Kind and name of what is selected: ``("Workload", "default/a")``, or ``None``.
    words
        The sentences in that language.
    cluster
        The cluster in which it is selected; ``""`` where there is only one.
    lab_run
        What can try changes of the run; ``None`` where there is only its record.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> board = Board(scenarios.load("within-1-all-in-one-queue").run().trace)
    >>> board.cursor.step.kind
    'WorkloadCreated'
    >>> board.select("Workload", "default/job-2")
    >>> board.move(Cursor.next_preemption), board.cursor.step.workload
    (True, 'default/job-1')
    """

    def __init__(
        self, trace: Trace, start: int | None = None, language: str | Catalog | None = None
    ) -> None:
        if not len(trace):
            raise ValueError("this run has no steps: there is nothing to show")
        self.trace = trace
        self.start = beginning(trace) if start is None else start
        self.link: Any = None
        self.words = language_of(language)
        self.run_index = RunIndex(trace, self.words)
        self.cursor = Cursor(trace, self.start)
        self.selected: tuple[str, str] | None = None
        self.cluster = ""
        self.lab_run: LabRun | None = None
        self.id = uuid4().hex[:12]
        self._listeners: list[Listener] = []
        #: Whether a view in the page changed it: the other views there have followed already.
        self.is_told_by_page = False

    @cached_property
    def document(self) -> Document:
        """The frames of the run."""
        return Document(self.run_index, start=self.start)

    @property
    def frame(self) -> Json:
        """What is shown at the step, as data."""
        return self.document.frame(self.index)

    def picture(self, index: int) -> str:
        """Return the picture after a step as SVG."""
        document = self.document
        return svg_of(
            document.frame(index),
            document.scales,
            self.trace.title or self.trace.name,
            self.words,
            priorities=document.priorities,
        )

    @property
    def index(self) -> int:
        """The step that is shown."""
        return self.cursor.index

    @property
    def workload(self) -> str:
        """The selected workload, ``""`` if something else is selected."""
        return self.selected[1] if self.selected and self.selected[0] == "Workload" else ""

    def subscribe(self, listener: Listener) -> None:
        """Call ``listener`` after each change."""
        self._listeners.append(listener)

    def move(self, move: Callable[[Cursor], bool]) -> bool:
        """Move the cursor; tell whether it moved."""
        moved = move(self.cursor)
        if moved:
            self._tell(moved=True)
        return moved

    def go(self, index: int) -> bool:
        """Go to a step."""
        return self.move(lambda cursor: cursor.to(index))

    def select(self, kind: str, name: str, cluster: str = "") -> None:
        """Select something in all views; the same again takes the selection away."""
        before, wanted = (self.cluster, self.selected), (kind, name)
        self.selected = None if before == (cluster, wanted) else wanted
        self.cluster = "" if self.selected is None else cluster
        self._tell(moved=False)

    def choose(self, selected: Mapping[str, Any]) -> None:
        """Select what a view in the browser has selected; nothing if it is empty."""
        wanted = (str(selected["kind"]), str(selected["name"])) if selected.get("kind") else None
        cluster = str(selected.get("cluster", "")) if wanted else ""
        if (self.selected, self.cluster) != (wanted, cluster):
            self.selected, self.cluster = wanted, cluster
            self._tell(moved=False)

    def selection_data(self) -> dict[str, str]:
        """Return what is selected as plain data; empty if nothing is."""
        if self.selected is None:
            return {}
        kind, name = self.selected
        return {"kind": kind, "name": name, **({"cluster": self.cluster} if self.cluster else {})}

    @contextmanager
    def told_by_page(self) -> Iterator[None]:
        """Change the board for a view in the page."""
        self.is_told_by_page = True
        try:
            yield
        finally:
            self.is_told_by_page = False

    def _tell(self, *, moved: bool) -> None:
        for listener in self._listeners:
            listener(moved)


def board_of(
    watched: Watched, start: int | None = None, language: str | Catalog | None = None
) -> Board:
    """Return the board of a run, a new one unless ``watched`` is one; a board has its language."""
    if isinstance(watched, Board):
        return watched
    board = Board(watched if isinstance(watched, Trace) else watched.trace, start, language)
    if not isinstance(watched, Trace):
        from kueuelab.whatif.lab import LabRun

        board.lab_run = watched if isinstance(watched, LabRun) else None
    return board
