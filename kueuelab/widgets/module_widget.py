"""What all widgets of the front end's modules share: the modules, and answers to what they ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

import anywidget
import traitlets
from ipywidgets import widget_serialization

from kueuelab import frontend
from kueuelab.frontend.packing import Packed

__all__ = ["AnsweringWidget", "LinkWidget", "ModuleWidget", "ModulesWidget"]

#: A widget without a view.
_NOTHING: Final = "export default {};"


class _Modules(anywidget.AnyWidget):
    """Holds modules for all widgets of the kernel that need them: a notebook saves them once."""

    _esm = _NOTHING
    packed = traitlets.Unicode().tag(sync=True)

    _held: ClassVar[dict[str, _Modules]] = {}

    @classmethod
    def held(cls, brought: Packed) -> _Modules:
        """Return the one of this kernel; a new one, if it was closed."""
        found = cls._held.get(brought.key)
        if found is None or found.comm is None:
            found = cls._held[brought.key] = cls(packed=brought.text)
        return found


class ModulesWidget(anywidget.AnyWidget):
    """A widget that modules draw, which are packed in another one.

    Parameters
    ----------
    brought
        The modules.
    """

    _esm = frontend.widget_module()
    modules = traitlets.Instance(anywidget.AnyWidget).tag(sync=True, **widget_serialization)
    modules_key = traitlets.Unicode().tag(sync=True)

    def __init__(self, brought: Packed, **values: Any) -> None:
        super().__init__(modules=_Modules.held(brought), modules_key=brought.key, **values)


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


class ModuleWidget(AnsweringWidget, ModulesWidget):
    """A widget that the front end's modules draw."""

    document = _PackedDict()
    #: Whether it is drawn before it comes into view: it was just asked for.
    at_once = traitlets.Bool(False).tag(sync=True)

    def __init__(self, **values: Any) -> None:
        super().__init__(brought=frontend.modules(), **values)
