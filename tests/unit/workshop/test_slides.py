"""What of a notebook is on its slides."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from kueuelab.workshop.slides.making import slides_page
from kueuelab.workshop.slides.planning import is_bare_heading, slides_of

NOTEBOOKS = sorted((Path(__file__).parents[3] / "notebooks").glob("[0-9]*.ipynb"))


def slides_in(path: Path) -> list[list[dict[str, Any]]]:
    """Return the cells of each slide of a notebook, without the notes."""
    found: list[list[dict[str, Any]]] = []
    for cell in slides_of(nbformat.read(path, as_version=4)["cells"]):
        kind = cell["metadata"]["slideshow"]["slide_type"]
        if kind == "slide":
            found.append([cell])
        elif kind == "-":
            found[-1].append(cell)
        else:
            assert kind == "notes", "a slide below another one is skipped by the arrow key"
    return found


@pytest.mark.parametrize("path", NOTEBOOKS[1:], ids=lambda path: path.stem)
def test_no_slide_has_a_title_alone(path: Path) -> None:
    slides = slides_in(path)
    assert len(slides) > 10
    assert [slide[0]["source"] for slide in slides if is_bare_heading(slide[-1])] == []


def test_the_first_slides_say_what_kueue_is() -> None:
    titles = [slide[0]["source"].splitlines()[0] for slide in slides_in(NOTEBOOKS[1])]
    assert titles[:3] == ["# A first preemption", "## What is Kueue?", "## Seven terms"]


def test_the_arrow_key_goes_to_each_slide() -> None:
    path = NOTEBOOKS[1]
    page, count = slides_page(nbformat.read(path, as_version=4), path.stem, path.parent)
    assert count == len(slides_in(path))
    # A stack has one slide in it: nothing is below another one.
    assert len(re.findall(r"<section\b", page)) == 2 * count
    assert 'navigationMode: "linear"' in page


@pytest.mark.parametrize("path", NOTEBOOKS[1:], ids=lambda path: path.stem)
def test_the_title_slide_has_question_time_and_picture(path: Path) -> None:
    first = json.loads(path.read_text("utf-8"))["cells"][0]
    prose = {**first, "source": "".join(first["source"])}
    title, *notes = slides_of([prose])
    assert title["metadata"]["slideshow"]["slide_type"] == "slide"
    for part in ("# ", "?", "**Time:** ", f"](pictures/{path.stem}.svg)"):
        assert part in title["source"]
    # What is said about the picture is in the notes.
    assert notes[0]["metadata"]["slideshow"]["slide_type"] == "notes"
    assert notes[0]["source"]
