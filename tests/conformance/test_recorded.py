"""The simulator decides as Kueue did: every recorded case, to the letter."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from kueuelab.conformance import check_case, report_lines
from kueuelab.conformance.cases import Case, Json, parse_case, read_cases, read_texts
from kueuelab.conformance.replay import replay_case
from kueuelab.conformance.runner import FileResult
from kueuelab.trace.recorder import Recorder

HERE = Path(__file__).parent
#: Where a checkout of the recordings of Kueue's own tests stands beside this project.
UPSTREAM = HERE.parents[2] / "shared" / "conformance"

#: Families of which every case is modelled, and those of which some may not be yet.
FAMILIES = (
    "classical",
    "hierarchical",
    "fairsharing",
    "podsets",
    "checks",
    "churn",
    "admissionfs",
)
LATER_FAMILIES = ("topology",)
CASES = 400
SHARD = 50

UPSTREAM_TESTS = (
    "TestPreemption",
    "TestHierarchicalPreemptions",
    "TestFairPreemptions",
    "TestAssignFlavors",
    "TestSchedule",
    "TestScheduleForFairSharing",
    "TestScheduleRecomputePreemptionTargets",
    "TestScheduleForPreserveFlavorScanProgress",
    "TestScheduleForAFS",
    "TestScheduleForTASPreemption",
)


def checked(path: Path, start: int = 0, stop: int | None = None) -> FileResult:
    """Check the cases of a file from one position to another; fail with the full report."""
    outcome = FileResult(path.name)
    for text in islice(read_texts(path), start, stop):
        outcome.results.append(check_case(parse_case(text)))
    if outcome.with_verdict("failed"):
        pytest.fail("\n".join(report_lines([outcome])), pytrace=False)
    return outcome


@pytest.mark.parametrize(("file", "cases"), [("curated-preemption-policies", 13), ("curated", 38)])
def test_curated(file: str, cases: int) -> None:
    outcome = checked(HERE / f"{file}.jsonl.gz")
    assert len(outcome.with_verdict("passed")) == cases


@pytest.mark.parametrize("start", range(0, CASES, SHARD))
@pytest.mark.parametrize("family", FAMILIES + LATER_FAMILIES)
def test_generated(family: str, start: int) -> None:
    outcome = checked(HERE / f"gen-{family}.jsonl.gz", start, start + SHARD)
    assert len(outcome.results) == SHARD
    if family in FAMILIES:
        assert len(outcome.with_verdict("passed")) == SHARD


@pytest.mark.parametrize("test", UPSTREAM_TESTS)
def test_upstream(test: str) -> None:
    path = UPSTREAM / f"upstream-{test}.jsonl.gz"
    if not path.exists():
        pytest.skip("the recordings of Kueue's own tests are not beside this checkout")
    checked(path)


def test_recording_changes_nothing() -> None:
    def recorded(case: Case) -> Iterator[Json]:
        recorder = Recorder()
        yield from replay_case(case, recorder)
        assert recorder.steps

    for case in read_cases(HERE / "curated.jsonl.gz"):
        assert check_case(case, replay=recorded).verdict != "failed", case.name
