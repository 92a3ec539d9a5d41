"""What the timeline prints in front of a row is what ``--at`` takes."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from kueuelab.cli import app

SCENARIO = "reclaim-1-take-back"


def printed(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return result.output


def preemption() -> list[str]:
    """Return step, time and cycle of the row in which a job is preempted."""
    (row,) = [line for line in printed("run", SCENARIO).splitlines() if "preempted by" in line]
    return row.split()[:3]


def test_a_row_begins_with_step_time_and_cycle() -> None:
    assert preemption() == ["64", "7s", "c3"]


@pytest.mark.parametrize("place", [0, 2])
def test_what_is_printed_can_be_copied(place: int) -> None:
    at = preemption()[place]
    text = printed("explain", SCENARIO, "job-1", "--at", at)
    assert "default/job-2 preempted it (InCohortReclamation)" in text
    assert "It preempts default/job-1" in printed("pending", SCENARIO, "--at", at)
    assert ", cycle 3 of 5, at 7s" in printed("step", SCENARIO, "--at", at, "--keys", "q")


@pytest.mark.parametrize("command", ["explain", "pending", "step"])
@pytest.mark.parametrize("at", ["c 3", "C3", "cycle 3"])
def test_a_cycle_may_be_written_otherwise(command: str, at: str) -> None:
    rest = {"explain": ["job-1"], "step": ["--keys", "q"]}.get(command, [])
    assert printed(command, SCENARIO, *rest, "--at", at) == printed(
        command, SCENARIO, *rest, "--at", "c3"
    )


@pytest.mark.parametrize("command", ["explain", "pending", "step"])
def test_there_is_no_such_cycle(command: str) -> None:
    rest = ["job-1"] if command == "explain" else []
    result = CliRunner().invoke(app, [command, SCENARIO, *rest, "--at", "c9"])
    assert result.exit_code == 2
    assert "there is no cycle 9" in result.output
