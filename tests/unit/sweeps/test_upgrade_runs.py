"""Random histories under two releases: the same in both, and how often decisions differ."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from kueuelab import scenarios
from kueuelab.cli.app import app
from kueuelab.manifests import load_scenario
from kueuelab.manifests.scenario import Submit
from kueuelab.model import release_named
from kueuelab.sweeps.upgrade_runs import upgrade_runs, varied_history

RUNNER = CliRunner()
BEFORE, AFTER = release_named("v0.18.6"), release_named("v0.19.2")


def test_a_seed_gives_both_releases_the_same_history() -> None:
    text = scenarios.text("fair-1-three-teams")
    one, other = (load_scenario(text, release=release) for release in (BEFORE, AFTER))
    histories = []
    for spec in (one, other):
        submits = [each for each in varied_history(spec, 7).timeline if isinstance(each, Submit)]
        histories.append([(each.at, each.workloads[0].key, each.runs) for each in submits])
    assert histories[0] == histories[1]
    found = upgrade_runs(one, other, seeds=3)
    assert (found.seeds, found.differing, found.share) == ((1, 2, 3), (), 0.0)
    assert found.submitted > 1


def test_what_differs_in_each_history_is_counted() -> None:
    text = scenarios.text("version-2-undeclared-resource")
    one, other = (load_scenario(text, release=release) for release in (BEFORE, AFTER))
    found = upgrade_runs(one, other, seeds=2)
    assert (found.differing, found.share) == ((1, 2), 1.0)
    assert found.first is not None
    assert found.first.decides_otherwise


def test_the_command_says_what_was_tried(tmp_path: Path) -> None:
    call = ["upgrade", "reclaim-1-take-back", "--from", "0.18", "--to", "0.19", "--seeds", "2"]
    page = tmp_path / "upgrade.html"
    lines = RUNNER.invoke(app, [*call, "--html", str(page)]).stdout.splitlines()
    at = lines.index("Random histories, before and after:")
    assert lines[at + 1].startswith("In each run 3 submissions change places")
    assert lines[at + 2] == "Nothing differs in 2 runs"
    assert "Nothing differs in 2 runs" in page.read_text("utf-8")
    data = json.loads(RUNNER.invoke(app, [*call, "--json"]).stdout)
    assert (data["histories"]["runs"], data["histories"]["differing"]) == (2, [])
    model = tmp_path / "model.yaml"
    assert RUNNER.invoke(app, [*call, "--workloads", str(model)]).exit_code == 2
