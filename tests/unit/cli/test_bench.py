"""``kueuelab bench`` on shapes that take no time."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from kueuelab import bench
from kueuelab.bench.shapes import Shape, WorkloadClass
from kueuelab.cli import app

runner = CliRunner()

TINY = Shape(
    "baseline", 1, 2, (WorkloadClass("a", count=3, every_ms=10, runtime_ms=10, priority=0, cpu=1),)
)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "SHAPES", {"baseline": TINY})
    whole = bench.run_growth
    monkeypatch.setattr(
        bench, "run_growth", lambda progress, **more: whole((25,), 2, progress, **more)
    )


def test_numbers_as_text() -> None:
    result = runner.invoke(app, ["bench", "baseline"])
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "baseline: 6 of 6 workloads finished"
    for word in ("workloads", "cycles", "evictions", "wall time", "per head", "peak memory"):
        assert any(line.strip().startswith(word) for line in lines), word


def test_fair_sharing() -> None:
    result = runner.invoke(app, ["bench", "baseline", "--fair-sharing"])
    assert result.stdout.splitlines()[0] == (
        "baseline with fair sharing: 6 of 6 workloads finished"
    )


def test_numbers_as_json() -> None:
    record = json.loads(runner.invoke(app, ["bench", "baseline", "--json"]).stdout)
    assert (record["scenario"], record["workloads"], record["finished"]) == ("baseline", 6, 6)


def test_a_record() -> None:
    lines = runner.invoke(app, ["bench", "baseline", "--record"]).stdout.splitlines()
    assert lines[0] == "baseline: 6 of 6 workloads finished"
    numbers = {line[2:17].strip(): line[17:].split()[0] for line in lines[1:]}
    assert int(numbers["steps"]) > 6
    with_record, without = (float(numbers[n]) for n in ("processor time", "without record"))
    assert float(numbers["times"]) >= 0
    assert with_record >= 0 <= without


def test_a_record_as_json() -> None:
    record = json.loads(runner.invoke(app, ["bench", "baseline", "--record", "--json"]).stdout)
    assert record["steps"] > 6
    assert "steps" not in record["withoutRecord"]
    assert record["withoutRecord"]["heads"] == record["heads"]


@pytest.mark.parametrize("scenario", ["growth", "dump", "tas-cycle"])
def test_others_have_no_record(scenario: str) -> None:
    result = runner.invoke(app, ["bench", scenario, "--record"])
    assert result.exit_code == 2
    assert f"{scenario} is measured without this option" in result.output


def test_profile() -> None:
    result = runner.invoke(app, ["bench", "baseline", "--profile"])
    assert "where the time goes" in result.stdout
    assert "scheduler" in result.stdout


def test_growth() -> None:
    result = runner.invoke(app, ["bench", "growth"])
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1].split() == ["admitted", "admit", "preempt", "wait"]
    assert result.stdout.splitlines()[2].split()[0] == "25"
    for more in ([], ["--fair-sharing"]):
        rows = json.loads(runner.invoke(app, ["bench", "growth", "--json", *more]).stdout)
        assert [row["kind"] for row in rows] == ["admit", "preempt", "wait"]


def test_dump(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = bench.run_dumps
    monkeypatch.setattr(
        bench, "run_dumps", lambda shapes, progress: whole(shapes, ("load-json",), progress)
    )
    text = runner.invoke(app, ["bench", "dump", "--queues", "4"]).stdout.splitlines()
    assert text[0].startswith("dump of 4 ClusterQueues and 120 workloads")
    assert text[1].split() == ["seconds", "goal", "MiB", "goal", "factor", "goal"]
    name, numbers = text[2][:36].strip(), text[2][36:].split()
    assert name == "load (JSON)"
    assert (numbers[1], numbers[3], numbers[-1]) == ("3", "1,024", "2.3")
    result = runner.invoke(app, ["bench", "dump", "--queues", "4", "--json"])
    assert result.exit_code == 0
    record = json.loads(result.stdout)
    assert (record["queues"], record["workloads"]) == (4, 120)
    (row,) = record["rows"]
    assert (row["measure"], row["goalSeconds"], row["goalMemoryBytes"]) == ("load-json", 3, 2**30)
    assert row["halfCpuSeconds"] > 0
    assert record["goalFactor"] == 2.3
    refused = runner.invoke(app, ["bench", "dump", "--fair-sharing"])
    assert refused.exit_code == 2
