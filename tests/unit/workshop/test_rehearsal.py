"""A rehearsal runs parts of the course in order, and says which fail."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from kueuelab import workshop
from kueuelab.errors import KueueLabError, UnknownObjectError
from kueuelab.workshop import rehearsal
from kueuelab.workshop.starter import init_folder


def test_the_parts_are_all_notebooks_then_all_solutions(tmp_path: Path) -> None:
    init_folder(tmp_path)
    found = rehearsal.parts(tmp_path)
    notebooks = sorted(file.stem for file in (tmp_path / "notebooks").glob("*.ipynb"))
    assert list(found) == [*notebooks, *workshop.names()]
    assert found["take-back"] == workshop.exercise("take-back").spec.source
    # The order is that of the course, not that of the call.
    assert list(rehearsal.parts(tmp_path, ["take-back", "02", "01"])) == [
        "01-first-preemption",
        "02-queues-and-quotas",
        "take-back",
    ]
    with pytest.raises(UnknownObjectError, match="'nothing'"):
        rehearsal.parts(tmp_path, ["01", "nothing"])


def test_times_and_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    folders = []

    def run_notebook(text: str, folder: Path, environment: dict[str, str]) -> None:
        assert folder.is_dir()
        assert Path(environment["KUEUELAB_PROGRESS"]).parent in folder.parents
        folders.append(folder.name)
        if folder.name == "take-back":
            raise KueueLabError("NameError: x")

    monkeypatch.setattr(rehearsal, "run_notebook", run_notebook)
    ticks = count(0, 3)
    found = list(rehearsal.rehearse(["01", "take-back"], lambda: next(ticks)))
    assert folders == ["notebooks", "take-back"]
    assert [(each.seconds, each.error) for each in found] == [(3, ""), (3, "NameError: x")]


@pytest.mark.slow
def test_a_solution_runs_and_leaves_progress_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUEUELAB_PROGRESS", str(tmp_path / "progress.json"))
    (found,) = rehearsal.rehearse(["within-a-team"])
    assert found.error == ""
    assert list(tmp_path.iterdir()) == []
