"""kind clusters, with stand-ins for kind, kubectl and docker on the PATH."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from kueuelab.cli import app
from kueuelab.errors import InputError
from kueuelab.live.access import guard
from kueuelab.live.clusters import Command, Layout, Subprocess
from kueuelab.live.errors import LiveError

FAKE = Path(__file__).parent / "fake_tool.py"
runner = CliRunner()


class Machine:
    """A machine with (stand-ins for) some tools."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def install(self, *tools: str) -> None:
        for tool in tools:
            script = self.root / "bin" / tool
            script.write_text(f'#!/bin/sh\nexec {sys.executable} {FAKE} {tool} "$@"\n')
            script.chmod(0o755)

    def failing(self, *lines: str) -> None:
        (self.root / "fail").write_text("\n".join(lines))

    @property
    def log(self) -> list[dict[str, str]]:
        file = self.root / "log"
        return [json.loads(each) for each in file.read_text().splitlines()] if file.exists() else []

    def count(self, part: str) -> int:
        return sum(part in each["line"] for each in self.log)

    @property
    def clusters(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.root / "state.json").read_text())
        return found


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("FAKE_ROOT", str(tmp_path))
    return Machine(tmp_path)


@pytest.fixture
def tools(machine: Machine) -> Machine:
    machine.install("kind", "kubectl", "docker")
    return machine


Live = Callable[..., Any]


def live(*args: str) -> Any:
    return runner.invoke(app, ["live", *args])


def test_one_cluster_comes_up_and_a_second_time_nothing_is_done(tools: Machine) -> None:
    result = live("up")
    assert result.exit_code == 0, result.output
    assert tools.clusters["lab"]["kueue"] == "v0.19.2"
    assert live("status").stdout == "lab (context kind-lab): Kueue v0.19.2, ready\n"
    again = live("up")
    assert again.exit_code == 0
    assert again.stdout.count("done already") == 3
    assert tools.count("kind create") == 1
    assert tools.count(" apply ") == 1


def test_a_manager_and_its_workers_are_connected(tools: Machine) -> None:
    result = live("up", "--workers", "2")
    assert result.exit_code == 0, result.output
    applied = yaml.safe_load_all(tools.clusters["lab-manager"]["applied"])
    by_kind: dict[str, list[Any]] = {}
    for obj in filter(None, applied):
        by_kind.setdefault(obj["kind"], []).append(obj)
        assert obj["metadata"]["labels"] == {"app.kubernetes.io/managed-by": "kueuelab"}
    assert len(by_kind["MultiKueueCluster"]) == len(by_kind["Secret"]) == 2
    assert by_kind["MultiKueueConfig"][0]["spec"]["clusters"] == ["lab-worker1", "lab-worker2"]
    config = yaml.safe_load(by_kind["Secret"][0]["stringData"]["kubeconfig"])
    assert config["clusters"][0]["cluster"]["server"] == "https://lab-worker1-control-plane:6443"
    assert config["users"][0]["user"]["token"] == "secret-token"
    assert "secret-token" not in result.output
    lines = live("status", "--workers", "2").stdout.splitlines()
    assert lines[-1] == "MultiKueueCluster lab-worker2: connected"


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        ("kind create", "create lab: kind failed (exit code 1): ERROR: kind create is broken"),
        ("apply --server-side -f https", "install Kueue v0.19.2 in lab: kubectl failed"),
        ("wait deployment", "wait until Kueue is ready in lab: kubectl failed"),
    ],
)
def test_a_failed_step_says_what_to_do_and_the_next_run_goes_on(
    tools: Machine, broken: str, sentence: str
) -> None:
    tools.failing(broken)
    result = live("up")
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert any(word in result.stderr for word in ("Look at", "Check the network"))
    tools.failing()
    assert live("up").exit_code == 0
    assert tools.clusters["lab"]["kueue"] == "v0.19.2"


def test_a_cluster_of_somebody_else_is_not_touched(tools: Machine) -> None:
    (tools.root / "state.json").write_text(json.dumps({"lab": {"own": False}}))
    for command in ("up", "down"):
        result = live(command)
        assert result.exit_code == 2
        assert "the kind cluster 'lab' was not created by kueuelab" in result.stderr
    assert "lab" in tools.clusters
    assert tools.count("delete") == tools.count("apply") == 0


def test_down_removes_what_up_made_twice_without_harm(tools: Machine) -> None:
    live("up", "--workers", "1")
    (state := tools.clusters)["other"] = {"own": True}
    (tools.root / "state.json").write_text(json.dumps(state))
    assert live("down", "--workers", "1").exit_code == 0
    assert list(tools.clusters) == ["other"]
    again = live("down", "--workers", "1")
    assert again.exit_code == 0
    assert again.stdout == "# lab-worker1 is not there\n# lab-manager is not there\n"
    assert live("status").stdout == "lab: not there\n"


def test_a_dry_run_prints_everything_and_runs_nothing(machine: Machine) -> None:
    result = live("up", "--workers", "1", "--dry-run")
    assert result.exit_code == 0, result.output
    for part in (
        "kind create cluster --name lab-manager",
        "kind: MultiKueueCluster",
        "/v0.19.2/manifests.yaml",
        "kind: ClusterRoleBinding",
        "(credentials are not shown)",
    ):
        assert part in result.stdout
    assert live("down", "--dry-run").stdout == "# delete lab\nkind delete cluster --name lab\n"
    assert machine.log == []


@pytest.mark.parametrize(
    ("installed", "sentence"),
    [
        ((), "kubectl is not installed. Install it: https://kubernetes.io"),
        (("kubectl",), "kind is not installed. Install it: https://kind.sigs"),
        (("kubectl", "kind"), "there is no container engine. Install docker or podman"),
    ],
)
def test_a_missing_tool_is_one_sentence(
    machine: Machine, installed: tuple[str, ...], sentence: str
) -> None:
    machine.install(*installed)
    result = live("up")
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1


def test_podman_will_do_and_a_silent_engine_is_told(machine: Machine) -> None:
    machine.install("kubectl", "kind", "podman")
    assert live("up").exit_code == 0
    machine.failing("podman info")
    assert "podman is installed but does not answer" in live("up").stderr


def test_a_configuration_is_checked_and_kueue_restarted(tools: Machine, tmp_path: Path) -> None:
    file = tmp_path / "configuration.yaml"
    file.write_text("fairSharing: 5\n")
    assert live("up", "--configuration", str(file)).exit_code == 2
    assert tools.log == []
    file.write_text("fairSharing: {}\n")
    assert live("up", "--configuration", str(file)).exit_code == 0
    assert tools.count("rollout restart deployment/kueue-controller-manager") == 1
    assert "fairSharing: {}" in tools.clusters["lab"]["applied"]


def test_a_command_that_takes_too_long_ends(machine: Machine) -> None:
    with pytest.raises(LiveError, match="took longer than"):
        Subprocess().run(Command(("/bin/sleep", "5"), seconds=0.05))


def test_only_kind_clusters_are_written_to_unless_named() -> None:
    guard("kind-lab")
    guard("staging", ["staging"])
    with pytest.raises(LiveError, match="--allow-context production"):
        guard("production", ["staging"])


def test_names_are_checked() -> None:
    with pytest.raises(InputError, match="is no name of a cluster"):
        Layout("../etc")
