"""Controls that more than one page has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets

from kueuelab.messages import Catalog

__all__ = ["button", "text_box"]


def button(
    words: Catalog, name: str, hover: str, action: Callable[[], object], *, main: bool = False
) -> Any:
    """Return a button as wide as its text.

    Parameters
    ----------
    words
        The language.
    name, hover
        The ids of its text and of its hover.
    action
        What it does.
    main
        Whether it is what people press first.
    """
    found = ipywidgets.Button(
        description=words.text(name),
        tooltip=words.text(hover),
        button_style="primary" if main else "",
    )
    found.layout.width = "auto"
    found.layout.flex = "0 0 auto"
    found.on_click(lambda _: action())
    return found


def text_box(words: Catalog, name: str, example: str, width: str = "30em") -> Any:
    """Return a labelled line of text."""
    found = ipywidgets.Text(description=words.text(name), placeholder=words.text(example))
    found.style.description_width = "initial"
    found.layout.width = width
    return found
