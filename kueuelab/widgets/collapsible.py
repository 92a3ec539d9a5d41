"""Sections that are closed at first, and made when they are opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets

__all__ = ["collapsible"]


def collapsible(
    sections: Mapping[str, Callable[[], Any]], opened: Callable[[int], None] | None = None
) -> Any:
    """Return an accordion whose sections are made when each is first opened.

    A notebook saves every widget that was made, also those that were never shown.

    Parameters
    ----------
    sections
        What makes the widget of each section, by its title.
    opened
        Called with the number of a section that was opened.

    Examples
    --------
    >>> found = collapsible({"More": lambda: ipywidgets.Label("all of it")})
    >>> found.selected_index = 0
    >>> found.children[0].value
    'all of it'
    """
    makers = list(sections.values())
    found = ipywidgets.Accordion(
        children=[ipywidgets.Box() for _ in makers], titles=tuple(sections)
    )
    made: set[int] = set()

    def chosen(change: Mapping[str, Any]) -> None:
        number = change["new"]
        if number is None:
            return
        if number not in made:
            made.add(number)
            children = list(found.children)
            children[number] = makers[number]()
            found.children = children
        if opened is not None:
            opened(number)

    found.observe(chosen, names="selected_index")
    return found
