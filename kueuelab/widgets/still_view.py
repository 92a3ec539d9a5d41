"""A widget for documents that no board follows: comparisons and charts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kueuelab.views.merge_patch import Json
from kueuelab.widgets.module_widget import ModuleWidget

__all__ = ["StillView"]


class StillView(ModuleWidget):
    """Shows a document; where it has steps, it is stepped through in the browser alone.

    Parameters
    ----------
    document
        What is shown.
    answer
        Answers what the browser asks.
    at_once
        Drawn although it is not in view yet: it was just asked for.
    """

    def __init__(
        self,
        document: Json,
        answer: Callable[[Mapping[str, Any]], Json],
        *,
        at_once: bool = False,
    ) -> None:
        self._answer = answer
        super().__init__(document=document, at_once=at_once)

    def _answer_to(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        return self._answer(question)
