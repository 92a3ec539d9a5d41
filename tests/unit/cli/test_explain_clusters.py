"""``kueuelab explain`` with several clusters."""

from __future__ import annotations

import re
from pathlib import Path

from typer.testing import CliRunner

from kueuelab.cli import app

runner = CliRunner()


def said(*more: str, file: str = "lost-worker") -> str:
    return runner.invoke(app, ["explain", file, "train", *more]).output


def test_a_workload_is_explained_as_it_stood_at_a_step(tmp_path: Path) -> None:
    early, end = said("--at", "3s"), said()
    assert "manager: admitted; it runs on w1" in early
    times = [float(each) for each in re.findall(r"(?m)^ +(\d+\.\d)s ", early)]
    assert 2 < max(times) <= 3
    assert len(end.splitlines()) > len(early.splitlines())
    assert said("--at", "1s").splitlines()[1] == "  manager: the workload has not been created yet"
    saved = tmp_path / "run.json.gz"
    assert runner.invoke(app, ["run", "lost-worker", "--save", str(saved)]).exit_code == 0
    assert "default/train is admitted" in said("--at", "3s", file=str(saved))


def test_a_cycle_of_one_of_them_is_no_moment_of_all() -> None:
    assert "Give a step of all clusters, or a time" in said("--at", "c2")
    assert "--at does not work" in said("--at", "3s", "--what-would-help")
