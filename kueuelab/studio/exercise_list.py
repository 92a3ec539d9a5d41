"""Do an exercise: all of them in the order of the course, and how far each is."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import ipywidgets

from kueuelab.widgets.forms import html, markup
from kueuelab.workshop import library
from kueuelab.workshop.progress import Progress

if TYPE_CHECKING:
    from kueuelab.studio.studio_view import Studio
    from kueuelab.workshop.spec import ExerciseSpec

__all__ = ["ExerciseList"]

_COLUMNS: Final = " ".join(["max-content", "minmax(14em,1fr)"] + 2 * ["max-content"])


class ExerciseList:
    """A button for each exercise, its title, its length, and its state."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._progress = html()
        self._rows = ipywidgets.GridBox()
        self._rows.layout.grid_template_columns = _COLUMNS
        self._rows.layout.grid_gap = "2px 12px"
        self.widget = ipywidgets.VBox([self._progress, self._rows])

    def show(self) -> None:
        """Show how far the exercises are."""
        self._studio.attempt(self._show)

    def _show(self) -> None:
        words = self._studio.words
        specs, records = library.specs(words), Progress().records()
        solved = sum(record.solved for record in records.values())
        text = words.text("studio.exercises.progress", solved=solved, count=len(specs))
        self._progress.value = markup("p", text)
        cells: list[Any] = []
        for spec in specs:
            record = records.get(spec.name)
            state = words.text(f"studio.exercises.{record.state if record else 'new'}")
            cells += self._row(spec, state)
        self._rows.children = cells

    def _row(self, spec: ExerciseSpec, state: str) -> list[Any]:
        words = self._studio.words
        choose = ipywidgets.Button(description=spec.name, tooltip=spec.title)
        choose.layout.width = "auto"
        choose.on_click(lambda _: self._open(spec.name))
        minutes = words.text("studio.exercises.minutes", count=spec.minutes)
        texts = (spec.title, minutes, state)
        return [choose, *(ipywidgets.HTML(markup("span", text)) for text in texts)]

    def _open(self, name: str) -> None:
        self._studio.attempt(partial(self._studio.open_exercise, name))
