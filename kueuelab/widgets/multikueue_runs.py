"""The runs of a MultiKueue board: which one is shown, and how it compares with another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets

from kueuelab.messages import Catalog, Message
from kueuelab.multikueue import ClusterSetRun
from kueuelab.views.comparison import Comparison, compared
from kueuelab.views.frame.comparison import comparison_data
from kueuelab.views.merge_patch import Json

__all__ = ["MultiKueueRuns"]


class MultiKueueRuns:
    """All runs by number, from 0, with their names; the first is the scenario as it is.

    Parameters
    ----------
    run
        The first run.
    choose
        Called when another one is chosen.

    Attributes
    ----------
    titles, runs
        Names and runs.
    now
        The one that is shown.
    comparison
        How it compares, ``None`` while there is but one.
    shown, base
        Which one is shown, and with which one it is compared.
    widget
        The choice.
    """

    def __init__(self, run: ClusterSetRun, choose: Callable[[int], None], words: Catalog) -> None:
        self._words = words
        self.titles: list[str] = [Message("widgets.runs.scenario")]
        self.runs = [run]
        self.now = 0
        self.comparison: Comparison | None = None
        self._base = 0
        self._choose = choose
        self._quiet = False
        self.shown = _choice("widgets.runs.shown", "widgets.runs.shown.hover", words)
        self.base = _choice("widgets.runs.compared", "widgets.runs.compared.hover", words)
        self.shown.observe(lambda change: self._chosen(change["new"]), names="value")
        self.base.observe(lambda change: self._compare_with(change["new"]), names="value")
        self.widget = ipywidgets.HBox([self.shown, self.base])
        self.widget.add_class("kl-buttons")
        self.widget.add_class("kl-wide")
        self._compare()

    def add(self, title: str, run: ClusterSetRun) -> int:
        """Add a run that is to be compared with the one that is shown; return its number."""
        self._base = self.now
        self.titles.append(Message("widgets.runs.numbered", number=len(self.runs) + 1, title=title))
        self.runs.append(run)
        return len(self.runs) - 1

    def show(self, number: int) -> None:
        """Note which one is shown."""
        self.now = number
        if self._base == number and len(self.runs) > 1:
            self._base = 0 if number else 1
        self._compare()

    def as_text(self) -> str:
        """Return the comparison as plain text, ``""`` while there is but one run."""
        return "" if self.comparison is None else self.comparison.as_text(self._words)

    def _compare(self) -> None:
        several = len(self.runs) > 1
        self.widget.layout.display = "" if several else "none"
        self.comparison = None
        if several:
            before, after = self._base, self.now
            self.comparison = compared(
                self.runs[before],
                self.runs[after],
                self.titles[before],
                self.titles[after],
                self._words,
            )
        self._quiet = True
        options = [(self._words.render(title), i) for i, title in enumerate(self.titles)]
        for control, value in ((self.shown, self.now), (self.base, self._base)):
            control.options = options
            control.value = value
        self._quiet = False

    def _chosen(self, number: int | None) -> None:
        if not self._quiet and number is not None:
            self._choose(number)

    def _compare_with(self, number: int | None) -> None:
        if not self._quiet and number is not None:
            self._base = number
            self._compare()
            self._choose(self.now)

    @property
    def comparison_data(self) -> Json | None:
        """How it compares, as the browser shows it."""
        return None if self.comparison is None else comparison_data(self.comparison, self._words)


def _choice(label: str, hover: str, words: Catalog) -> Any:
    found = ipywidgets.Dropdown(
        options=[(words.text("widgets.runs.scenario"), 0)],
        description=words.text(label),
        tooltip=words.text(hover),
    )
    found.style.description_width = "initial"
    found.layout.width = "auto"
    found.layout.max_width = "480px"
    return found
