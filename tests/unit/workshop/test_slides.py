"""What of a notebook is on its slides."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kueuelab.workshop.slides.planning import slides_of

NOTEBOOKS = sorted((Path(__file__).parents[3] / "notebooks").glob("[0-9]*.ipynb"))


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
