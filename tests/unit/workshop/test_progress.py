"""Progress: one file, always whole."""

from __future__ import annotations

import json
import os
from datetime import date
from pathlib import Path

import pytest

from kueuelab.errors import InputError
from kueuelab.workshop import Progress
from kueuelab.workshop.progress import Record


def test_nothing_is_written_before_something_happens(tmp_path: Path) -> None:
    progress = Progress(tmp_path / "sub" / "progress.json")
    assert progress.records() == {}
    assert list(tmp_path.iterdir()) == []


def test_what_was_solved_stays_solved(tmp_path: Path) -> None:
    progress = Progress(tmp_path / "progress.json", lambda: date(2026, 3, 2))
    progress.checked("a", 2, 3)
    assert progress.of("a").state == "tried"
    progress.checked("a", 3, 3)
    progress.checked("a", 1, 3)
    assert progress.of("a") == Record(checks=3, passed=1, of=3, solved=True, solved_on="2026-03-02")
    assert repr(progress) == "<Progress: 1 solved>"


def test_another_process_may_write_in_between(tmp_path: Path) -> None:
    one, other = (Progress(tmp_path / "progress.json") for _ in range(2))
    one.checked("a", 1, 1)
    other.checked("b", 1, 1)
    assert set(one.records()) == {"a", "b"}
    one.forget("a")
    assert set(other.records()) == {"b"}


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    progress = Progress(tmp_path / "progress.json")
    progress.checked("a", 1, 1)
    before = progress.path.read_bytes()

    def no_room(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_room)
    with pytest.raises(OSError, match="No space"):
        progress.checked("b", 1, 1)
    assert progress.path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["progress.json"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "this is not JSON"),
        ("[]", 'no "format": "kueuelab-progress"'),
        ("{}", 'no "format": "kueuelab-progress"'),
        ('{"version": 1, "exercises": {"a": {"stars": 5}}}', "cannot be read"),
        ('{"version": 1}', "cannot be read"),
    ],
)
def test_a_file_of_something_else_is_refused(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "progress.json"
    file.write_text(text, "utf-8")
    with pytest.raises(InputError, match=words):
        Progress(file).checked("a", 1, 1)
    assert file.read_text("utf-8") == text


def test_the_variable_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUEUELAB_PROGRESS", str(tmp_path / "mine.json"))
    Progress().checked("a", 1, 2)
    assert json.loads((tmp_path / "mine.json").read_text("utf-8"))["version"] == 5
