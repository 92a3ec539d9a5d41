"""A cursor over a run, moved by keys or words, and what there is to see at each place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from kueuelab.cli.step_at import CYCLE
from kueuelab.messages import Catalog, Message
from kueuelab.views.frame.text import decision_text, picture_text, queues_text

if TYPE_CHECKING:
    from kueuelab.views import Document

__all__ = ["KEYS", "QUIT", "Stepper"]

#: What a key does; several keys may do the same.
KEYS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "\x1b[C": "forward",
        "\x1bOC": "forward",
        "n": "forward",
        "\x1b[D": "back",
        "\x1bOD": "back",
        "b": "back",
        "\x1b[B": "next_cycle",
        "\x1bOB": "next_cycle",
        "c": "next_cycle",
        "\x1b[A": "previous_cycle",
        "\x1bOA": "previous_cycle",
        "C": "previous_cycle",
        "e": "next_entry",
        "E": "previous_entry",
        "p": "next_preemption",
        "P": "previous_preemption",
        "w": "next_about",
        "W": "previous_about",
        "\x1b[H": "start",
        "\x1bOH": "start",
        "g": "start",
        "\x1b[F": "end",
        "\x1bOF": "end",
        "G": "end",
    }
)
QUIT: Final = ("q", "\x1b", "\x03", "\x04")


class Stepper:
    """A cursor over a run.

    Parameters
    ----------
    document
        The run, as what is shown at each step.
    workload
        The workload that some moves follow; ``""`` if none.
    at
        The step to begin with, counted from 1; by default where something happens first.
    words
        The language.
    """

    def __init__(self, document: Document, workload: str, at: int | None, words: Catalog) -> None:
        from kueuelab.trace.timetravel import Cursor

        self._document = document
        self._workload = workload if "/" in workload or not workload else f"default/{workload}"
        self.words: Final = words
        # People count steps from 1.
        self._cursor = Cursor(document.trace, document.start if at is None else at - 1)

    @property
    def index(self) -> int:
        """The index of the step."""
        return self._cursor.index

    @property
    def frame(self) -> dict[str, Any]:
        """What is shown at the step, as data."""
        return self._document.frame(self._cursor.index)

    # --- moves -------------------------------------------------------------------------------

    def press(self, key: str) -> bool:
        """Do what a key says; tell whether the place changed."""
        return self.move(KEYS.get(key, ""))

    def move(self, name: str) -> bool:
        """Move by name; tell whether the place changed."""
        if name.endswith("_about"):
            about: Callable[[str], bool] = getattr(self._cursor, name)
            return bool(self._workload) and about(self._workload)
        move: Callable[[], bool] | None = getattr(self._cursor, name, None) if name else None
        return move() if move is not None else False

    def go(self, place: str) -> bool:
        """Go to a step (``57``), a cycle (``c3``) or a time since the start (``7s``).

        Returns whether there is such a place.
        """
        from kueuelab.model.times import parse_duration

        trace, text = self._cursor.trace, place.strip()
        if text.isdecimal():
            found = int(text) - 1
        elif cycle := CYCLE.fullmatch(text):
            number = int(cycle[1])
            found = next((each.first for each in trace.cycles if each.number == number), -1)
        else:
            try:
                due = trace[0].time + parse_duration(text)
            except ValueError:
                return False
            # The first step of that instant, or of the next one at which something happens.
            found = next((step.index for step in trace.steps if step.time >= due), -1)
        if not 0 <= found < len(trace):
            return False
        self._cursor.to(found)
        return True

    def search(self, text: str) -> bool:
        """Go to the next step whose sentence has a text; behind the last comes the first.

        Returns whether there is one.
        """
        from kueuelab.trace.step_text import step_text

        trace, wanted, here = self._cursor.trace, text.strip().casefold(), self._cursor.index
        if not wanted:
            return False
        for offset in range(1, len(trace) + 1):
            index = (here + offset) % len(trace)
            if wanted in step_text(trace[index], self.words).casefold():
                self._cursor.to(index)
                return True
        return False

    # --- what there is to see ------------------------------------------------------------------

    def played(self, keys: str) -> Iterator[str]:
        """Press keys one after another; yield what is to be seen at first and after each."""
        yield self.text()
        for key in keys:
            if key in QUIT:
                return
            moved = self.press(key)
            yield ""
            yield self.text() if moved else Message("cli.step.end", key=key)

    def text(self) -> str:
        """Return all that is to be seen at this place."""
        parts = (self.decision, self.picture, self.queues)
        return "\n\n".join(part for part in parts if part)

    @property
    def decision(self) -> str:
        """The place, the sentence, and the numbers behind it."""
        trace = self._cursor.trace
        return decision_text(self.frame, len(trace), len(trace.cycles), self.words)

    @property
    def picture(self) -> str:
        """The cohorts and queues with their quota and workloads."""
        return picture_text(self.frame, self.words)

    @property
    def queues(self) -> str:
        """The queues with what is pending."""
        return queues_text(self.frame, self.words)
