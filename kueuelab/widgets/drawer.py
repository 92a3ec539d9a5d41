"""A drawer below a view: closed at first, and filled only while it is open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets

__all__ = ["Drawer"]


class Drawer:
    """Something with a title that opens on a click.

    Parameters
    ----------
    title
        What it says while it is closed, too.
    content
        The widget in it.
    fill
        Brings the content up to date; called while the drawer is open.
    """

    def __init__(self, title: str, content: Any, fill: Callable[[], None]) -> None:
        self._fill = fill
        self.widget = ipywidgets.Accordion(children=[content], titles=(title,))
        self.widget.add_class("kl-drawer")
        self.widget.observe(lambda _: self.refresh(), names="selected_index")

    @property
    def is_open(self) -> bool:
        """Whether somebody opened it."""
        return self.widget.selected_index is not None

    def open(self) -> None:
        """Open it."""
        self.widget.selected_index = 0

    def refresh(self) -> None:
        """Bring the content up to date if it is open."""
        if self.is_open:
            self._fill()
