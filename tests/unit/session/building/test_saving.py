"""Drafts on disk: a crash loses nothing, and no file is replaced that was not named."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from kueuelab.errors import InputError
from kueuelab.manifests import load, load_scenario
from kueuelab.messages import english
from kueuelab.session.building.draft import Draft
from kueuelab.session.building.export import EXPORTS, exercise_files, export, manifests, notebook
from kueuelab.session.building.jobs import JobValues, with_job
from kueuelab.session.building.saving import Autosave, saved, unsaved_in
from kueuelab.workshop.reading import read_exercise


@pytest.fixture
def draft() -> Draft:
    found = Draft.new("lab").added("ClusterQueue", "physics", parent="university")
    found = found.added("LocalQueue", "jobs", parent="physics", namespace="physics")
    return with_job(found, JobValues("simulation", "jobs", runs="5m"))


def test_a_copy_holds_the_text_to_the_byte(draft: Draft, tmp_path: Path) -> None:
    Autosave(tmp_path).keep(Draft.new("lab")).keep(draft)
    (found,) = unsaved_in(tmp_path)
    assert (found.draft.text, found.draft.name, found.file) == (draft.text, "lab.yaml", None)
    with pytest.raises(InputError, match="folder"):
        load_scenario(tmp_path)


def test_a_copy_never_replaces_another_one(draft: Draft, tmp_path: Path) -> None:
    first = Autosave(tmp_path).keep(draft)
    second = Autosave(tmp_path).keep(Draft.new("lab"))
    assert first.path != second.path
    assert len(list(unsaved_in(tmp_path))) == 2
    (tmp_path / ".mine.kueuelab-draft").write_text("not one of ours\n", "utf-8")
    assert len(list(unsaved_in(tmp_path))) == 2


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


@pytest.mark.parametrize("kind", EXPORTS)
def test_an_export_never_replaces_a_file(draft: Draft, tmp_path: Path, kind: str) -> None:
    target = tmp_path / EXPORTS[kind].format(name="lab")
    export(draft, kind, target, english())
    assert target.exists()
    with pytest.raises(InputError, match="exists already"):
        export(draft, kind, target, english())


def test_what_has_problems_is_not_exported(draft: Draft, tmp_path: Path) -> None:
    wrong = draft.with_field("ClusterQueue/physics", "spec.stopPolicy", "Later")
    with pytest.raises(InputError, match="stopPolicy"):
        export(wrong, "manifests", tmp_path / "x.yaml", english())
    assert list(tmp_path.iterdir()) == []
