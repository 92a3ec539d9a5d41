"""What views show in another language: a text that is not in a catalogue keeps its letters."""

import html
import re
from collections.abc import Iterator
from typing import Any

import pytest

import kueuelab.multikueue as mk
from kueuelab import scenarios
from kueuelab.widgets import Lab, MultiKueueBoard, Prediction, QueuesPanel, Stepper

_LETTERS = re.compile(r"[A-Za-z]")
_TRAITS = ("description", "tooltip", "placeholder", "caption", "name", "hint")


def is_plain(text: str) -> bool:
    return _LETTERS.search(text) is not None and "[!!" not in text


def texts(widget: Any) -> Iterator[tuple[str, str]]:
    """Yield the labels, hovers and captions of a widget and of all inside it."""
    for name in _TRAITS:
        if name in widget.traits() and isinstance(getattr(widget, name), str):
            yield f"{type(widget).__name__}.{name}", getattr(widget, name)
    for title in getattr(widget, "titles", ()):
        yield f"{type(widget).__name__}.titles", title
    for child in getattr(widget, "children", ()):
        yield from texts(child)


@pytest.mark.parametrize("view", [Stepper, Lab, QueuesPanel])
def test_labels_and_hovers_are_in_the_language(view: Any) -> None:
    shown = view(scenarios.load("within-1-all-in-one-queue").run(), language="en-XA")
    plain = [each for each in texts(shown.widget) if is_plain(each[1])]
    assert not plain


def test_labels_of_several_clusters_are_in_the_language() -> None:
    view = MultiKueueBoard(mk.load("lost-worker").run(), language="en-XA")
    kept = {"stepSize", "seed"}
    plain = [text for _, text in texts(view.widget) if is_plain(text)]
    assert not set(plain) - kept
    lanes = view.pane.frames.frame(60)["lanes"]
    assert all("[!!" in lane["role"] for lane in lanes.values() if lane["role"])
    assert all(
        "[!!" in queue["text"] for lane in lanes.values() for queue in lane["queues"].values()
    )


def test_a_document_is_in_the_language() -> None:
    view = Lab(scenarios.load("within-1-all-in-one-queue").run(), language="en-XA")
    document = view.document.as_data()
    assert document["language"] == document["words"]["language"] == "en-XA"
    assert all("[!!" in str(forms) for forms in document["words"]["messages"].values())
    (chunk,) = document["chunks"].values()
    assert "[!!" in chunk["key"]["sentence"]
    rows = [row for patch in chunk["patches"] for row in (patch.get("candidates") or {}).values()]
    assert all("[!!" in row["why"] for row in rows if row and "why" in row)


def test_the_answer_of_a_prediction_is_in_the_language() -> None:
    asked = Prediction("?", ["a", "b"], "a", "So it is.", language="en-XA")
    asked.choose("b")
    assert html.unescape(asked._verdict.value).count("[!!") == 1
