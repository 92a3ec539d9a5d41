"""Drafts on disk: no file is replaced that was not named."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from kueuelab.errors import InputError
from kueuelab.manifests import load
from kueuelab.messages import english
from kueuelab.session.building.draft import Draft
from kueuelab.session.building.export import exercise_files, exported, manifests, notebook
from kueuelab.session.building.jobs import JobValues, with_job
from kueuelab.session.building.saving import saved
from kueuelab.workshop.reading import read_exercise


@pytest.fixture
def draft() -> Draft:
    found = Draft.new("lab").added("ClusterQueue", "physics", parent="university")
    found = found.added("LocalQueue", "jobs", parent="physics", namespace="physics")
    return with_job(found, JobValues("simulation", "jobs", runs="5m"))


def test_only_the_own_file_is_replaced(draft: Draft, tmp_path: Path) -> None:
    file = tmp_path / "queues.yaml"
    file.write_text("# mine\n", "utf-8")
    with pytest.raises(InputError, match="exists already"):
        saved(draft, file)
    with pytest.raises(InputError, match="Name the file"):
        saved(draft, " ")
    assert file.read_text("utf-8") == "# mine\n"
    kept = saved(draft, file, own=file)
    assert (kept.name, file.read_text("utf-8")) == ("queues.yaml", draft.text)


def test_manifests_are_what_kubectl_takes(draft: Draft) -> None:
    text = manifests(draft, english())
    found = load(text)
    assert found.cluster_queues[0].metadata.name == "physics"
    assert "kind: Namespace\nmetadata: {name: physics}" in text
    assert text.startswith("# The jobs of the timeline (1) are not in this file")


def test_the_notebook_holds_the_scenario(draft: Draft) -> None:
    found = nbformat.reads(notebook(draft, english()), as_version=4)  # type: ignore[no-untyped-call]
    nbformat.validate(found)
    (cell,) = [each for each in found.cells if each.source.startswith("%%kueue")]
    assert cell.source.partition("\n")[2] + "\n" == draft.text


def test_the_skeleton_of_an_exercise_is_one(draft: Draft, tmp_path: Path) -> None:
    folder = tmp_path / "lab"
    for name, text in exercise_files(draft, english()).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    spec = read_exercise(folder)
    assert spec.title == "lab"
    assert len(spec.cases) == 1


def test_what_has_problems_is_not_exported(draft: Draft) -> None:
    wrong = draft.with_field("ClusterQueue/physics", "spec.stopPolicy", "Later")
    with pytest.raises(InputError, match="stopPolicy"):
        exported(wrong, "manifests", english())
