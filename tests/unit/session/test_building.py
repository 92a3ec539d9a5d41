"""The page that builds, without a page: a shape, edits, jobs, completion, the run, files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kueuelab.errors import InputError, KueueLabError
from kueuelab.session.build_page import SHAPES
from kueuelab.session.handler import Handler


def begun(shape: str = "teams-that-share", **more: Any) -> Handler:
    handler = Handler(**more)
    handler.answer({"do": "buildBegin", "shape": shape, "name": "mine"})
    return handler


def preempting(handler: Handler) -> Any:
    """Add the two jobs of a story, and run."""
    handler.answer({"do": "buildJob", "queue": "team-b-jobs", "requests": "cpu: 12"})
    handler.answer({"do": "buildJob", "queue": "team-a-jobs"})
    return handler.answer({"do": "buildRun"})


@pytest.mark.parametrize("shape", SHAPES)
def test_each_shape_has_no_problems_and_admits_a_job(shape: str) -> None:
    handler = begun(shape)
    page = handler.answer({"do": "buildJob"})
    assert page["problems"] == []
    assert page["rows"]
    assert page["text"].startswith("apiVersion: kueuelab/v1")
    assert "name: mine" in page["text"]
    run = handler.answer({"do": "buildRun"})
    assert run["sentence"] == "The job is admitted."
    assert run["lanes"][0]["tone"] == "ok"


def test_two_jobs_and_a_preemption_is_decided() -> None:
    handler = begun()
    run = preempting(handler)
    assert run["sentence"] == (
        "1 of 2 jobs is pending at the end. At 10s: job-1 preempted by default/job-2 "
        "(InCohortReclamation)."
    )
    assert [each["kind"] for each in run["lanes"][0]["spans"]] == ["runs", "waits"]
    frames = handler.answer({"do": "frames", "branch": run["branch"], "step": run["step"]})
    assert frames["data"]["start"] == run["step"]
    # The next run is in the place of this one, unless this one was forked.
    handler.answer({"do": "buildJob", "job": "job-2", "at": "20s"})
    opened = handler.answer({"do": "buildRun"})["opened"]
    assert [each["name"] for each in opened["branches"]] == ["mine"]


def test_a_run_that_was_forked_stays() -> None:
    handler = begun()
    preempting(handler)
    values = {"spec.stopPolicy": "Hold"}
    handler.answer({"do": "edit", "object": "ClusterQueue/team-a", "values": values})
    opened = handler.answer({"do": "buildRun"})["opened"]
    assert [each["name"] for each in opened["branches"]] == ["mine", "mine: team-a", "mine 2"]


def test_each_edit_is_undone_and_a_run_is_no_edit() -> None:
    handler = begun()
    before = handler.answer({"do": "build"})["text"]
    preempting(handler)
    for _ in range(2):
        handler.answer({"do": "undo"})
    page = handler.answer({"do": "build"})
    assert (page["text"], page["jobs"]) == (before, [])
    for _ in range(2):
        handler.answer({"do": "redo"})
    assert [each["job"] for each in handler.answer({"do": "build"})["jobs"]] == ["job-1", "job-2"]


def test_what_is_wrong_has_its_line_and_what_is_refused_changes_nothing() -> None:
    handler = begun()
    text = handler.answer({"do": "build"})["text"]
    broken = text.replace("nominalQuota: 8", "nominalQuota: many", 1)
    page = handler.answer({"do": "buildText", "text": broken})
    (problem,) = page["problems"]
    line = problem["place"]["line"]
    assert "many" in broken.splitlines()[line - 1]
    assert [row["name"] for row in page["rows"] if row["wrong"]] == ["team-a"]
    with pytest.raises(InputError):
        handler.answer({"do": "buildRun"})
    for command in (
        {"do": "buildMove", "object": "Cohort/company", "parent": "Cohort/company"},
        {"do": "buildMove", "object": "LocalQueue/team-a-jobs", "parent": "Cohort/company"},
        {"do": "buildJob", "queue": "team-a-jobs", "requests": "four"},
        {"do": "buildJob", "job": "nobody"},
        {"do": "buildAdd", "kind": "Pod"},
        {"do": "buildField", "object": "ClusterQueue/team-a", "field": "spec.colour"},
        {"do": "buildPool", "number": 3, "field": "cpu", "value": "1"},
        {"do": "buildExport", "kind": "poem"},
    ):
        with pytest.raises(KueueLabError):
            handler.answer(command)
    assert handler.answer({"do": "build"})["text"] == broken


def test_the_form_has_what_kueue_takes_and_what_it_means() -> None:
    handler = begun()
    form = handler.answer({"do": "buildForm", "object": "ClusterQueue/team-a"})
    fields = {each["path"]: each for each in form["fields"]}
    reclaim = fields["spec.preemption.reclaimWithinCohort"]
    assert (reclaim["value"], reclaim["choices"]) == ("Any", ["Never", "LowerPriority", "Any"])
    assert reclaim["url"].startswith("https://kueue.sigs.k8s.io/docs/")
    assert [each["nominalQuota"] for each in form["quotas"]] == ["8"]
    handler.answer({"do": "buildAdd", "kind": "AdmissionCheck"})
    path = "spec.admissionChecksStrategy.admissionChecks"
    checks = {"do": "buildField", "object": "ClusterQueue/team-a", "field": path}
    assert "{name: check-1}" in handler.answer({**checks, "value": "check-1"})["text"]
    assert "admissionChecks" not in handler.answer({**checks, "value": ""})["text"]


def test_a_cohort_that_is_only_named_gets_its_object() -> None:
    handler = begun()
    text = handler.answer({"do": "build"})["text"].replace("name: company}", "name: other}")
    handler.answer({"do": "buildText", "text": text})
    form = handler.answer({"do": "buildForm", "object": "Cohort/company"})
    assert form["implicit"]
    page = handler.answer({"do": "buildAdd", "kind": "Cohort", "name": "company"})
    assert page["chosen"] == "Cohort/company"
    assert not handler.answer({"do": "buildForm", "object": "Cohort/company"})["implicit"]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("      stopPolicy: |", ["None", "Hold", "HoldAndDrain"]),
        ("      cohortName: c|", ["company"]),
        ("      fairSh|", ["fairSharing"]),
        ("      preemption: {recl|}", ["reclaimWithinCohort"]),
        ("      flavorFungibility:\n        whenCanB|", ["whenCanBorrow"]),
    ],
)
def test_completion_knows_the_schema_of_kueue(typed: str, expected: list[str]) -> None:
    queue = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: {name: company}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec:
"""
    whole = queue + typed
    line = whole.count("\n")
    column = whole.splitlines()[line].index("|")
    text = whole.replace("|", "") + "\n"
    command = {"do": "buildComplete", "text": text, "line": line, "column": column}
    found = begun().answer(command)
    assert [each["text"] for each in found["choices"]] == expected


