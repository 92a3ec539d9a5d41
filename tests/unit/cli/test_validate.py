"""``kueuelab validate``: problems with file and line, as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from kueuelab.cli import app

runner = CliRunner()

GOOD = """\
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: team-a}
spec: {cohort: all}
"""
BAD = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team-a}
spec:
  queueingStrategie: StrictFIFO
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: team-a}
spec:
  clusterQueue: [team-a]
"""


def written(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_valid_file_with_a_note(tmp_path: Path) -> None:
    file = written(tmp_path, "good.yaml", GOOD)
    result = runner.invoke(app, ["validate", file])
    assert result.exit_code == 0
    warning, note, verdict = result.stdout.splitlines()
    assert warning == (
        f"warning: {file}:1: ClusterQueue/team-a: This version is deprecated. Use v1beta2 instead."
    )
    assert note.startswith("note: ")
    assert "v1beta1" in note
    assert verdict == f"{file}: valid (1 ClusterQueue)"


def test_all_problems_with_file_and_line(tmp_path: Path) -> None:
    file = written(tmp_path, "bad.yaml", BAD)
    result = runner.invoke(app, ["validate", file])
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0].startswith(f"{file}:5: ClusterQueue/team-a: spec.queueingStrategie: ")
    assert lines[1] == "    Did you mean 'queueingStrategy'?"
    assert lines[2].startswith(f"{file}:11: LocalQueue/team-a: spec.clusterQueue: ")
    assert lines[-1] == f"{file}: 2 problems"


def test_json(tmp_path: Path) -> None:
    files = [written(tmp_path, "good.yaml", GOOD), written(tmp_path, "bad.yaml", BAD)]
    result = runner.invoke(app, ["validate", *files, "--json"])
    assert result.exit_code == 1
    good, bad = json.loads(result.stdout)["files"]
    assert (good["valid"], good["problems"]) == (True, [])
    assert (bad["valid"], [problem["line"] for problem in bad["problems"]]) == (False, [5, 11])
    assert bad["problems"][0]["object"] == "ClusterQueue/team-a"


def test_broken_yaml_is_a_problem_like_any_other(tmp_path: Path) -> None:
    file = written(tmp_path, "broken.yaml", "a: [1,\nb: }")
    result = runner.invoke(app, ["validate", file])
    assert result.exit_code == 1
    assert result.stdout.startswith(f"{file}:")
    assert "Traceback" not in result.output


def test_missing_file_is_bad_input(tmp_path: Path) -> None:
    result = runner.invoke(app, ["validate", str(tmp_path / "nowhere.yaml")])
    assert result.exit_code == 2
    assert "nowhere.yaml: No such file or directory" in result.stderr
