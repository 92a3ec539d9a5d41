"""``kubectl kueuelab``, the plugin of kubectl."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import kueuelab as kl
from kueuelab import __main__, scenarios
from kueuelab.cli import app, live
from kueuelab.cli.kubectl import kubectl
from kueuelab.whatif.lab import Lab


def test_it_has_the_three_commands_that_read_a_cluster() -> None:
    result = CliRunner().invoke(kubectl, ["--help"])
    assert result.exit_code == 0
    for word in ("why", "pending", "snapshot", "Nothing is written there"):
        assert word in " ".join(result.stdout.split())


def test_pending_reads_the_context_of_kubectl(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def read(context: str, out: object) -> Lab:
        asked.append(context)
        lab = scenarios.load("cohort-1-borrowing")
        assert isinstance(lab, Lab)
        return lab

    monkeypatch.setattr("kueuelab.cli.pending.live_lab", read)
    for arguments in (["pending"], ["pending", "--context", "c1", "--no-levers"]):
        result = CliRunner().invoke(kubectl, arguments)
        assert result.exit_code == 0, result.output
        assert "No workload is pending." in result.stdout
    assert asked == ["", "c1"]


@pytest.mark.parametrize("options", [[], ["--json"], ["--no-levers"], ["--queue", "cq-a"]])
def test_pending_says_what_kueuelab_pending_says(
    monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    monkeypatch.setattr(
        "kueuelab.cli.pending.live_lab", lambda context, out: kl.load(scenarios.dump("two-teams"))
    )
    arguments = ["pending", "--context", "c1", *options]
    plugin, command = (CliRunner().invoke(each, arguments) for each in (kubectl, app))
    assert plugin.exit_code == command.exit_code == 0, plugin.output
    assert plugin.stdout == command.stdout


def test_why_and_snapshot_are_those_of_kueuelab_live() -> None:
    callbacks = {each.name: each.callback for each in kubectl.registered_commands}
    assert callbacks["why"] is live.why
    assert callbacks["snapshot"] is live.snapshot


@pytest.mark.parametrize("arguments", [["nothing"], ["why"], ["pending", "x"]])
def test_bad_input(arguments: list[str]) -> None:
    result = CliRunner().invoke(kubectl, arguments)
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_the_entry_point_runs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["kubectl-kueuelab", "--version"])
    with pytest.raises(SystemExit) as ended:
        __main__.kubectl()
    assert not ended.value.code
