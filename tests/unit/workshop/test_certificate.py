"""A certificate has what was checked again, and nothing else."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date
from html import escape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kueuelab import workshop
from kueuelab.cli import app
from kueuelab.messages import english
from kueuelab.workshop.certificate import Certificate, certificate
from kueuelab.workshop.progress import Progress

NAME = "within-a-team"
START = workshop.exercise(NAME).manifests
RIGHT = START.replace(": Never", ": LowerPriority")
HOSTILE = "</title><script>alert(1)</script>\"'&$title ${name} __NAME__"
runner = CliRunner()


class Elements(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.names.append(tag)


def title_of(name: str) -> str:
    return next(spec.title for spec in workshop.specs() if spec.name == name)


def made(tmp_path: Path, *options: str) -> tuple[str, str]:
    page = tmp_path / "page.html"
    arguments = [str(tmp_path / "ada.json"), "-o", str(page), *(options or ("--name", "Ada"))]
    result = runner.invoke(app, ["workshop", "certificate", *arguments])
    assert result.exit_code == 0, result.output
    return page.read_text("utf-8"), result.stderr


def test_an_edited_file_gains_nothing(tmp_path: Path) -> None:
    """Neither a mark, nor a wrong answer, nor an exercise that does not exist."""
    progress = Progress(tmp_path / "ada.json")
    progress.checked(NAME, 7, 7, RIGHT)
    honest, said = made(tmp_path)
    assert said == ""
    assert title_of(NAME) in honest
    progress.checked("take-back", 5, 5, "")
    progress.checked("stop-the-loop", 5, 5, START)
    progress.checked("<b>mine</b>", 5, 5, RIGHT)
    edited, said = made(tmp_path)
    assert edited == honest
    for name in ("take-back", "stop-the-loop", "<b>mine</b>"):
        assert f"{name}: not confirmed, and not on the certificate" in said


def test_it_has_the_days_that_the_learners_machine_noted(tmp_path: Path) -> None:
    file, start = tmp_path / "ada.json", date(2026, 3, 2)
    Progress(file, lambda: start).checked(NAME, 7, 7, RIGHT)
    # What comes later does not change the day.
    Progress(file, lambda: date(2026, 4, 1)).checked(NAME, 7, 7, RIGHT)
    page, _ = made(tmp_path)
    assert f"<li>{title_of(NAME)} <time>2026-03-02</time></li>" in page
    assert "Solved on 2026-03-02. The date is that of the learner&#x27;s machine." in page
    days = {NAME: start, "take-back": date(2026, 3, 4)}
    page = Certificate("Ada", (NAME, "take-back"), (), 24, days).as_html(english())
    assert "Solved from 2026-03-02 to 2026-03-04." in page


@pytest.mark.parametrize("day", ["", "<b>today</b>", "2026-13-40"])
def test_what_is_no_day_is_left_out(day: str, tmp_path: Path) -> None:
    progress = Progress(tmp_path / "ada.json")
    progress.checked(NAME, 7, 7, RIGHT)
    progress.update(NAME, lambda record: replace(record, solved_on=day))
    page, _ = made(tmp_path)
    assert title_of(NAME) in page
    assert "<time>" not in page
    assert "Solved on" not in page


def test_nothing_solved_makes_no_page(tmp_path: Path) -> None:
    progress, page = tmp_path / "eve.json", tmp_path / "page.html"
    Progress(progress).checked(NAME, 7, 7, START)
    arguments = ["--name", "Eve", "-o", str(page), str(progress)]
    result = runner.invoke(app, ["workshop", "certificate", *arguments])
    assert result.exit_code == 1
    assert "no exercise is solved" in result.stderr
    assert not page.exists()


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_text("{", "utf-8")
    result = runner.invoke(app, ["workshop", "certificate", "--name", "Ada", str(file)])
    assert result.exit_code == 2
    assert "bad.json" in result.stderr


def page_of(name: str, *solved: str) -> str:
    return Certificate(name, solved, (), len(workshop.specs())).as_html(english())


def test_a_hostile_name_is_text() -> None:
    page, plain = page_of(HOSTILE, NAME), page_of("Ada", NAME)
    assert Elements(page).names == Elements(plain).names
    assert page == plain.replace(">Ada<", f">{escape(HOSTILE)}<")


@pytest.mark.parametrize("name", ["", " \n", "a\x1b[31m", "a\0b", "x" * 81])
def test_a_name_that_cannot_be_printed(name: str, tmp_path: Path) -> None:
    file = tmp_path / "ada.json"
    Progress(file).checked(NAME, 7, 7, RIGHT)
    result = runner.invoke(app, ["workshop", "certificate", "--name", name, str(file)])
    assert result.exit_code == 2
    assert "the name" in result.stderr


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    Progress(tmp_path / "ada.json").checked(NAME, 7, 7, RIGHT)
    first, _ = made(tmp_path)
    assert made(tmp_path)[0] == first
    shown = made(tmp_path, "--name", "  Ada  ", "--json")[0]
    assert shown == first


def test_the_page_loads_nothing_and_has_each_topic_once() -> None:
    names = [spec.name for spec in workshop.specs()]
    page = page_of("Ada", *names)
    assert not re.search(r"https?:|src=|url\(", page)
    assert '<html lang="en">' in page
    headings = re.findall("<h2>(.*?)</h2>", page)
    assert len(headings) == len(set(headings)) == len({s.topic for s in workshop.specs()})
    assert page.count("<li>") == len(names)
    assert "v0.19.2" in page


def test_what_is_written_is_said(tmp_path: Path) -> None:
    Progress(tmp_path / "ada.json").checked(NAME, 7, 7, RIGHT)
    page = tmp_path / "page.html"
    arguments = ["--name", "Ada", "-o", str(page), str(tmp_path / "ada.json")]
    result = runner.invoke(app, ["workshop", "certificate", *arguments, "--json"])
    expected = {"certificate": str(page), "solved": [NAME], "unconfirmed": [], "unchecked": []}
    assert json.loads(result.stdout) == expected


def test_code_that_is_not_checked_again_is_marked(tmp_path: Path) -> None:
    progress = Progress(tmp_path / "ada.json")
    progress.checked(NAME, 7, 7, RIGHT)
    progress.checked("external-dispatcher", 9, 9, "raise SystemExit")
    found = certificate("Ada", progress.path)
    assert (found.solved, found.unchecked) == ((NAME,), ("external-dispatcher",))
    page = found.as_html(english())
    assert page.count("(not checked again)") == 1
    assert "1 of" in page
