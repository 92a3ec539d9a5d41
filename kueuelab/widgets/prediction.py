"""Predict first, then look: a question whose answer is shown only after a choice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import ipywidgets

from kueuelab.messages import Catalog, language_of
from kueuelab.widgets.form_note import display_form
from kueuelab.widgets.forms import html, markup

__all__ = ["Prediction"]


class Prediction:
    """A question with answers to choose from, and what really happens behind a button.

    Parameters
    ----------
    question
        What to think about.
    options
        The answers to choose from.
    answer
        The right one.
    because
        Why it is right.
    keep
        Called with the choice when the answer is shown.
    chosen
        The answer that was chosen before.

    Examples
    --------
    >>> jobs = ["job-0", "job-1"]
    >>> asked = Prediction("Which job is preempted?", jobs, "job-1", "Its priority is lower.")
    >>> print(asked.as_text())
    Which job is preempted?
      ( ) job-0
      ( ) job-1
    >>> asked.choose("job-0")
    >>> print(asked.as_text())
    Which job is preempted?
      (x) job-0
      ( ) job-1
    Not this time: job-1. Its priority is lower.
    """

    def __init__(
        self,
        question: str,
        options: Sequence[str],
        answer: str,
        because: str,
        *,
        keep: Callable[[str], object] | None = None,
        chosen: str | None = None,
        language: str | Catalog | None = None,
    ) -> None:
        words = self._words = language_of(language)
        if answer not in options:
            raise ValueError(f"the answer {answer!r} is not among the options")
        self.question = question
        self.options = tuple(options)
        self.answer = answer
        self.because = because
        self._keep = keep
        self._revealed = False
        before = chosen if chosen in self.options else None
        self._choices = ipywidgets.RadioButtons(options=self.options, value=before)
        self._choices.layout.width = "max-content"
        self._button = ipywidgets.Button(
            description=words.text("widgets.prediction.reveal"),
            tooltip=words.text("widgets.prediction.prompt"),
            disabled=before is None,
        )
        self._verdict = html("kl-note")
        asked = html("kl-note")
        asked.value = markup("p", question, "kl-kind")
        self._choices.observe(self._chosen, names="value")
        self._button.on_click(lambda _: self._reveal())
        self.widget = ipywidgets.VBox([asked, self._choices, self._button, self._verdict])
        self.widget.add_class("kl-prediction")

    def choose(self, option: str) -> None:
        """Choose an answer and reveal the right one."""
        self._choices.value = option
        self._reveal()

    def as_text(self) -> str:
        """Return the question, and the answer once it is revealed."""
        lines = [self.question]
        for option in self.options:
            lines.append(f"  ({'x' if option == self._choices.value else ' '}) {option}")
        return "\n".join([*lines, *([self._answer()] if self._revealed else [])])

    def __repr__(self) -> str:
        return f"<Prediction {self.question!r}>"

    def _ipython_display_(self) -> None:
        options = "\n".join(f"  ( ) {option}" for option in self.options)
        answer = self._words.text(
            "widgets.prediction.answer", answer=self.answer, because=self.because
        )
        display_form(self.widget, self.question, options, self._words, answer)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        shown = self.widget._repr_mimebundle_()
        bundle = dict(shown[0] if isinstance(shown, tuple) else shown)
        bundle["text/plain"] = self.as_text()
        return bundle

    def _answer(self) -> str:
        if self._choices.value == self.answer:
            return self._words.text("widgets.prediction.right", because=self.because)
        return self._words.text(
            "widgets.prediction.wrong", answer=self.answer, because=self.because
        )

    def _chosen(self, _: Any) -> None:
        self._button.disabled = False
        self._revealed = False
        self._verdict.value = ""

    def _reveal(self) -> None:
        if self._keep is not None and self._choices.value is not None:
            self._keep(self._choices.value)
        self._revealed = True
        self._verdict.value = f'<p role="status">{escape(self._answer())}</p>'
