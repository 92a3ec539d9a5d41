"""The controls: moving through a run by step, entry and cycle, playing, stopping where asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import ipywidgets

from kueuelab.messages import Catalog, Message
from kueuelab.trace.breakpoints import Breakpoint
from kueuelab.trace.timetravel import Cursor
from kueuelab.views import cycle_marks, moment_at
from kueuelab.widgets.board import Watched, board_of
from kueuelab.widgets.breakpoints import ANYTHING, BreakpointForm, choice, options_in, said
from kueuelab.widgets.frontend import Scrubber, View

__all__ = ["Controls"]

#: What one press of Next or Previous moves over.
_STRIDES: Final = {
    Message("widgets.controls.every-step"): (Cursor.forward, Cursor.back),
    "entries": (Cursor.next_entry, Cursor.previous_entry),
    "cycles": (Cursor.next_cycle, Cursor.previous_cycle),
}
#: Milliseconds between two steps while playing.
_SPEEDS: Final = {"slow": 1600, "normal": 700, "fast": 150}
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
    compact
        Only the buttons and the slider, for a narrow place.

    Attributes
    ----------
    stop_at
        Where it stops whatever was chosen, ``None`` for nowhere; it may be set.
    stops
        The breakpoints that were chosen.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> controls = Controls(scenarios.load("within-1-all-in-one-queue").run())
    >>> controls.next.click()
    >>> controls
    <Controls at step 11 of 112>
    """

    def __init__(
        self,
        run: Watched,
        stop_at: Breakpoint | None = None,
        *,
        compact: bool = False,
        language: str | Catalog | None = None,
    ) -> None:
        self.board = board_of(run, language=language)
        words = self.board.words
        self.stop_at = stop_at
        self._quiet = False
        self._ready = False
        trace = self.board.trace
        self.first = self._button(
            Message("widgets.controls.first"),
            Message("widgets.controls.first.hover"),
            lambda c: c.start(),
        )
        self.previous = self._button(
            Message("widgets.controls.previous"),
            Message("widgets.controls.previous.hover"),
            self._back,
        )
        self.play = ipywidgets.Button(
            description=words.text("widgets.controls.play"),
            tooltip=words.text("widgets.controls.play.hover"),
        )
        self.play.layout.width = "6.5em"
        self.play.on_click(lambda _: self._toggle())
        self.next = self._button(
            Message("widgets.controls.next"), Message("widgets.controls.next.hover"), self._forward
        )
        self.last = self._button(
            Message("widgets.controls.last"),
            Message("widgets.controls.last.hover"),
            lambda c: c.end(),
        )
        self.stride = choice(
            "widgets.controls.move-over", "widgets.controls.move-over.hover", _STRIDES, words
        )
        self.speed = choice(
            "widgets.controls.speed", "widgets.controls.speed.hover", _SPEEDS, words
        )
        self.speed.value = "normal"
        self.speed.observe(self._speed_changed, names="value")
        followed = (ANYTHING, *trace.workloads[:_MOST])
        self.about = choice(
            "widgets.controls.follow", "widgets.controls.follow.hover", followed, words
        )
        self.about.observe(self._about_changed, names="value")
        self.stops = BreakpointForm(trace, lambda: self.board.workload, self._stops_changed, words)
        self.event = self.stops.event
        self.more = ipywidgets.ToggleButton(
            description=words.text("widgets.controls.breakpoints"),
            tooltip=words.text("widgets.controls.breakpoints.hover"),
        )
        self.more.layout.width = "auto"
        self.more.observe(lambda _: self._show_more(), names="value")
        self.next_about = self._button(
            Message("widgets.controls.run-on"),
            Message("widgets.controls.run-on.hover"),
            self._run_on,
        )
        self.previous_about = self._button(
            Message("widgets.controls.run-back"),
            Message("widgets.controls.run-back.hover"),
            self._run_back,
        )
        self.scrubber = Scrubber(
            language=words,
            name=Message(
                "widgets.controls.region",
                title=trace.title or trace.name or Message("widgets.controls.a-run"),
            ),
            maximum=len(trace) - 1,
            marks=[
                [index, words.text("widgets.scrubber.cycle", number=number)]
                for index, number in cycle_marks(trace, 100)
            ],
            interval=_SPEEDS["normal"],
        )
        self.scrubber.on_msg(self._asked)
        self.scrubber.observe(self._dragged, names="value")
        settings = [] if compact else [self.stride, self.speed]
        buttons = ipywidgets.HBox(
            [self.first, self.previous, self.play, self.next, self.last, *settings]
        )
        places = ipywidgets.HBox(
            [self.about, self.event, self.previous_about, self.next_about, self.more]
        )
        for row in (buttons, places):
            row.add_class("kl-buttons")
        self._rows = [buttons, self.scrubber] if compact else [buttons, self.scrubber, places]
        self.widget = ipywidgets.VBox(self._rows)
        self.widget.add_class("kl-controls")
        self.board.subscribe(lambda _: self._show())
        self._ready = True
        self._show()

    def as_text(self) -> str:
        """Return where it is, and where it would stop."""
        stop = self._breakpoint()
        text = moment_at(self.board.trace, self.board.index).as_text()
        return (
            Message("widgets.controls.text-with-stop", text=text, stop=repr(stop))
            if stop is not None
            else text
        )

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

    def _breakpoint(self, *, about: bool = True) -> Breakpoint | None:
        """Return what was chosen and ``stop_at`` together; ``about`` is a workload to follow."""
        chosen = self.stops.breakpoint(about=about)
        if chosen is None or self.stop_at is None:
            return chosen or self.stop_at
        return chosen | self.stop_at

    def _toggle(self) -> None:
        at_end = self.board.cursor.at_end
        self.scrubber.playing = not self.scrubber.playing and not at_end
        self._show()

    def _tick(self) -> None:
        """Take one step of playing."""
        moved = self.board.move(self._forward)
        # Following a workload is no reason to stop at each step about it.
        only_followed = self.stops.typed(about=False) is None
        stop = self._breakpoint(about=not only_followed)
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

    def _stops_changed(self) -> None:
        if self._ready:
            self._show()

    def _show_more(self) -> None:
        self.widget.children = [*self._rows, self.stops.widget] if self.more.value else self._rows

    def _about_changed(self, change: Any) -> None:
        wanted = "" if change["new"] == ANYTHING else change["new"]
        if wanted != self.board.shown_workload:
            self._select(wanted or self.board.shown_workload)

    def follow_options(self, values: Iterable[str]) -> None:
        """Offer workloads to follow, or anything."""
        self.about.options = options_in(self.board.words, values)

    def _select(self, shown: str) -> None:
        """Select a workload by the name that is shown of it."""
        self.board.select("Workload", shown)

    # --- showing -----------------------------------------------------------------------

    def _show(self) -> None:
        board = self.board
        decision = board.run_index.decision(board.index)
        self._quiet = True
        with self.scrubber.hold_sync():
            self.scrubber.value = board.index
            self.scrubber.text = board.words.text(
                "widgets.scrubber.text",
                moment=decision.moment.as_text(),
                sentence=decision.sentence,
            )
        self._quiet = False
        about = board.shown_workload or ANYTHING
        offered = [each[1] if isinstance(each, tuple) else each for each in self.about.options]
        if about not in offered:
            self.follow_options((*offered, about))
        if self.about.value != about:
            self.about.value = about
        self.stops.refresh()
        stop = self._breakpoint()
        self.next_about.tooltip = board.words.render(_where("next", stop))
        self.previous_about.tooltip = board.words.render(_where("last", stop))
        cursor = board.cursor
        self.first.disabled = self.previous.disabled = cursor.at_start
        self.next.disabled = self.last.disabled = cursor.at_end
        self.play.disabled = cursor.at_end
        self.play.description = board.words.text(
            f"widgets.controls.{'pause' if self.scrubber.playing else 'play'}"
        )

    def _button(self, text: str, tooltip: str, move: Callable[[Cursor], bool]) -> Any:
        words = self.board.words
        button = ipywidgets.Button(description=words.render(text), tooltip=words.render(tooltip))
        button.layout.width = "auto"
        button.on_click(lambda _: self.board.move(move))
        return button


def _where(which: str, stop: Breakpoint | None) -> str:
    """Say where a button leads.

    >>> _where("next", Breakpoint.workload("default/job-1"))
    "To the next step with: workload 'default/job-1'"
    """
    if stop is None:
        return Message(f"widgets.controls.to-{which}")
    return Message(f"widgets.controls.to-{which}-with", condition=said(stop))
