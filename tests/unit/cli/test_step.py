"""``kueuelab step``, with its keys pressed by the test."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from kueuelab import scenarios
from kueuelab.cli.app import app

SCENARIO = "reclaim-1-take-back"


def shown(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["step", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_stepping_leads_to_the_preemption_and_back() -> None:
    text = shown(SCENARIO, "--keys", "pP")
    assert "default/job-1 is preempted by default/job-2 (InCohortReclamation)" in text
    assert "borrows 300m" in text
    # Before the first preemption there is none.
    assert text.rstrip().endswith("[P] There is no further step in this direction.")


def test_forward_and_back_show_the_same_place_again() -> None:
    frames = shown(SCENARIO, "--keys", "nnbb").split("\nStep ")
    assert len(frames) == 5
    assert frames[0].removeprefix("Step ").rstrip() == frames[4].rstrip()
    assert frames[1].rstrip() == frames[3].rstrip()


def test_the_keys_for_a_workload_follow_only_that_one() -> None:
    text = shown(SCENARIO, "-w", "job-1", "--keys", "w")
    assert "default/job-1 is submitted" in text


@pytest.mark.parametrize(("key", "place"), [("G", "Step 103 of 103"), ("g", "Step 1 of 103")])
def test_start_and_end(key: str, place: str) -> None:
    assert place in shown(SCENARIO, "--keys", key)


def test_an_unknown_scenario_is_said_in_one_sentence() -> None:
    result = CliRunner().invoke(app, ["step", "nowhere"])
    assert result.exit_code == 2
    assert "there is no file or scenario named 'nowhere'" in result.output


def test_it_begins_where_one_wants() -> None:
    assert shown(SCENARIO, "--at", "40", "--keys", "q").startswith("Step 40 of 103")
    end = shown(SCENARIO, "--at", "103", "--keys", "n")
    assert end.endswith("no further step in this direction.\n")
    result = CliRunner().invoke(app, ["step", SCENARIO, "--at", "104"])
    assert result.exit_code == 2
    assert "there is no step 104. The last one is 103" in result.stderr


def test_a_recorded_trace_can_be_stepped_through(tmp_path: Path) -> None:
    file = tmp_path / "trace.json.gz"
    scenarios.load(SCENARIO).run().save(file)
    assert shown(str(file), "--at", "40", "--keys", "q") == shown(
        SCENARIO, "--at", "40", "--keys", "q"
    )
