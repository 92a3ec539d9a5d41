"""A widget for documents that no board follows: comparisons and charts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import anywidget
import traitlets

from kueuelab import frontend
from kueuelab.views.merge_patch import Json

__all__ = ["StillView"]


class StillView(anywidget.AnyWidget):
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

    _esm = frontend.widget_module()
    _css = frontend.style()
    document = traitlets.Dict().tag(sync=True)
    at_once = traitlets.Bool(False).tag(sync=True)

    def __init__(
        self,
        document: Json,
        answer: Callable[[Mapping[str, Any]], Json],
        *,
        at_once: bool = False,
    ) -> None:
        self._answer = answer
        super().__init__(document=document, at_once=at_once)
        self.on_msg(self._asked)

    def _asked(self, _: Any, question: Any, __: Any) -> None:
        if isinstance(question, Mapping) and "ask" in question:
            self.send({**self._answer(question), "id": question.get("id")})
