"""What all widgets of the front end's modules share: the modules, and answers to what they ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import anywidget
import traitlets
from ipywidgets import widget_serialization

from kueuelab import frontend

__all__ = ["AnsweringWidget", "LinkWidget", "ModuleWidget"]

#: A widget without a view.
_NOTHING: Final = "export default {};"


class _Modules(anywidget.AnyWidget):
    """Holds the front end's modules for all widgets of the kernel: a notebook saves them once."""

    _esm = _NOTHING
    packed = traitlets.Unicode().tag(sync=True)

    _held: _Modules | None = None

    @classmethod
    def held(cls) -> _Modules:
        """Return the one of this kernel; a new one, if it was closed."""
        if cls._held is None or cls._held.comm is None:
            cls._held = cls(packed=frontend.modules().text)
        return cls._held


class _PackedDict(traitlets.Dict):
    """A dictionary that goes to the browser packed, and is saved so with a notebook."""

    def __init__(self) -> None:
        super().__init__()
        self.tag(sync=True, to_json=lambda value, _: frontend.packed(frontend.sent(value)))


class AnsweringWidget(anywidget.AnyWidget):
    """A widget whose questions Python answers."""

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.on_msg(self._asked)

    def _answer_to(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the answer to a question of the browser."""
        raise NotImplementedError

    def _asked(self, _: Any, question: Any, __: Any) -> None:
        if isinstance(question, Mapping) and "id" in question:
            self.send({**self._answer_to(question), "id": question["id"]})


class LinkWidget(AnsweringWidget):
    """The kernel of views that are part of a page: it is never displayed itself.

    Attributes
    ----------
    board
        The id of the views.
    """

    _esm = frontend.link_module()
    board = traitlets.Unicode("").tag(sync=True)


class ModuleWidget(AnsweringWidget):
    """A widget that the front end's modules draw."""

    _esm = frontend.widget_module()
    modules = traitlets.Instance(anywidget.AnyWidget).tag(sync=True, **widget_serialization)
    modules_key = traitlets.Unicode(frontend.modules().key).tag(sync=True)
    document = _PackedDict()
    #: Whether it is drawn before it comes into view: it was just asked for.
    at_once = traitlets.Bool(False).tag(sync=True)

    def __init__(self, **values: Any) -> None:
        super().__init__(modules=_Modules.held(), **values)
