"""``kueuelab sweep``: factors as text, a table, a file, failures."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from kueuelab.cli import app

runner = CliRunner()

WITHIN = "cluster-queue/team-a:spec.preemption.reclaimWithinCohort"


def test_a_grid_as_a_table() -> None:
    result = runner.invoke(
        app,
        [
            *("sweep", "reclaim-1-take-back", "--vary", f"{WITHIN}=Never,Any", "--seeds", "2"),
            *("--measure", "preemptions", "--measure", "waiting.max"),
        ],
    )
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [
        "team-a: reclaimWithinCohort  runs  preemptions  waiting.max",
        "Never                        2     0            4s",
        "Any                          2     1            4s",
    ]


def test_rows_as_json_and_as_a_file(tmp_path: Path) -> None:
    file = tmp_path / "found.parquet"
    command = ["sweep", "reclaim-1-take-back", "--vary", f"{WITHIN}=Never,Any", "--json"]
    result = runner.invoke(app, [*command, "--out", str(file)])
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)
    assert [(row["run"], row[WITHIN], row["preemptions"]) for row in rows] == [
        (0, "Never", 0),
        (1, "Any", 1),
    ]
    assert pq.read_table(file).column("preemptions").to_pylist() == [0, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--vary", "x"], "names no field with values"),
        (["--vary", f"{WITHIN}=Sometimes"], "Sometimes"),
        (["--design", "square"], "there is no design 'square'"),
        (["--design", "latin"], "needs the number of samples"),
        (["--vary", f"{WITHIN}=1..4"], "a grid needs a list of values"),
        (["--measure", "waiting.p96"], "there is no measure named 'waiting.p96'"),
        (["--out", "found.csv"], "the ending does not say what to write"),
    ],
)
def test_a_mistake_is_one_message(arguments: list[str], message: str) -> None:
    result = runner.invoke(app, ["sweep", "reclaim-1-take-back", *arguments])
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output
