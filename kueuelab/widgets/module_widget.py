"""What all widgets of the front end's modules share: the modules, and answers to what they ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anywidget
import traitlets

from kueuelab import frontend

__all__ = ["ModuleWidget"]


class ModuleWidget(anywidget.AnyWidget):
    """A widget that the front end's modules draw, and whose questions Python answers."""

    _esm = frontend.widget_module()
    #: Whether it is drawn before it comes into view: it was just asked for.
    at_once = traitlets.Bool(False).tag(sync=True)

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.on_msg(self._asked)

    def _answer_to(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the answer to a question of the browser."""
        raise NotImplementedError

    def _asked(self, _: Any, question: Any, __: Any) -> None:
        if isinstance(question, Mapping) and "id" in question:
            self.send({**self._answer_to(question), "id": question["id"]})
