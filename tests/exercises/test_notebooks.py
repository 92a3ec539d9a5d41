"""Source notebooks, and the learners' copies that are made from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import nbformat
import pytest
from nbclient import NotebookClient

from kueuelab import workshop
from kueuelab.workshop.solution import learner_copy, solution_of

MEGABYTE = 1_000_000
SPECS = [pytest.param(spec, id=spec.name) for spec in workshop.specs()]


def cells(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["cells"]
    return found


@pytest.mark.parametrize("spec", SPECS)
def test_the_learners_copy_is_up_to_date(spec: Any) -> None:
    made = learner_copy(spec.source.read_text("utf-8"))
    assert spec.notebook.read_text("utf-8") == made, "run: python -m kueuelab.workshop.copies"


@pytest.mark.parametrize("spec", SPECS)
def test_no_solution_is_in_the_learners_copy(spec: Any) -> None:
    solution = solution_of(spec.source)
    assert solution.strip()
    copy = spec.notebook.read_text("utf-8")
    assert "SOLUTION" not in copy
    given = "".join("".join(cell["source"]) for cell in cells(spec.notebook))
    lines = [line.strip() for line in solution.splitlines()]
    telling = [line for line in lines if len(line) > 12 and line not in spec.start]
    scaffold = {line.strip() for cell in cells(spec.source) for line in _stub(cell).splitlines()}
    left = [
        line
        for line in telling
        if line in given and not any(each.startswith(line) for each in scaffold)
    ]
    assert left == []


def _stub(cell: dict[str, Any]) -> str:
    found: str = cell["metadata"].get("kueuelab", {}).get("stub", "")
    return found


@pytest.mark.parametrize("spec", SPECS)
def test_source_notebooks_are_marked_for_nbgrader(spec: Any) -> None:
    nbformat.validate(nbformat.read(spec.source, as_version=4))
    nbformat.validate(nbformat.read(spec.notebook, as_version=4))
    marks = [
        cell["metadata"]["nbgrader"]
        for cell in cells(spec.source)
        if "nbgrader" in cell["metadata"]
    ]
    assert [(mark["solution"], mark["grade"]) for mark in marks] == [(True, False), (False, True)]
    assert all(cell.get("outputs", []) == [] for cell in cells(spec.source))


#: What nbgrader's cell metadata of version 3 has to hold.
NBGRADER = {
    "type": "object",
    "required": ["schema_version", "grade_id", "cell_type", "grade", "solution", "locked", "task"],
    "properties": {
        "schema_version": {"const": 3},
        "grade_id": {"type": "string", "pattern": "^[a-zA-Z0-9_-]+$"},
        "cell_type": {"enum": ["code", "markdown", "raw"]},
        "grade": {"type": "boolean"},
        "solution": {"type": "boolean"},
        "locked": {"type": "boolean"},
        "task": {"type": "boolean"},
        "points": {"type": "number", "minimum": 0},
        "checksum": {"type": "string"},
    },
    "additionalProperties": False,
    "if": {"properties": {"grade": {"const": True}}},
    "then": {"required": ["points"]},
    "else": {"not": {"required": ["points"]}},
}


@pytest.mark.parametrize("spec", SPECS)
def test_the_marks_are_of_nbgraders_version_3(spec: Any) -> None:
    for path in (spec.source, spec.notebook):
        marked = [cell for cell in cells(path) if "nbgrader" in cell["metadata"]]
        for cell in marked:
            jsonschema.validate(cell["metadata"]["nbgrader"], NBGRADER)
            assert cell["metadata"]["nbgrader"]["cell_type"] == cell["cell_type"]
        ids = [cell["metadata"]["nbgrader"]["grade_id"] for cell in marked]
        assert len(ids) == len(set(ids)) == 2


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
def test_the_solution_notebook_runs_and_passes(
    spec: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUEUELAB_PROGRESS", str(tmp_path / "progress.json"))
    notebook = nbformat.read(spec.source, as_version=4)
    client = NotebookClient(
        notebook, timeout=900, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    )
    client.execute()  # its last cell asserts that the exercise is solved
    # With all views and their state, as it is saved after a run.
    assert len(nbformat.writes(notebook).encode()) < MEGABYTE
    assert workshop.Progress(tmp_path / "progress.json").of(spec.name).state == "solved"


@pytest.mark.parametrize("spec", SPECS)
def test_feedback_of_an_unsolved_exercise_adds_little_to_a_notebook(
    spec: Any, tmp_path: Path
) -> None:
    exercise = workshop.exercise(spec.name, tmp_path, progress=tmp_path / "progress.json")
    shown = exercise.check()._repr_mimebundle_()
    # A learner checks some answers before one is right; each cell keeps the last feedback only.
    assert len(json.dumps(shown)) < MEGABYTE // 4
