"""Widgets of the page that are not forms: the tree, and the axis of time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import anywidget
import traitlets

__all__ = ["STYLE", "TimeAxis", "TreeControl"]

_HERE: Final = Path(__file__).parent
STYLE: Final = (_HERE / "build.css").read_text("utf-8")


class _Telling(anywidget.AnyWidget):
    """Calls ``on_action`` with what a person does in the browser."""

    label = traitlets.Unicode("").tag(sync=True)
    selected = traitlets.Unicode("").tag(sync=True)

    def __init__(self, on_action: Callable[[Mapping[str, Any]], object], **values: Any) -> None:
        super().__init__(**values)
        self._on_action = on_action
        self.on_msg(self._received)

    def _received(self, _: Any, content: Any, __: Any) -> None:
        if isinstance(content, Mapping) and "do" in content:
            self._on_action(content)


class TreeControl(_Telling):
    """The tree of a draft: rows with ``id``, ``level``, ``name``, ``kind`` and ``wrong``."""

    _esm = (_HERE / "tree.js").read_text("utf-8")
    hint = traitlets.Unicode("").tag(sync=True)
    rows = traitlets.List(traitlets.Dict()).tag(sync=True)


class TimeAxis(_Telling):
    """Jobs on an axis of time: ``id``, ``name``, ``at`` and ``runs`` in seconds, ``text``."""

    _esm = (_HERE / "time_axis.js").read_text("utf-8")
    jobs = traitlets.List(traitlets.Dict()).tag(sync=True)
