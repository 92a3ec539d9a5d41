"""``kueuelab live``: what it says without a cluster."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from kueuelab.cli import app

runner = CliRunner()


def test_the_rights_are_printed_without_a_cluster() -> None:
    result = runner.invoke(app, ["live", "snapshot", "--rbac"])
    assert result.exit_code == 0
    assert "kind: ClusterRole" in result.stdout


def test_an_unusable_kubeconfig_is_one_sentence(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", f"{tmp_path}/none")
    monkeypatch.setenv("HOME", str(tmp_path))
    for command in (["snapshot"], ["why", "a"]):
        result = runner.invoke(app, ["live", *command])
        assert result.exit_code == 2
        assert result.stderr.startswith("kueuelab: the kubeconfig")
        assert result.stderr.count("\n") == 1
