"""kind clusters, with stand-ins for kind, kubectl and docker on the PATH."""

from __future__ import annotations

import base64
import json
import sys
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
            script.write_text(f'#!/bin/sh\nexec {sys.executable} -E -s {FAKE} {tool} "$@"\n')
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
        file = self.root / "state.json"
        return json.loads(file.read_text()) if file.exists() else {}

    def put(self, **clusters: dict[str, Any]) -> None:
        """Have clusters, or change those that there are."""
        state = self.clusters
        for name, more in clusters.items():
            state.setdefault(name, {}).update(more)
        (self.root / "state.json").write_text(json.dumps(state))

    def objects(self, cluster: str, kind: str = "") -> list[Any]:
        found = self.clusters[cluster].get("objects", {}).values()
        return [obj for obj in found if kind in ("", obj["kind"])]


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


LABELS = {"app.kubernetes.io/managed-by": "kueuelab", "kueuelab/wiring": "lab"}


def login(secret: Any) -> Any:
    """Return the kubeconfig in a secret."""
    return yaml.safe_load(base64.b64decode(secret["data"]["kubeconfig"]))


def documents(text: str) -> list[Any]:
    """Return the manifests in what a dry run prints."""
    parts = [part.partition("<<EOF\n")[2] for part in text.split("\nEOF\n")]
    return [obj for part in parts for obj in yaml.safe_load_all(part) if obj]


def live(*args: str) -> Any:
    return runner.invoke(app, ["live", *args])


def test_one_cluster_comes_up_and_a_second_time_nothing_is_done(tools: Machine) -> None:
    result = live("up")
    assert result.exit_code == 0, result.output
    assert tools.clusters["lab"]["kueue"] == "v0.19.2"
    status = live("status")
    assert (status.exit_code, status.stdout) == (
        0,
        "lab (context kind-lab): Kueue v0.19.2, ready\n",
    )
    again = live("up")
    assert again.exit_code == 0
    assert again.stdout.count("done already") == 3
    assert tools.count("kind create") == 1
    assert tools.count(" apply ") == 1


def test_status_says_that_another_release_is_installed(tools: Machine) -> None:
    assert live("up").exit_code == 0
    tools.put(lab={"kueue": "v0.20.0"})
    status = live("status")
    assert status.exit_code == 0
    assert "Kueue in 'kind-lab' is v0.20.0; the lab decides as v0.20-dev does." in status.stdout


def test_a_run_that_stopped_in_the_middle_goes_on(tools: Machine) -> None:
    tools.failing("apply --server-side --field-manager=kueuelab")
    assert live("up", "--workers", "1").exit_code == 2
    tools.failing()
    result = live("up", "--workers", "1")
    assert result.exit_code == 0, result.output
    assert result.stdout.count("done already") == 8
    assert tools.count("kind create") == 2
    again = live("up", "--workers", "1")
    assert again.exit_code == 0
    assert again.stdout.count("done already") == 9


def test_a_manager_and_its_workers_are_connected(tools: Machine) -> None:
    result = live("up", "--workers", "2")
    assert result.exit_code == 0, result.output
    for obj in tools.objects("lab-manager"):
        if obj["kind"] == "ConfigMap":  # Kueue's own
            continue
        assert obj["metadata"]["labels"] == LABELS
    assert len(tools.objects("lab-manager", "MultiKueueCluster")) == 2
    (config,) = tools.objects("lab-manager", "MultiKueueConfig")
    assert config["spec"]["clusters"] == ["lab-worker1", "lab-worker2"]
    # Scenarios with several clusters know their workers by these secrets.
    secrets = {obj["metadata"]["name"]: obj for obj in tools.objects("lab-manager", "Secret")}
    assert set(secrets) == {"w1-secret", "w2-secret"}
    kubeconfig = login(secrets["w1-secret"])
    cluster = kubeconfig["clusters"][0]["cluster"]
    assert cluster["server"] == "https://lab-worker1-control-plane:6443"
    assert kubeconfig["users"][0]["user"] == {"token": "secret-token"}
    assert "secret-token" not in result.output
    lines = live("status", "--workers", "2").stdout.splitlines()
    assert lines[-1] == "MultiKueueCluster lab-worker2: connected"


def test_frameworks_that_are_not_served_are_taken_out_on_manager_and_workers(
    tools: Machine,
) -> None:
    result = live("up", "--workers", "1")
    assert result.exit_code == 0, result.output
    for cluster in ("lab-manager", "lab-worker1"):
        assert frameworks(tools, cluster) == ["batch/job", "pod", "statefulset"]
    assert tools.count("rollout restart deployment/kueue-controller-manager") == 2
    assert "done already" in live("up", "--workers", "1").stdout
    assert tools.count("rollout restart deployment/kueue-controller-manager") == 2


def test_a_framework_stays_where_manager_and_all_workers_serve_it(
    tools: Machine, tmp_path: Path
) -> None:
    served = {"own": True, "serves": {"jobset.x-k8s.io/v1alpha2": ["JobSet"]}}
    tools.put(**{"lab-manager": served, "lab-worker1": served, "lab-worker2": {"own": True}})
    file = tmp_path / "configuration.yaml"
    file.write_text("integrations: {frameworks: [batch/job, jobset.x-k8s.io/jobset]}\n")
    assert live("up", "--workers", "2", "--configuration", str(file)).exit_code == 0
    assert frameworks(tools, "lab-manager") == ["batch/job"]
    assert frameworks(tools, "lab-worker1") == ["batch/job", "jobset.x-k8s.io/jobset"]
    assert frameworks(tools, "lab-worker2") == ["batch/job"]


