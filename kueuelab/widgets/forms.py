"""Parts of forms: markup, lists of options, and how forms look."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any, Final

import ipywidgets

from kueuelab.messages import Catalog

__all__ = ["STYLE", "choice", "html", "markup", "options_in"]

#: The style sheet of forms.
STYLE: Final = (Path(__file__).parent / "static" / "forms.css").read_text("utf-8")


def html(*classes: str) -> Any:
    """Return an empty widget for markup."""
    found = ipywidgets.HTML()
    for name in classes:
        found.add_class(name)
    return found


def markup(tag: str, text: str, class_: str = "") -> str:
    """Return text in a tag, safe to be shown."""
    attribute = f' class="{escape(class_)}"' if class_ else ""
    return f"<{tag}{attribute}>{escape(text)}</{tag}>"


def options_in(words: Catalog, values: Iterable[str]) -> tuple[Any, ...]:
    """Return values as options: with another text where the language has one."""
    found = tuple(values)
    shown = tuple(map(words.render, found))
    return found if shown == found else tuple(zip(shown, found, strict=True))


def choice(label: str, hover: str, options: Iterable[str], words: Catalog) -> Any:
    """Return a labelled list of options that is as wide as it has to be.

    Parameters
    ----------
    label, hover
        The ids of the label and of the hover.
    options
        The values; messages among them are shown in the language.
    words
        The language.
    """
    found = ipywidgets.Dropdown(
        options=options_in(words, options),
        description=words.text(label),
        tooltip=words.text(hover),
    )
    found.style.description_width = "initial"
    found.layout.width = "auto"
    return found
