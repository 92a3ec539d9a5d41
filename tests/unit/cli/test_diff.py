"""``kueuelab diff``: scenarios and saved runs, as text, table and JSON."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

import kueuelab as kl
from kueuelab.cli import app

runner = CliRunner()
FOLDER = Path(kl.__file__).parent / "scenarios" / "preemption-policies"
ONE = str(FOLDER / "reclaim-1-take-back.yaml")
OTHER = str(FOLDER / "reclaim-2-victim-in-own-queue.yaml")


def test_the_same_has_no_differences() -> None:
    said = runner.invoke(app, ["diff", ONE, ONE])
    assert said.exit_code == 0
    assert f"before: {ONE}\nafter: {ONE}\n" in said.stdout
    assert "ends" not in said.stdout.replace("ends elsewhere", "")


def test_text_table_and_json(tmp_path: Path) -> None:
    saved = tmp_path / "one.json.gz"
    kl.load(ONE).run().save(saved)
    text = runner.invoke(app, ["diff", str(saved), OTHER])
    assert text.exit_code == 0
    assert "default/job-" in text.stdout
    table = runner.invoke(app, ["diff", str(saved), OTHER, "--table"])
    assert table.stdout.splitlines()[0].split() == ["queue", "what", "before", "after"]
    data = runner.invoke(app, ["diff", ONE, OTHER, "--json"])
    found = json.loads(data.stdout)
    assert sorted(found) == ["ends", "firstDecision", "objects", "queues", "statuses"]


def test_a_missing_file_is_named() -> None:
    said = runner.invoke(app, ["diff", ONE, "nowhere.yaml"])
    assert said.exit_code == 2
    assert "nowhere.yaml" in said.stderr
