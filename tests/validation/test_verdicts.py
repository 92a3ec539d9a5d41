"""The lab gives the verdicts of a cluster: each recorded one, to the letter."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kueuelab.conformance import Options, check_file, report_lines
from kueuelab.conformance.cases import read_texts
from kueuelab.conformance.runner import FileResult
from kueuelab.conformance.verdicts.recording import RecordedVerdict, parse_verdict
from kueuelab.manifests import load
from kueuelab.manifests.server import judge
from kueuelab.manifests.server.advice import advice
from kueuelab.manifests.shapes.tables import shape_of

HERE = Path(__file__).parent
FILE = HERE / "verdicts.jsonl.gz"


def recorded() -> Iterator[RecordedVerdict]:
    for text in read_texts(FILE):
        yield parse_verdict(text)


CASES = list(recorded())


def test_each_verdict_field_message_and_default() -> None:
    outcome: FileResult = check_file(FILE, Options())
    failed = outcome.with_verdict("failed")
    assert not failed, "\n".join(report_lines([outcome]))
    assert len(outcome.results) == 397
    assert outcome.remarks == [
        "of 397 verdicts agree: verdict 397, field 397, message 397, spec 397"
    ]


def test_verdicts_of_the_servers_own_code() -> None:
    """What ``more.md`` tells of: every limit of every field, and changes of many kinds."""
    outcome: FileResult = check_file(HERE / "more.jsonl.gz", Options())
    assert not outcome.with_verdict("failed"), "\n".join(report_lines([outcome]))
    number = len(outcome.results)
    assert number > 2300
    agree = f"verdict {number}, field {number}, message {number}, spec {number}"
    assert outcome.remarks == [f"of {number} verdicts agree: {agree}"]


def test_manifests_without_kind_or_version() -> None:
    outcome: FileResult = check_file(HERE / "missing.jsonl.gz", Options())
    assert not outcome.with_verdict("failed"), "\n".join(report_lines([outcome]))
    assert len(outcome.results) == 2


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.operation == "create"], ids=lambda case: case.name
)
def test_loading_agrees(case: RecordedVerdict) -> None:
    """What the server takes is loaded, and what it refuses is refused with field and hint."""
    if case.data["code"] == 404 or case.name.startswith("pod-group"):
        return  # the namespace; pods that aren't there yet
    # What a cluster of one's own has is for others to say.
    found = load(case.manifest, keep_going=True).problems
    assert bool(found) == (case.data["verdict"] == "rejected"), [str(p) for p in found]
    fields = [cause["field"] for cause in case.data["causes"] if cause["field"] != "<nil>"]
    told = [problem.field for problem in found]
    assert all(field in told for field in fields)
    assert all(problem.hint for problem in found)


def test_every_field_error_has_advice() -> None:
    for case in CASES:
        if case.operation == "create" and case.data["code"] != 404:
            manifest: dict[str, Any] = case.manifest
            shape = shape_of(manifest["apiVersion"], manifest["kind"])
            for error in judge(manifest).errors:
                hint = advice(error, shape)
                assert hint, error
                assert "\n" not in hint


def test_a_damaged_line_has_its_place(tmp_path: Path) -> None:
    first = {**CASES[0].data}
    file = tmp_path / "verdicts.jsonl"
    file.write_text(f"{json.dumps(first)}\n{{}}\n")
    outcome = check_file(file, Options())
    assert len(outcome.results) == 1
    (problem,) = outcome.problems
    assert str(problem.location) == f"{file}:2"


def test_a_verdict_that_differs_is_reported(tmp_path: Path) -> None:
    case = next(case for case in CASES if case.data["verdict"] == "accepted")
    file = tmp_path / "verdicts.jsonl"
    wrong = {**case.data, "defaultedSpec": {"nothing": True}}
    file.write_text(json.dumps(wrong))
    outcome = check_file(file, Options())
    (result,) = outcome.with_verdict("failed")
    assert [difference.where for difference in result.differences] == ["spec"]
