"""The controls: moving through a run by step, entry and cycle, playing, stopping where asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import ipywidgets

from kueuelab.trace.breakpoints import EVENTS, Breakpoint
from kueuelab.trace.timetravel import Cursor
from kueuelab.widgets.board import Watched, board_of
from kueuelab.widgets.frontend import Scrubber, View
from kueuelab.widgets.viewmodel import cycle_marks, moment_at

__all__ = ["Controls"]

#: What one press of Next or Previous moves over.
_STRIDES: Final = {
    "every step": (Cursor.forward, Cursor.back),
    "entries": (Cursor.next_entry, Cursor.previous_entry),
    "cycles": (Cursor.next_cycle, Cursor.previous_cycle),
}
#: Milliseconds between two steps while playing.
_SPEEDS: Final = {"slow": 1600, "normal": 700, "fast": 150}
_ANYTHING: Final = "anything"
#: Of more workloads than this, the others can be selected in the views.
_MOST: Final = 500


class Controls(View):
    """Buttons, a slider with the cycles marked, and where to stop.

    The keys: arrows step, Home and End go to the ends, space plays and pauses.

    Parameters
    ----------
    run
        A run, a trace, or the board of another view.
    stop_at
        Where playing, and "Run on", stop.

    Attributes
    ----------
    stop_at
        The breakpoint in force, ``None`` for none; it may be set.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> controls = Controls(scenarios.load("within-1-all-in-one-queue").run())
    >>> controls.next.click()
    >>> controls
    <Controls at step 11 of 112>
    """

    def __init__(self, run: Watched, stop_at: Breakpoint | None = None) -> None:
        self.board = board_of(run)
        self.stop_at = stop_at
        self._quiet = False
        trace = self.board.trace
        self.first = self._button("|◀ First", "The first step (Home)", lambda c: c.start())
        self.previous = self._button("◀ Previous", "One back (left arrow)", self._back)
        self.play = ipywidgets.Button(
            description="▶ Play", tooltip="Play the run from here, or pause (space)"
        )
        self.play.layout.width = "6.5em"
        self.play.on_click(lambda _: self._toggle())
        self.next = self._button("Next ▶", "One on (right arrow)", self._forward)
        self.last = self._button("Last ▶|", "The last step (End)", lambda c: c.end())
        self.stride = _choice("by", _STRIDES, "What Next and Previous move over")
        self.speed = _choice("speed", _SPEEDS, "How fast it plays")
        self.speed.value = "normal"
        self.speed.observe(self._speed_changed, names="value")
        self.about = _choice(
            "about", (_ANYTHING, *trace.workloads[:_MOST]), "The workload that you want to follow"
        )
        self.about.observe(self._about_changed, names="value")
        self.event = _choice("until", (_ANYTHING, *EVENTS), "The kind of event to stop at")
        self.event.observe(self._event_changed, names="value")
        self.next_about = self._button(
            "Run on ▶", "To the next step that matches 'about' and 'until'", self._run_on
        )
        self.previous_about = self._button(
            "◀ Run back", "To the last step that matches 'about' and 'until'", self._run_back
        )
        self.scrubber = Scrubber(
            name=f"Stepping through {trace.title or trace.name or 'a run'}: arrow keys step, "
            "Home and End go to the ends, space plays",
            maximum=len(trace) - 1,
            marks=[[index, f"cycle {number}"] for index, number in cycle_marks(trace, 100)],
            interval=_SPEEDS["normal"],
        )
        self.scrubber.on_msg(self._asked)
        self.scrubber.observe(self._dragged, names="value")
        self.scrubber.observe(lambda change: self.board.resize(change["new"]), names="width")
        buttons = ipywidgets.HBox(
            [self.first, self.previous, self.play, self.next, self.last, self.stride, self.speed]
        )
        places = ipywidgets.HBox([self.about, self.event, self.previous_about, self.next_about])
        for row in (buttons, places):
            row.add_class("kl-buttons")
            row.layout.flex_flow = "row wrap"
        self.widget = ipywidgets.VBox([buttons, self.scrubber, places])
        self.board.subscribe(lambda _: self._show())
        self._show()

    def as_text(self) -> str:
        """Return where it is, and where it would stop."""
        stop = self._breakpoint()
        text = moment_at(self.board.trace, self.board.index).as_text()
        return f"{text}, stops at {stop!r}" if stop is not None else text

    # --- moves -------------------------------------------------------------------------

    def _forward(self, cursor: Cursor) -> bool:
        return _STRIDES[self.stride.value][0](cursor)

    def _back(self, cursor: Cursor) -> bool:
        return _STRIDES[self.stride.value][1](cursor)

    def _run_on(self, cursor: Cursor) -> bool:
        stop = self._breakpoint()
        return cursor.forward() if stop is None else cursor.until(stop)

    def _run_back(self, cursor: Cursor) -> bool:
        stop = self._breakpoint()
        return cursor.back() if stop is None else cursor.back_until(stop)

    def _breakpoint(self) -> Breakpoint | None:
        """Return what 'about', 'until' and ``stop_at`` ask for together."""
        workload = None if self.about.value == _ANYTHING else Breakpoint.workload(self.about.value)
        event = None if self.event.value == _ANYTHING else Breakpoint.event(self.event.value)
        both = workload & event if workload and event else workload or event
        if both is None or self.stop_at is None:
            return both or self.stop_at
        return both | self.stop_at

    def _toggle(self) -> None:
        at_end = self.board.cursor.at_end
        self.scrubber.playing = not self.scrubber.playing and not at_end
        self._show()

    def _tick(self) -> None:
        """Take one step of playing."""
        moved = self.board.move(self._forward)
        stop = self._breakpoint() if self.event.value != _ANYTHING else self.stop_at
        if not moved or (stop is not None and stop(self.board.cursor.step)):
            self.scrubber.playing = False
            self._show()

    # --- what the browser says -----------------------------------------------------------

    def _asked(self, _: Any, content: Any, __: Any) -> None:
        kind = content.get("type")
        buttons = {
            "forward": self.next,
            "back": self.previous,
            "first": self.first,
            "last": self.last,
        }
        if kind in buttons:
            buttons[kind].click()
        elif kind == "toggle":
            self._toggle()
        elif kind == "tick":
            self._tick()

    def _dragged(self, change: Any) -> None:
        if not self._quiet:
            self.board.go(change["new"])

    def _speed_changed(self, change: Any) -> None:
        self.scrubber.interval = _SPEEDS[change["new"]]

    def _event_changed(self, _: Any) -> None:
        self._show()

    def _about_changed(self, change: Any) -> None:
        wanted = "" if change["new"] == _ANYTHING else change["new"]
        if wanted != self.board.workload:
            self.board.select("Workload", wanted or self.board.workload)

    # --- showing -----------------------------------------------------------------------

    def _show(self) -> None:
        board = self.board
        decision = board.background.decision(board.index)
        self._quiet = True
        with self.scrubber.hold_sync():
            self.scrubber.value = board.index
            self.scrubber.text = f"{decision.moment.as_text()}: {decision.sentence}"
        self._quiet = False
        about = board.workload or _ANYTHING
        if about not in self.about.options:
            self.about.options = (*self.about.options, about)
        if self.about.value != about:
            self.about.value = about
        cursor = board.cursor
        self.first.disabled = self.previous.disabled = cursor.at_start
        self.next.disabled = self.last.disabled = cursor.at_end
        self.play.disabled = cursor.at_end
        self.play.description = "❚❚ Pause" if self.scrubber.playing else "▶ Play"

    def _button(self, text: str, tooltip: str, move: Callable[[Cursor], bool]) -> Any:
        button = ipywidgets.Button(description=text, tooltip=tooltip)
        button.layout.width = "auto"
        button.on_click(lambda _: self.board.move(move))
        return button


def _choice(label: str, options: Any, tooltip: str) -> Any:
    found = ipywidgets.Dropdown(options=list(options), description=label, tooltip=tooltip)
    found.style.description_width = "initial"
    found.layout.width = "auto"
    return found
