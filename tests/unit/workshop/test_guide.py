"""The instructor's guide: its clock adds up, and what it names exists."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kueuelab import workshop
from kueuelab.cli import app

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "workshop" / "README.md").read_text("utf-8")
NOTEBOOKS = {file.stem for file in (ROOT / "notebooks").glob("*.ipynb")}
DAYS = {
    title: re.findall(r"^\| (\d+):(\d\d) \| (\d+) \| (.+?) \|", part, re.MULTILINE)
    for title, part in re.findall(r"^## (Half a day|A full day)\n(.*?)(?=^## )", PAGE, re.M | re.S)
}


@pytest.mark.parametrize(("title", "most"), [("Half a day", 240), ("A full day", 480)])
def test_each_part_begins_when_the_one_before_ends(title: str, most: int) -> None:
    now = 0
    for hours, minutes, length, part in DAYS[title]:
        assert int(hours) * 60 + int(minutes) == now, part
        now += int(length)
    assert 0 < now <= most


def test_every_part_exists() -> None:
    named = set(re.findall(r"`([a-z0-9]+(?:-[a-z0-9]+)+)`", PAGE)) - {"job-2"}
    assert named - NOTEBOOKS - set(workshop.names()) == set()


@pytest.mark.parametrize("title", DAYS)
def test_every_exercise_of_a_day_has_its_answer(title: str) -> None:
    used = {part.strip("`") for *_, part in DAYS[title]} & set(workshop.names())
    assert used
    for name in ("where-learners-get-stuck.md", "answer-keys.md"):
        assert f"]({name})" in PAGE
        linked = (ROOT / "docs" / "workshop" / name).read_text("utf-8")
        assert {exercise for exercise in used if f" (`{exercise}`)\n" not in linked} == set()


def test_there_is_time_for_each_exercise() -> None:
    times = {spec.name: spec.minutes for spec in workshop.specs()}
    short = [
        (part, length)
        for day in DAYS.values()
        for *_, length, part in day
        if int(length) < times.get(part.strip("`"), 0)
    ]
    assert short == []


@pytest.mark.parametrize("title", DAYS)
def test_a_day_has_the_order_of_the_course(title: str) -> None:
    done: list[str] = []
    for *_, part in DAYS[title]:
        name = part.strip("`")
        if name in workshop.names():
            spec = workshop.library.spec(name)
            assert {spec.taught_in, *spec.requires} <= set(done), name
        done.append(name)
    notebooks = [name for name in done if name in NOTEBOOKS]
    exercises = [name for name in done if name in workshop.names()]
    assert notebooks == sorted(notebooks)
    assert exercises == sorted(exercises, key=workshop.names().index)


@pytest.mark.parametrize("command", sorted(set(re.findall(r"`kueuelab ([a-z ]+)", PAGE))))
def test_every_command_exists(command: str) -> None:
    known = [word for word in shlex.split(command) if word not in ("course",)]
    assert CliRunner().invoke(app, [*known, "--help"]).exit_code == 0
