"""The start page: four doors, the whole tour, this learner's progress."""

from __future__ import annotations

import json
import re
from pathlib import Path

from kueuelab import workshop
from kueuelab.workshop.notebooks import first_notebook
from kueuelab.workshop.start_page import StartPage

DOORS = ["Tour", "Exercises", "My cluster", "Workshop"]
FOLDER = Path(__file__).parents[2] / "notebooks"
PAGE = FOLDER / "00-start.ipynb"
TEXT = "\n".join(
    "".join(cell["source"])
    for cell in json.loads(PAGE.read_text("utf-8"))["cells"]
    if cell["cell_type"] == "markdown"
)


def test_it_is_what_opens_first() -> None:
    assert first_notebook(FOLDER) == PAGE


def test_it_begins_with_what_there_is_to_do() -> None:
    first = "".join(json.loads(PAGE.read_text("utf-8"))["cells"][0]["source"])
    assert first == StartPage().as_markdown(), "python tests/refresh_notebooks.py writes it"


def test_it_has_four_doors() -> None:
    doors = re.findall(r"^\| \*\*(.+?)\*\* \|", TEXT, re.MULTILINE)
    assert doors == DOORS


def test_the_tour_is_whole_and_its_times_are_those_of_the_notebooks() -> None:
    rows = dict(re.findall(r"\]\((\d\d-[\w-]+\.ipynb)\) \| (\d+) min \|", TEXT))
    others = sorted(set(FOLDER.glob("*.ipynb")) - {PAGE})
    assert sorted(rows) == [path.name for path in others]
    for path in others:
        first = "".join(json.loads(path.read_text("utf-8"))["cells"][0]["source"])
        assert f"**Time:** {rows[path.name]} minutes." in first


def test_it_sends_to_an_exercise_that_can_be_begun() -> None:
    first, *_ = workshop.specs()
    assert f"[{first.name}](../exercises/{first.name}/{first.name}.ipynb)" in TEXT
    assert not first.requires
    others = [spec.name for spec in workshop.specs() if f"exercises/{spec.name}/" in TEXT]
    assert others == [first.name]


def test_every_link_leads_somewhere() -> None:
    for link in re.findall(r"\]\(([\w./-]+)\)", TEXT):
        assert (FOLDER / link).is_file(), link
