"""The parts of the views that run in the browser, and what every view is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any, Final

import anywidget
import ipywidgets
import traitlets

from kueuelab.messages import Catalog, language_of
from kueuelab.messages.catalog import say_script
from kueuelab.widgets.board import Board

__all__ = [
    "ChoiceTable",
    "SaidData",
    "SaidText",
    "Scrubber",
    "Speaking",
    "View",
    "html",
    "markup",
    "rendered",
]

_STATIC: Final = Path(__file__).parent / "static"
_STYLE: Final = (_STATIC / "style.css").read_text("utf-8")


def rendered(words: Catalog, value: Any) -> Any:
    """Return plain JSON values with all messages in them in one language."""
    if isinstance(value, str):
        return words.render(value)
    if isinstance(value, Mapping):
        return {key: rendered(words, each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [rendered(words, each) for each in value]
    return value


class SaidText(traitlets.Unicode[str, str | bytes]):
    """A text that is shown: a message is rendered in the language of its widget."""

    def validate(self, obj: Any, value: Any) -> Any:
        """Return the text in the widget's language."""
        return super().validate(obj, rendered(obj.words, value))


class SaidData(traitlets.Any):
    """Plain JSON values; messages in them are rendered in the language of their widget."""

    def validate(self, obj: Any, value: Any) -> Any:
        """Return the values in the widget's language."""
        return rendered(obj.words, value)


class Speaking(anywidget.AnyWidget):
    """A widget whose ES module says sentences: it gets them as the trait ``sentences``.

    Parameters
    ----------
    language
        The language: a code, or a catalogue.
    """

    #: The ids of the sentences that the ES module says.
    said: tuple[str, ...] = ()
    sentences = traitlets.Dict().tag(sync=True)

    def __init__(self, *, language: str | Catalog | None = None, **traits: Any) -> None:
        self.words = language_of(language)
        super().__init__(sentences=self.words.table(self.said), **traits)


class Scrubber(Speaking):
    """A slider over steps with marks; it plays, and takes the keys pressed in its view."""

    _esm = say_script() + (_STATIC / "scrubber.js").read_text("utf-8")
    _css = _STYLE
    said = ("widgets.scrubber.hover", "widgets.scrubber.label")
    name = SaidText("").tag(sync=True)
    value = traitlets.Int(0).tag(sync=True)
    maximum = traitlets.Int(0).tag(sync=True)
    marks = traitlets.List(traitlets.Any()).tag(sync=True)
    text = traitlets.Unicode("").tag(sync=True)
    playing = traitlets.Bool(False).tag(sync=True)
    interval = traitlets.Int(500).tag(sync=True)


class ChoiceTable(Speaking):
    """A table with a caption, whose rows can be chosen by the cell in column ``link``."""

    _esm = (_STATIC / "table.js").read_text("utf-8")
    _css = _STYLE
    caption = SaidText("").tag(sync=True)
    columns = SaidData([]).tag(sync=True)
    rows = SaidData([]).tag(sync=True)
    link = traitlets.Int(0).tag(sync=True)
    selected = traitlets.Unicode("").tag(sync=True)


class View(ABC):
    """One view of a run. Displaying it shows its widget; as text it is there, too.

    Attributes
    ----------
    board
        What it shares with other views of the same run.
    widget
        The widget, to be put into a layout of one's own.
    """

    board: Board
    widget: Any

    #: Whether somebody can see it; while it is hidden it need not follow.
    visible: bool = True

    def set_visible(self, visible: bool) -> None:
        """Say whether somebody can see the view; it catches up when it is shown again."""
        if visible != self.visible:
            self.visible = visible
            if visible:
                self.refresh()

    def refresh(self) -> None:  # noqa: B027
        """Catch up with the board."""

    @abstractmethod
    def as_text(self) -> str:
        """Return what it shows as plain text."""

    def __repr__(self) -> str:
        board = self.board
        return f"<{type(self).__name__} at step {board.index + 1} of {len(board.trace)}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        shown = self.widget._repr_mimebundle_()
        bundle = dict(shown[0] if isinstance(shown, tuple) else shown)
        bundle["text/plain"] = self.as_text()
        return bundle


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
