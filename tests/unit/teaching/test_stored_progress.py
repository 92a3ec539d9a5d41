"""The start page of a learner's folder has the progress before any cell is run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kueuelab.cli import lab
from kueuelab.teaching.stored_progress import show_progress
from kueuelab.workshop.notebooks import notebook_folder
from kueuelab.workshop.progress import Progress
from kueuelab.workshop.starter import init_folder

PAGE = Path("notebooks", "00-start.ipynb")


@pytest.fixture
def course(tmp_path: Path) -> Path:
    init_folder(tmp_path / "course")
    return tmp_path / "course"


def outputs(course: Path) -> list[Any]:
    cells = json.loads((course / PAGE).read_text("utf-8"))["cells"]
    return [each["outputs"] for each in cells if each["cell_type"] == "code"]


def outcome(course: Path) -> str:
    return {each.path: each.outcome for each in init_folder(course)}[course / PAGE]


def test_progress_and_map_are_there_before_a_cell_is_run(course: Path, tmp_path: Path) -> None:
    kept = Progress(tmp_path / "progress.json")
    assert outputs(course) == [[], []]
    assert show_progress(course / PAGE, kept)
    assert "0 of 28" in outputs(course)[0][0]["data"]["text/plain"]
    kept.checked("share-a-cohort", 1, 1)
    assert show_progress(course / PAGE, kept)
    (progress,), (picture,) = outputs(course)
    assert "1 of 28" in progress["data"]["text/plain"]
    assert "1 of 28" in progress["data"]["text/html"]
    assert picture["data"]["text/html"].startswith("<img alt=")


def test_the_lab_writes_it_before_it_starts(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from typer.testing import CliRunner

    from kueuelab.cli import app

    monkeypatch.setenv("KUEUELAB_PROGRESS", str(tmp_path / "progress.json"))
    seen: list[list[Any]] = []
    monkeypatch.setattr(lab, "_serve", lambda *_, **__: seen.append(outputs(course)))
    result = CliRunner().invoke(app, ["lab", str(course)])
    assert result.exit_code == 0, result.output
    assert all(seen[0])


def test_the_next_release_still_replaces_it(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It counts as delivered, as long as the learner did not change it."""
    kept = Progress(tmp_path / "progress.json")
    show_progress(course / PAGE, kept)
    assert outcome(course) == "updated"
    text = (course / PAGE).read_text("utf-8").replace("Four doors", "My doors")
    (course / PAGE).write_text(text, "utf-8")
    show_progress(course / PAGE, kept)
    assert all(outputs(course))
    assert outcome(course) == "kept"
    assert "My doors" in (course / PAGE).read_text("utf-8")


def test_originals_and_other_pages_are_left_alone(course: Path, tmp_path: Path) -> None:
    kept = Progress(tmp_path / "progress.json")
    original = notebook_folder(tmp_path) / PAGE.name
    before = original.read_bytes()
    assert not show_progress(original, kept)
    assert original.read_bytes() == before
    other = course / "notebooks" / "01-first-preemption.ipynb"
    assert not show_progress(other, kept)
    for text in ("no JSON", "{}", '{"cells": [1]}', '{"cells": []}'):
        (course / PAGE).write_text(text, "utf-8")
        assert not show_progress(course / PAGE, kept)
        assert (course / PAGE).read_text("utf-8") == text