def frameworks(machine: Machine, cluster: str) -> list[str]:
    """Return the frameworks in the Configuration that was written to a cluster."""
    (found,) = machine.objects(cluster, "ConfigMap")
    configuration = yaml.safe_load(found["data"]["controller_manager_config.yaml"])
    listed: list[str] = configuration["integrations"]["frameworks"]
    return listed


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


def test_a_cluster_of_another_owner_is_not_touched(tools: Machine) -> None:
    tools.put(lab={"own": False})
    for command in ("up", "down"):
        result = live(command)
        assert result.exit_code == 2
        assert "the kind cluster 'lab' was not created by kueuelab" in result.stderr
    assert "lab" in tools.clusters
    assert tools.count("delete") == tools.count("apply") == 0


def test_down_removes_what_up_made_twice_without_harm(tools: Machine) -> None:
    live("up", "--workers", "1")
    tools.put(other={"own": True})
    assert live("down", "--workers", "1").exit_code == 0
    assert list(tools.clusters) == ["other"]
    again = live("down", "--workers", "1")
    assert again.exit_code == 0
    assert again.stdout == "# lab-worker1 does not exist\n# lab-manager does not exist\n"
    status = live("status")
    assert (status.exit_code, status.stdout) == (1, "lab: does not exist\n")


def test_a_dry_run_prints_everything_and_runs_nothing(machine: Machine) -> None:
    result = live("up", "--workers", "1", "--dry-run")
    assert result.exit_code == 0, result.output
    for part in (
        "kind create cluster --name lab-manager",
        "kind: MultiKueueCluster",
        "/v0.19.2/manifests.yaml",
        "kind: ClusterRoleBinding",
        "# [1/12] create lab-manager\n",
    ):
        assert part in result.stdout
    secret = next(
        part
        for part in documents(result.stdout)
        if part.get("kind") == "Secret" and "stringData" in part
    )
    assert "(the token of kind-lab-worker1)" in secret["stringData"]["kubeconfig"]
    assert "get secret lab-multikueue -o" in result.stdout
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
    for command in ("up", "status", "down"):
        result = live(command)
        assert result.exit_code == 2
        assert sentence in result.stderr
        assert result.stderr.count("\n") == 1


def test_podman_will_do_and_a_silent_engine_is_reported(machine: Machine) -> None:
    machine.install("kubectl", "kind", "podman")
    assert live("up").exit_code == 0
    machine.failing("podman info")
    assert "podman is installed but does not answer" in live("up").stderr


@pytest.mark.parametrize(
    ("silent", "provider"), [("", ""), ("docker info", "podman"), ("podman info", "")]
)
def test_kind_is_reported_which_engine_answers(
    machine: Machine, silent: str, provider: str
) -> None:
    machine.install("kubectl", "kind", "docker", "podman")
    machine.failing(silent)
    for command in ("up", "status", "down"):
        assert live(command).exit_code == 0
    asked = {each["provider"] for each in machine.log if "cluster" in each["line"].split()[2:3]}
    assert asked == {provider}


def test_who_chose_an_engine_is_taken_at_their_word(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.install("kubectl", "kind", "docker", "podman")
    monkeypatch.setenv("KIND_EXPERIMENTAL_PROVIDER", "podman")
    machine.failing("podman info")
    assert "podman is installed but does not answer" in live("up").stderr
    assert machine.count("docker") == machine.count("kind create") == 0


def test_a_configuration_is_checked_and_kueue_restarted(tools: Machine, tmp_path: Path) -> None:
    file = tmp_path / "configuration.yaml"
    file.write_text("fairSharing: 5\n")
    assert live("up", "--configuration", str(file)).exit_code == 2
    assert tools.log == []
    file.write_text("fairSharing: {preemptionStrategies: [LessThanInitialShare]}\n")
    assert live("up", "--configuration", str(file)).exit_code == 0
    assert tools.count("rollout restart deployment/kueue-controller-manager") == 1
    (applied,) = tools.objects("lab", "ConfigMap")
    assert (
        applied["data"]["controller_manager_config.yaml"]
        == "fairSharing: {preemptionStrategies: [LessThanInitialShare]}\n"
    )
    assert "done already" in live("up", "--configuration", str(file)).stdout
    assert tools.count("rollout restart deployment/kueue-controller-manager") == 1


def test_a_command_that_takes_too_long_ends(machine: Machine) -> None:
    with pytest.raises(LiveError, match="took longer than"):
        Subprocess().run(Command(("/bin/sleep", "5"), seconds=0.05))


def test_only_kind_clusters_are_written_to_unless_named() -> None:
    guard("kind-lab")
    guard("staging", ["staging"])
    with pytest.raises(LiveError, match="--allow-context production"):
        guard("production", ["staging"])


def test_names_are_checked() -> None:
    with pytest.raises(InputError, match="is not a valid name of a cluster"):
        Layout("../etc")
