"""Controls that more than one page has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets

from kueuelab.messages import Catalog

__all__ = ["button", "offer", "selection", "text_box", "text_button"]


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


def selection(words: Catalog, name: str) -> Any:
    """Return a labelled list to choose one from; it is empty."""
    found = ipywidgets.Dropdown(description=words.text(name), options=[])
    found.style.description_width = "initial"
    found.layout.width = "auto"
    return found


def text_box(words: Catalog, name: str, example: str, width: str = "30em") -> Any:
    """Return a labelled line of text."""
    found = ipywidgets.Text(description=words.text(name), placeholder=words.text(example))
    found.style.description_width = "initial"
    found.layout.width = width
    return found


def offer(control: Any, options: Sequence[Any], default: int = 0) -> None:
    """Give a list other options; the value stays if it is among them."""
    before = control.value
    values = [each[1] if isinstance(each, tuple) else each for each in options]
    # The names of the values may be others.
    control.options = list(options)
    if before in values:
        control.value = before
    elif values:
        control.value = values[default]
    else:
        control.value = None


def text_button(text: str, action: Callable[[], object], *, hover: str = "") -> Any:
    """Return a button with a text of its own: a name, for example.

    Parameters
    ----------
    text, hover
        Its text and its hover.
    action
        What it does.
    """
    found = ipywidgets.Button(description=text, tooltip=hover or text)
    found.layout.width = "auto"
    found.layout.flex = "0 0 auto"
    found.on_click(lambda _: action())
    return found
