"""A collapsible part below a view: closed at first, and updated only while it is open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets

__all__ = ["Collapsible"]


class Collapsible:
    """A widget under a title that opens on a click.

    Parameters
    ----------
    title
        The title, also shown while it is closed.
    content
        The widget inside.
    fill
        Updates the content; called while it is open.
    """

    def __init__(self, title: str, content: Any, fill: Callable[[], None]) -> None:
        self._fill = fill
        self.widget = ipywidgets.Accordion(children=[content], titles=(title,))
        self.widget.add_class("kl-collapsible")
        self.widget.observe(lambda _: self.refresh(), names="selected_index")

    @property
    def is_open(self) -> bool:
        """Whether it is open."""
        return self.widget.selected_index is not None

    def open(self) -> None:
        """Open it."""
        self.widget.selected_index = 0

    def refresh(self) -> None:
        """Update the content if it is open."""
        if self.is_open:
            self._fill()
