"""Checking files of cases, with stand-ins for the simulator."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kueuelab.conformance import Options, as_json, check_case, check_file, diff_lines, report_lines
from kueuelab.conformance.cases import Case, Json, read_cases
from kueuelab.conformance.parts import parts_not_modelled
from kueuelab.errors import NotModelledError

CURATED = Path(__file__).parents[2] / "conformance" / "curated.jsonl.gz"
SAMPLE = "block-admission"
CASES = 38
#: Cases that need a part that is not modelled yet.
LATER = sum(bool(parts_not_modelled(case)) for case in read_cases(CURATED))


def as_recorded(case: Case) -> Iterator[Json]:
    """Do what was recorded, at the letter."""
    yield from case.expect


def late(case: Case) -> Iterator[Json]:
    """Be right but for the time of the second step of one case."""
    for index, step in enumerate(case.expect):
        if case.name == SAMPLE and index == 1:
            step = {**step, "time": "2027-01-01T00:00:00Z", "rounds": 99}
        yield step


def broken(case: Case) -> Iterator[Json]:
    """Fail with an exception in the second step."""
    yield case.expect[0]
    raise ZeroDivisionError("share of nothing")


def test_recorded_cases_equal_themselves() -> None:
    outcome = check_file(CURATED, replay=as_recorded)
    assert len(outcome.with_verdict("passed")) == CASES - LATER
    assert list(report_lines([outcome]))[-2:] == [
        f"{LATER} not modelled",
        f"{CASES - LATER} passed, 0 failed",
    ]


@pytest.mark.parametrize("jobs", [1, 2])
def test_report_says_where_a_case_first_differs(jobs: int) -> None:
    outcome = check_file(CURATED, Options(jobs=jobs), replay=late)
    (failed,) = outcome.with_verdict("failed")
    assert failed.case == SAMPLE
    lines = list(report_lines([outcome]))
    assert lines[0].startswith(f"FAILED {SAMPLE} (")
    assert lines[1].startswith("  steps[1] ")
    assert lines[1].endswith(": rounds")
    assert lines[2].startswith("    expected ")
    assert lines[3] == "    got      99"
    assert "       1      1  rounds" in lines
    assert "       0      1  time" in lines
    assert lines[-1] == f"{CASES - LATER - 1} passed, 1 failed"


def test_exceptions_are_failures_of_their_case() -> None:
    outcome = check_file(CURATED, Options(only=(SAMPLE,)), replay=broken)
    (failed,) = outcome.results
    assert failed.crash is not None
    assert "ZeroDivisionError" in failed.crash.traceback
    assert "  steps[1] cycle: ZeroDivisionError: share of nothing" in list(report_lines([outcome]))


def test_simulator_may_say_that_a_part_is_not_modelled() -> None:
    case = Case("a", ({"op": "cycle"},), ({"op": "cycle"},))

    def refusing(case: Case, feature: str) -> Iterator[Json]:
        raise NotModelledError(feature)
        yield {}

    known = check_case(case, replay=lambda case: refusing(case, "SchedulerLibraryIntegration"))
    assert (known.verdict, known.parts) == ("not modelled", ("SchedulerLibraryIntegration",))
    assert check_case(case, replay=lambda case: refusing(case, "preemption")).verdict == "failed"


def test_order_and_number_of_results_do_not_depend_on_jobs() -> None:
    one = check_file(CURATED, replay=as_recorded)
    two = check_file(CURATED, Options(jobs=2), replay=as_recorded)
    assert one.results == two.results


def test_only_limit_and_fail_fast() -> None:
    some = check_file(CURATED, Options(only=(SAMPLE,)), replay=as_recorded)
    assert [result.case for result in some.results] == [SAMPLE]
    assert len(check_file(CURATED, Options(limit=3), replay=as_recorded).results) == 3
    fast = check_file(CURATED, Options(fail_fast=True), replay=late)
    assert [result.verdict for result in fast.results[-1:]] == ["failed"]
    assert len(fast.results) < 38


def test_damaged_lines_do_not_hide_the_others(tmp_path: Path) -> None:
    good = {"name": "a", "steps": [{"op": "cycle"}], "expect": [{"op": "cycle"}]}
    path = tmp_path / "cases.jsonl"
    lines = [
        json.dumps(good),
        "{",
        json.dumps({**good, "name": "b", "steps": []}),
        json.dumps(good),
    ]
    path.write_text("\n".join(lines))
    outcome = check_file(path, replay=as_recorded)
    assert [result.verdict for result in outcome.results] == ["passed", "passed"]
    assert [problem.location.line for problem in outcome.problems if problem.location] == [2, 3, 4]
    assert "same name" in outcome.problems[-1].message


def test_report_as_json() -> None:
    report = as_json([check_file(CURATED, replay=late)])
    assert (report["passed"], report["failed"]) == (CASES - LATER - 1, 1)
    assert report["notModelled"] == LATER
    (failure,) = report["files"][0]["failed"]
    assert failure["step"] == 1
    assert [found["path"] for found in failure["differences"]] == ["rounds", "time"]
    assert json.loads(json.dumps(report)) == report


def test_diff_shows_scenario_steps_and_differences() -> None:
    (case,) = (case for case in read_cases(CURATED) if case.name == SAMPLE)
    lines = list(diff_lines(case, replay=late))
    assert lines[0].startswith(f"case {SAMPLE} (")
    assert any(line.startswith("  ClusterQueue q alone [default cpu=") for line in lines)
    assert "steps[0] cycle" in lines
    assert [line for line in lines if line.startswith("  DIFFERS")] == [
        "  DIFFERS rounds",
        "  DIFFERS time",
    ]


def test_diff_holds_cycles_against_each_other() -> None:
    (case,) = (case for case in read_cases(CURATED) if case.name == SAMPLE)

    def other_status(case: Case) -> Iterator[Json]:
        for step in copy.deepcopy(case.expect):
            for cycle in step["cycles"]:
                for entry in cycle.get("entries", ()):
                    entry["status"] = "skipped"
            yield step

    lines = list(diff_lines(case, replay=other_status))
    assert any(line.startswith("  -   default/") and ": assumed" in line for line in lines)
    assert any(line.startswith("  +   default/") and ": skipped" in line for line in lines)


def test_diff_ends_at_an_exception() -> None:
    (case,) = (case for case in read_cases(CURATED) if case.name == SAMPLE)
    assert list(diff_lines(case, replay=broken))[-1] == "    ZeroDivisionError: share of nothing"


def flavor(**spec: Any) -> Json:
    return {"kind": "ResourceFlavor", "metadata": {"name": "f"}, "spec": spec}


@pytest.mark.parametrize(
    ("objects", "gates", "parts"),
    [
        ([flavor()], {"SchedulerLibraryIntegration": True}, []),
        (
            [flavor(topologyName="dc")],
            {"SchedulerLibraryIntegration": True},
            ["SchedulerLibraryIntegration"],
        ),
        ([flavor(topologyName="dc")], {}, []),
    ],
)
def test_parts_are_recognised_by_use(
    objects: list[Json], gates: dict[str, bool], parts: list[str]
) -> None:
    case = Case("a", (), (), tuple(objects), {"featureGates": gates})
    assert list(parts_not_modelled(case)) == parts


def test_parts_are_recognised_in_steps() -> None:
    steps = ({"op": "apply", "object": flavor(topologyName="dc")},)
    gates = {"featureGates": {"SchedulerLibraryIntegration": True}}
    case = Case("a", steps, (), configuration=gates)
    assert parts_not_modelled(case) == ("SchedulerLibraryIntegration",)