def test_a_timeline_is_completed_too_and_names_are_those_of_the_draft() -> None:
    handler = begun()
    text = handler.answer({"do": "buildJob"})["text"].replace("queue: team-a-jobs", "queue: te")
    line = next(at for at, each in enumerate(text.splitlines()) if "submit" in each)
    column = text.splitlines()[line].index("queue: te") + len("queue: te")
    command = {"do": "buildComplete", "text": text, "line": line, "column": column}
    choices = handler.answer(command)["choices"]
    assert [each["text"] for each in choices] == ["team-a-jobs", "team-b-jobs"]
    inside = text.replace("job: job-1,", "job: job-1, prio,")
    column = inside.splitlines()[line].index("prio") + 4
    command = {"do": "buildComplete", "text": inside, "line": line, "column": column}
    choices = handler.answer(command)["choices"]
    assert [each["text"] for each in choices] == ["priorityClass", "priority"]


def test_a_draft_is_written_where_files_are_and_replaces_no_other(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no files"):
        begun().answer({"do": "buildSave", "file": str(tmp_path / "a.yaml")})
    asked: list[str] = []
    handler = begun(require_openable=asked.append)
    file = tmp_path / "a.yaml"
    saved = handler.answer({"do": "buildSave", "file": str(file)})
    assert saved["note"] == f"The scenario is in {file}."
    handler.answer({"do": "buildJob"})
    handler.answer({"do": "buildSave", "file": str(file)})
    assert "job-1" in file.read_text("utf-8")
    assert asked == [str(file)] * 2
    other = tmp_path / "b.yaml"
    other.write_text("theirs", "utf-8")
    with pytest.raises(InputError, match="exists"):
        handler.answer({"do": "buildSave", "file": str(other)})
    assert other.read_text("utf-8") == "theirs"


def test_what_is_open_is_edited_as_a_copy_that_names_no_file() -> None:
    handler = Handler()
    for name in ("reclaim-1-take-back", "two-teams"):
        handler.answer({"do": "open", "source": name})
        page = handler.answer({"do": "buildBegin", "branch": name})
        assert page["problems"] == []
        assert page["rows"]
    built = handler.history.present.built
    assert built is not None
    assert built.draft.base is None
