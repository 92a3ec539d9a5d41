"""Copies for learners never overwrite their work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kueuelab import workshop
from kueuelab.errors import InputError, KueueLabError
from kueuelab.workshop import starter
from kueuelab.workshop.starter import init_folder, start_exercise


def outcomes(copied: list[starter.Copied]) -> dict[str, str]:
    return {each.path.name: each.outcome for each in copied}


def test_everything_is_copied_but_solutions(tmp_path: Path) -> None:
    copied = init_folder(tmp_path / "course")
    assert {each.outcome for each in copied} == {"written"}
    names = {each.path.relative_to(tmp_path / "course").as_posix() for each in copied}
    for name in workshop.names():
        assert f"exercises/{name}/{name}.ipynb" in names
    assert "notebooks/01-first-preemption.ipynb" in names
    assert "scenarios/tutorial/cohort-1-borrowing.yaml" in names
    assert not [name for name in names if ".source." in name or name.endswith("exercise.yaml")]


def test_what_notebooks_read_is_beside_them(tmp_path: Path) -> None:
    init_folder(tmp_path)
    source = Path(__file__).parents[3] / "notebooks" / "recordings"
    recordings = [each for each in source.rglob("*") if each.is_file()]
    assert {each.suffix for each in recordings} >= {".gz", ".csv", ".yaml"}
    for each in recordings:
        copy = tmp_path / "notebooks" / "recordings" / each.relative_to(source)
        assert copy.read_bytes() == each.read_bytes()
    assert {each.outcome for each in init_folder(tmp_path)} == {"unchanged"}


def test_a_learners_work_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start_exercise("take-back", tmp_path)
    answer = tmp_path / "answer.yaml"
    answer.write_text("# mine\n", "utf-8")
    again = outcomes(start_exercise("take-back", tmp_path))
    assert again == {"take-back.ipynb": "unchanged", "answer.yaml": "kept"}
    assert answer.read_text("utf-8") == "# mine\n"

    # A newer release brings other files: what is as it was delivered is updated.
    monkeypatch.setattr(
        starter,
        "_learner_files",
        lambda spec: iter([("take-back.ipynb", "new\n"), ("answer.yaml", "new\n")]),
    )
    newer = outcomes(start_exercise("take-back", tmp_path))
    assert newer == {"take-back.ipynb": "updated", "answer.yaml": "kept"}
    assert answer.read_text("utf-8") == "# mine\n"


def test_what_was_there_before_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "answer.yaml").write_text("# from elsewhere\n", "utf-8")
    assert outcomes(start_exercise("take-back", tmp_path))["answer.yaml"] == "kept"
    assert "answer.yaml" not in json.loads((tmp_path / ".kueuelab.json").read_text("utf-8"))


def test_a_dispatcher_begins_with_a_script(tmp_path: Path) -> None:
    assert "answer.py" in outcomes(start_exercise("external-dispatcher", tmp_path))


def test_folders_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(KueueLabError, match="is a file"):
        init_folder(tmp_path / "file")
    (tmp_path / ".kueuelab.json").write_text("{", "utf-8")
    with pytest.raises(InputError, match="cannot be read"):
        start_exercise("take-back", tmp_path)
