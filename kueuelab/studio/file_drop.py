"""A place for files of the browser's machine: a button, and where files are dropped."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import anywidget
import traitlets

__all__ = ["FileDrop"]


class FileDrop(anywidget.AnyWidget):
    """Gives the name and the content of each file to ``receive``."""

    _esm = (Path(__file__).parent / "file_drop.js").read_text("utf-8")
    label = traitlets.Unicode("").tag(sync=True)

    def __init__(self, label: str, receive: Callable[[str, bytes], object]) -> None:
        super().__init__(label=label)
        self._receive = receive
        self.on_msg(self._received)

    def _received(self, _: Any, message: Any, buffers: Sequence[Any]) -> None:
        if isinstance(message, Mapping) and buffers:
            self._receive(str(message.get("name", "")), bytes(buffers[0]))
