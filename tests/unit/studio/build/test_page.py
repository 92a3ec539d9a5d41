"""The page that builds: its parts show one draft, and each of them edits it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kueuelab import scenarios
from kueuelab.studio.build import build
from kueuelab.studio.build.page import BuildPage
from kueuelab.studio.studio_view import Studio


def with_queue(page: BuildPage) -> BuildPage:
    for kind in ("Cohort", "ClusterQueue", "LocalQueue"):
        page.add(kind)
    return page


def status(page: BuildPage) -> str:
    return str(page._studio._status.value)


def rows(page: BuildPage) -> list[tuple[int, str]]:
    return [(row["level"], row["id"]) for row in page.tree.rows]


def test_what_is_added_goes_below_what_is_chosen(page: BuildPage) -> None:
    with_queue(page)
    assert rows(page) == [
        (1, "Cohort/cohort-1"),
        (2, "ClusterQueue/team-1"),
        (3, "LocalQueue/default/jobs-1"),
        (1, "ResourceFlavor/default-flavor"),
    ]
    assert page.tree.selected == "LocalQueue/default/jobs-1"
    assert page.text.value == page.draft.text
    assert page.picture.widget.children, "the picture shows the tree"


def test_a_field_keeps_its_control_while_it_is_edited(page: BuildPage) -> None:
    page = with_queue(page)
    page.choose(page.draft["ClusterQueue/team-1"].reference)
    control = page.form.controls["default-flavor/cpu/nominalQuota"]
    control.more.click()
    control.more.click()
    page.form.controls["spec.stopPolicy"].value = "Hold"
    assert page.form.controls["default-flavor/cpu/nominalQuota"] is control
    assert "nominalQuota: 12" in page.draft.text
    assert page.draft["ClusterQueue/team-1"].field("spec.stopPolicy") == "Hold"
    page.form.controls["spec.stopPolicy"].value = ""
    page.undo.click()
    page.undo.click()
    assert page.form.controls["spec.stopPolicy"].value == ""
    assert "nominalQuota: 12" in page.draft.text


def test_a_problem_is_shown_at_the_field_the_line_and_the_row(page: BuildPage) -> None:
    page = with_queue(page)
    page.choose(page.draft["ClusterQueue/team-1"].reference)
    page.form.controls["default-flavor/cpu/borrowingLimit"].value = "many"
    note = page.form._notes["default-flavor/cpu/borrowingLimit"].value
    assert (
        "quantities must match" in page.form.controls["default-flavor/cpu/borrowingLimit"].problem
    )
    problems: Any = page.text.problems
    ((line, sentence),) = problems
    assert "borrowingLimit: many" in page.draft.text.splitlines()[line - 1]
    assert f"line {line}" in note
    assert "quantities must match" in sentence
    (wrong,) = [row["id"] for row in page.tree.rows or () if row["wrong"]]
    assert wrong == "ClusterQueue/team-1"
    page.undo.click()
    assert page.text.problems == []
    assert page.form._notes["default-flavor/cpu/borrowingLimit"].value == ""


def test_yaml_that_is_typed_changes_the_forms_and_is_one_edit(page: BuildPage) -> None:
    page = with_queue(page)
    page.choose(page.draft["ClusterQueue/team-1"].reference)
    before = page.draft.text
    typed = before.replace("nominalQuota: 10", "nominalQuota: 1")
    page.text.value = typed
    page.text.value = typed.replace("nominalQuota: 1", "nominalQuota: 16")
    assert page.form.controls["default-flavor/cpu/nominalQuota"].value == "16"
    page.undo.click()
    assert page.draft.text == before


def test_text_that_is_no_yaml_keeps_what_was_typed(page: BuildPage) -> None:
    page.text.value = "a: [1\n"
    assert page.text.value == "a: [1\n"
    assert page.text.problems
    page.add("Cohort")
    assert "a: [1" in page.draft.text
    page.undo.click()
    assert page.draft.problems == ()


def test_the_tree_renames_moves_and_deletes(page: BuildPage) -> None:
    page = with_queue(page)
    act = page._act
    act({"do": "rename", "id": "ClusterQueue/team-1", "to": "physics"})
    assert page.draft["LocalQueue/jobs-1"].field("spec.clusterQueue") == "physics"
    act({"do": "move", "id": "ClusterQueue/physics", "to": ""})
    assert (1, "ClusterQueue/physics") in rows(page)
    act({"do": "move", "id": "ClusterQueue/physics", "to": "LocalQueue/default/jobs-1"})
    assert "cannot be moved" in status(page)
    act({"do": "delete", "id": "ClusterQueue/physics"})
    assert rows(page) == [(1, "Cohort/cohort-1"), (1, "ResourceFlavor/default-flavor")]
    act({"do": "undo"})
    act({"do": "redo"})
    assert page.chosen is None


def test_a_chosen_object_stays_chosen_under_its_new_name(page: BuildPage) -> None:
    page.add("Cohort")
    page.form.name.value = "university"
    assert str(page.chosen) == "Cohort/university"
    assert page.form.name.value == "university"


def test_a_name_that_is_used_is_refused_with_a_sentence(page: BuildPage) -> None:
    page.add("Cohort")
    page.add("Cohort")
    page.form.name.value = "cohort-1"
    assert "already a Cohort named cohort-1" in status(page)
    assert page.form.name.value == "cohort-2"


def test_checks_are_chosen_by_boxes(page: BuildPage) -> None:
    page = with_queue(page)
    page.add("AdmissionCheck")
    page.choose(page.draft["ClusterQueue/team-1"].reference)
    path = "spec.admissionChecksStrategy.admissionChecks"
    (box,) = page.form.controls[path].children
    box.value = True
    assert page.draft["ClusterQueue/team-1"].field(path) == [{"name": "check-1"}]
    box.value = False
    assert page.draft["ClusterQueue/team-1"].field(path) is None


def test_jobs_are_added_moved_changed_and_deleted(page: BuildPage) -> None:
    page = with_queue(page)
    jobs = page.jobs
    jobs.fields["job"].value = "simulation"
    jobs.fields["requests"].value = "cpu: 500m, memory: 3Gi"
    jobs.add()
    assert [each["id"] for each in jobs.axis.jobs] == ["simulation"]
    jobs._act({"do": "arrive", "id": "simulation", "at": 90})
    assert jobs.axis.jobs[0]["at"] == 90
    jobs.choose("simulation")
    jobs.fields["pods"].value = "3"
    jobs.change()
    assert (
        "{at: 1m30s, submit: {job: simulation, queue: jobs-1, "
        "requests: {cpu: 500m, memory: 3Gi}, runs: 1m, pods: 3}}"
    ) in page.draft.text
    jobs.fields["pods"].value = "some"
    jobs._attempt(jobs.change)
    assert "pods: some is not a number" in jobs._problem.value
    jobs._act({"do": "delete", "id": "simulation"})
    assert jobs.axis.jobs == []
    jobs.add_many()
    assert len(jobs.axis.jobs) == 20
    assert page.draft.problems == ()


def test_a_crash_loses_nothing(page: BuildPage, tmp_path: Path) -> None:
    text = with_queue(page).draft.text
    other = Studio().pages["build"]
    assert isinstance(other, BuildPage)
    (row,) = other.files.offers.children
    go = row.children[1]
    go.click()
    assert other.draft.text == text
    other.files.path.value = str(tmp_path / "lab.yaml")
    other.files.save()
    assert "The scenario is in" in status(other)
    assert (tmp_path / "lab.yaml").read_text("utf-8") == text
    assert [each.name for each in tmp_path.iterdir()] == ["lab.yaml"]


def test_the_studio_builds_from_a_scenario_and_runs_it(page: BuildPage) -> None:
    studio: Any = page._studio
    build(studio, "reclaim-1-take-back")
    assert studio.page == "build"
    assert page.draft.text == scenarios.text("reclaim-1-take-back")
    page._run()
    assert studio.page == "ask"
    assert studio.session.names == ("reclaim-1-take-back",)
    build(studio)
    assert page.draft.objects == ()
    page.source.value = "no-such-file.yaml"
    page._open()
    assert "does not exist" in status(page)


@pytest.mark.parametrize("name", scenarios.names()[::4])
def test_every_object_of_a_scenario_has_a_form(page: BuildPage, name: str) -> None:
    page.change(name)
    text = page.draft.text
    for row in page.tree.rows:
        page.tree.selected = row["id"]
        assert str(page.chosen) == row["id"]
        assert page.form.widget.children
    assert page.draft.text == text, "looking changes nothing"
    assert not page.history.before
