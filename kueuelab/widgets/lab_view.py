"""All views of a run together: what is selected in one is selected in all."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import ipywidgets

from kueuelab.messages import Catalog
from kueuelab.trace.breakpoints import Breakpoint
from kueuelab.trace.timetravel import Cursor
from kueuelab.views import timeline_of
from kueuelab.views.frame.domains_text import topology_text
from kueuelab.views.frame.text import decision_text, picture_text, queues_text
from kueuelab.views.opening import opening_step
from kueuelab.widgets.board import Watched
from kueuelab.widgets.collapsible import collapsible
from kueuelab.widgets.form_note import display_form
from kueuelab.widgets.frame_view import FrameView
from kueuelab.widgets.run_view import RunView

if TYPE_CHECKING:
    from kueuelab.whatif.lab import LabRun
    from kueuelab.widgets.what_if import WhatIf

__all__ = ["Lab", "lab"]


class Lab(RunView):
    """Controls, picture, decision, queues and timeline of one run; below, what to change in it.

    Attributes
    ----------
    what_if
        The editor below, ``None`` if the run can't be forked (a trace, for instance).
    """

    part = "lab"

    def __init__(
        self,
        run: Watched,
        stop_at: Breakpoint | None = None,
        *,
        at: int | Cursor | None = None,
        language: str | Catalog | None = None,
    ) -> None:
        super().__init__(run, stop_at, at=at, language=language)
        self._run = run
        if at is None and self.board.index == self.board.start:
            self.board.go(opening_step(self.board.trace))

    @cached_property
    def what_if(self) -> WhatIf | None:
        """The editor below; it is made when it is first opened."""
        if not hasattr(self._run, "fork"):
            return None
        # It is needed only when it is opened, and so are the rooms behind it.
        from kueuelab.widgets.what_if import WhatIf

        return WhatIf(cast("LabRun", self._run), self.board)

    @cached_property
    def _changes(self) -> Any:
        """The editor, folded; ``None`` without one."""
        if not hasattr(self._run, "fork"):
            return None
        title = self.board.words.text("widgets.what-if.title")
        return collapsible({title: lambda: cast("WhatIf", self.what_if).widget})

    @cached_property
    def widget(self) -> Any:
        """The view as a widget, to be put into a layout of one's own."""
        view = FrameView(self.document, self.board)
        return ipywidgets.VBox([view] if self._changes is None else [view, self._changes])

    def as_text(self) -> str:
        """Return all views as plain text, one after another."""
        frame, trace, words = self.frame, self.board.trace, self.board.words
        topology = [topology_text(frame, words)] if frame.get("topologies") else []
        parts = (
            decision_text(frame, len(trace), len(trace.cycles), words),
            picture_text(frame, words),
            *topology,
            queues_text(frame, words),
            timeline_of(self.board.run_index).as_text(words),
        )
        return "\n\n".join(parts)

    def _ipython_display_(self) -> None:
        """Show the view, and below it what can be changed: that is a widget, and asks Python."""
        from IPython.display import display

        display(self._repr_mimebundle_(), raw=True)  # type: ignore[no-untyped-call]
        if self._changes is not None:
            words = self.board.words
            display_form(self._changes, words.text("widgets.what-if.title"), "", words)


def lab(
    run: Watched,
    stop_at: Breakpoint | None = None,
    *,
    at: int | Cursor | None = None,
    language: str | Catalog | None = None,
) -> Lab:
    """Show everything about a run in one view.

    Parameters
    ----------
    run
        A run, a trace, or the board of another view.
    stop_at
        Where it stops besides what is chosen in the view.
    at
        The step that it opens at: its index, or what ``run.until`` gives; by default the first
        preemption, else the first pending workload, else the first admission.
    language
        The language: a code, or a catalogue.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> view = lab(scenarios.load("reclaim-1-take-back").run())
    >>> view.board.select("Workload", "default/job-1")
    >>> view
    <Lab at step 64 of 103>
    >>> run = scenarios.load("reclaim-1-take-back").run()
    >>> lab(run, at=run.until(event="preempting"))
    <Lab at step 62 of 103>
    """
    return Lab(run, stop_at, at=at, language=language)
