"""MultiKueue between contexts of a kubeconfig, with a stand-in for kubectl on the PATH."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from test_clusters import Machine, documents, live, login

from kueuelab.errors import InputError
from kueuelab.live.clusters import Command, DryRun, Subprocess, Wiring, connect
from kueuelab.live.clusters.wiring import worker_access

WHO = ("--manager", "hub", "--worker", "w1=east", "--worker", "w2=west")
ALLOWED = ("--allow-context", "hub", "--allow-context", "east", "--allow-context", "west")
LABELS = {"app.kubernetes.io/managed-by": "kueuelab", "kueuelab/wiring": "lab"}


@pytest.fixture
def machine(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Return a machine with kubectl, and three clusters that are somebody's."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("FAKE_ROOT", str(tmp_path))
    monkeypatch.setattr(Subprocess, "pause", lambda self, seconds: None)
    found = Machine(tmp_path)
    found.install("kubectl")
    found.put(
        hub={"kueue": "v0.19.2", "configuration": "integrations: {frameworks: [batch/job, pod]}"},
        east={"kueue": "v0.19.2", "server": "https://east.example:6443"},
        west={"kueue": "v0.19.2", "server": "https://west.example:6443"},
    )
    return found


def test_a_manager_is_connected_with_its_workers(machine: Machine) -> None:
    result = live("up", *WHO, *ALLOWED)
    assert result.exit_code == 0, result.output
    assert "names the AdmissionCheck lab-multikueue dispatches its workloads" in result.stdout
    made = [obj for name in ("hub", "east", "west") for obj in machine.objects(name)]
    assert all(obj["metadata"]["labels"] == LABELS for obj in made)
    kinds = sorted(obj["kind"] for obj in machine.objects("east"))
    assert kinds == ["ClusterRole", "ClusterRoleBinding", "Secret", "ServiceAccount"]
    secrets = {obj["metadata"]["name"]: login(obj) for obj in machine.objects("hub", "Secret")}
    servers = {name: config["clusters"][0]["cluster"]["server"] for name, config in secrets.items()}
    assert servers == {
        "w1-secret": "https://east.example:6443",
        "w2-secret": "https://west.example:6443",
    }
    names = [obj["metadata"]["name"] for obj in machine.objects("hub", "MultiKueueCluster")]
    assert names == ["lab-w1", "lab-w2"]
    (check,) = machine.objects("hub", "AdmissionCheck")
    assert check["spec"]["parameters"]["name"] == "lab"
    assert "secret-token" not in result.output
    assert live("status", *WHO).stdout.splitlines() == [
        "hub: serves Kueue's API",
        "east: serves Kueue's API",
        "west: serves Kueue's API",
        "MultiKueueCluster lab-w1: connected",
        "MultiKueueCluster lab-w2: connected",
    ]
    before = machine.clusters
    again = live("up", *WHO, *ALLOWED)
    assert again.exit_code == 0
    assert {name: machine.objects(name) for name in before} == {
        name: list(cluster.get("objects", {}).values()) for name, cluster in before.items()
    }


def test_the_manager_may_watch_every_kind_that_it_may_have_to() -> None:
    # A connection stands only if all kinds of jobs can be watched that are served.
    (role,) = [
        obj
        for obj in documents(f"<<EOF\n{worker_access(Wiring.of('lab', 'hub', {'w1': 'east'}))}")
        if obj["kind"] == "ClusterRole"
    ]
    allowed = {
        (group, kind): set(rule["verbs"])
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for kind in rule["resources"]
    }
    for group, kind in (("batch", "jobs"), ("", "pods"), ("apps", "statefulsets")):
        assert allowed[group, kind] == {"create", "delete", "get", "list", "watch"}
        assert allowed[group, f"{kind}/status"] == {"get"}
    assert allowed["kueue.x-k8s.io", "clusterqueues"] == {"get", "list", "watch"}
    # Neither secrets nor anything that is not asked for.
    assert not [each for each in allowed if "*" in each or "secrets" in each]


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ((), "'hub' is not a kind cluster, so kueuelab does not write to it. To allow it: "),
        (ALLOWED[:4], "--allow-context west"),
    ],
)
def test_nothing_is_written_to_a_context_that_was_not_named(
    machine: Machine, more: tuple[str, ...], sentence: str
) -> None:
    for command in ("up", "down"):
        result = live(command, *WHO, *more)
        assert result.exit_code == 2
        assert sentence in result.stderr
    assert "--allow-context hub" in live("down", "--context", "hub").stderr
    assert machine.log == []


def test_what_was_made_is_removed_and_nothing_else(machine: Machine) -> None:
    theirs = {
        "kind": "AdmissionCheck",
        "metadata": {"name": "theirs", "labels": {"app.kubernetes.io/managed-by": "kueuelab"}},
    }
    machine.put(hub={"objects": {"AdmissionCheck//theirs": theirs}})
    assert live("up", *WHO, *ALLOWED).exit_code == 0
    assert live("up", *WHO, *ALLOWED, "--name", "other").exit_code == 2  # the secrets are lab's
    result = live("down", *WHO, *ALLOWED)
    assert result.exit_code == 0, result.output
    assert machine.objects("hub") == [theirs]
    kept = {obj["metadata"]["labels"]["kueuelab/wiring"] for obj in machine.objects("east")}
    assert kept == {"other"}
    again = live("down", *WHO, *ALLOWED)
    assert again.exit_code == 0
    assert again.stdout.splitlines()[-1] == "# nothing to remove"


def test_nothing_that_is_there_is_written_over(machine: Machine) -> None:
    theirs = {"kind": "Secret", "metadata": {"name": "w1-secret", "namespace": "kueue-system"}}
    machine.put(hub={"objects": {"Secret/kueue-system/w1-secret": theirs}})
    result = live("up", *WHO, *ALLOWED)
    assert result.exit_code == 2
    assert "Secret/w1-secret: it already exists, and kueuelab does not change existing objects" in (
        result.stderr
    )
    assert machine.objects("hub") == [theirs]


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        ({"west": {"down": True}}, "'west' cannot be asked: The connection to the server was"),
        (
            {"east": {"no_namespace": True}},
            "Create it: kubectl --context east create namespace kueue-system",
        ),
        ({"hub": {"unreachable": True}}, "Kueue says: dial tcp: lookup nowhere: no such host"),
        ({"hub": {"unreachable": True}}, "--server w1=https://HOST:PORT"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_do_and_then_it_goes_on(
    machine: Machine, state: dict[str, Any], sentence: str
) -> None:
    machine.put(**state)
    result = live("up", *WHO, *ALLOWED)
    assert result.exit_code == 2
    assert sentence in result.stderr
    machine.put(**{name: dict.fromkeys(more, False) for name, more in state.items()})
    assert live("up", *WHO, *ALLOWED).exit_code == 0


_RELEASED = "integrations: {frameworks: [batch/job, kubeflow.org/mpijob, ray.io/rayjob]}"


def test_frameworks_that_a_worker_does_not_serve_are_named_before_anything_is_written(
    machine: Machine,
) -> None:
    """Kueue of the manager watches all of them, and is never connected without one."""
    machine.put(
        hub={"configuration": _RELEASED}, east={"serves": {"kubeflow.org/v2beta1": ["MPIJob"]}}
    )
    result = live("up", *WHO, *ALLOWED)
    assert result.exit_code == 2
    for part in (
        "east does not serve RayJob (ray.io/rayjob), but Kueue of hub watches every kind",
        "Remove it from integrations.frameworks in the ConfigMap kueue-system/kueue-manager-config",
        "install the CRD in east",
    ):
        assert part in result.stderr
    assert machine.count(" apply ") == 0
    machine.put(**{name: {"serves": _SERVED} for name in ("east", "west")})
    assert live("up", *WHO, *ALLOWED).exit_code == 0


_SERVED = {"kubeflow.org/v2beta1": ["MPIJob"], "ray.io/v1": ["RayJob"]}


def test_a_connection_that_never_comes_is_not_waited_for(machine: Machine) -> None:
    """Where the Configuration is not where the release puts it, Kueue's condition tells."""
    machine.put(hub={"configuration": "", "unmatched": True})
    result = live("up", *WHO, *ALLOWED)
    assert result.exit_code == 2
    assert "east does not serve MPIJob (kubeflow.org/mpijob)" in result.stderr
    assert "integrations.frameworks" in result.stderr
    assert machine.count("wait multikueuecluster") == 1


def test_kueue_is_never_installed_on_a_cluster_of_another_owner(machine: Machine) -> None:
    machine.put(bare={})
    for who in (("--context", "bare"), ("--manager", "hub", "--worker", "w1=bare")):
        result = live("up", *who, *ALLOWED, "--allow-context", "bare")
        assert result.exit_code == 2
        assert "its API server does not serve kueue.x-k8s.io/v1beta2" in result.stderr
        assert "Install Kueue: kubectl --context bare apply --server-side -f https" in result.stderr
    assert machine.count(" apply ") == 0
    status = live("status", "--context", "bare")
    assert (status.exit_code, status.stdout) == (1, "bare: does not serve Kueue's API\n")
    # To look at one needs nobody's leave.
    assert live("up", "--context", "hub").exit_code == 0


def test_status_fails_where_nothing_answers(machine: Machine) -> None:
    machine.failing("--raw /apis/kueue.x-k8s.io")
    status = live("status", "--context", "hub")
    assert status.exit_code == 1
    assert status.stdout.startswith("'hub' cannot be asked: ")


def test_where_no_controller_writes_tokens_the_api_server_gives_one(machine: Machine) -> None:
    machine.put(east={"tokenless": True})
    result = live("up", "--manager", "hub", "--worker", "w1=east", *ALLOWED)
    assert result.exit_code == 0, result.output
    assert machine.count("create token lab-multikueue") == 1
    (secret,) = machine.objects("hub", "Secret")
    config = login(secret)
    assert config["users"][0]["user"] == {"token": "requested-token"}
    assert config["clusters"][0]["cluster"]["certificate-authority-data"] == "Q0E="
    assert "requested-token" not in result.output


def test_an_address_may_be_given(machine: Machine) -> None:
    machine.put(east={"server": "https://127.0.0.1:6443"})
    who = ("--manager", "hub", "--worker", "w1=east", *ALLOWED)
    result = live("up", *who)
    assert result.exit_code == 2
    assert "has https://127.0.0.1:6443 for 'east', which only this machine reaches" in result.stderr
    assert "--server w1=https://HOST:PORT" in result.stderr
    # It is said before anything is written, and nothing is waited for.
    assert machine.objects("hub") == machine.objects("east") == []
    assert not [each for each in machine.log if "apply" in str(each) or "wait" in str(each)]
    # An address that is given is taken as it is.
    result = live("up", *who, "--server", "w1=https://127.0.0.1:6443")
    assert result.exit_code == 0
    assert "https://127.0.0.1:6443 can be reached only from the machine itself" in result.stdout
    result = live("up", *who, "--server", "w1=https://10.1.2.3:6443")
    assert "can be reached only" not in result.stdout
    (secret,) = machine.objects("hub", "Secret")
    assert login(secret)["clusters"][0]["cluster"]["server"] == "https://10.1.2.3:6443"


def test_a_dry_run_of_contexts_prints_everything_and_runs_nothing(machine: Machine) -> None:
    result = live("up", *WHO, "--server", "w2=https://10.1.2.3:6443", "--dry-run")
    assert result.exit_code == 0, result.output
    assert machine.log == []
    made = [(obj["kind"], obj["metadata"]["name"]) for obj in documents(result.stdout)]
    for each in (
        ("ServiceAccount", "lab-multikueue"),
        ("ClusterRoleBinding", "lab-multikueue"),
        ("Secret", "w1-secret"),
        ("MultiKueueCluster", "lab-w2"),
        ("MultiKueueConfig", "lab"),
        ("AdmissionCheck", "lab-multikueue"),
    ):
        assert each in made
    assert "server: (the address of east)" in result.stdout
    assert "server: https://10.1.2.3:6443" in result.stdout
    assert "kubectl --context hub wait multikueuecluster/lab-w1" in result.stdout
    undone = live("down", *WHO, "--dry-run").stdout
    assert "delete admissionchecks.kueue.x-k8s.io -l " in undone
    assert machine.log == []


def test_kind_clusters_reach_each_other_by_the_names_of_their_nodes(machine: Machine) -> None:
    local = {"kueue": "v0.19.2", "server": "https://127.0.0.1:37203"}
    manager = {**local, "configuration": "integrations: {frameworks: [batch/job]}"}
    machine.put(a=manager, b={**local, "nodes": ["b-control-plane"]}, c=local)
    who = ("--manager", "kind-a", "--worker", "w1=kind-b")
    assert live("up", *who).exit_code == 0
    (secret,) = machine.objects("a", "Secret")
    assert login(secret)["clusters"][0]["cluster"]["server"] == "https://b-control-plane:6443"
    # Named as those of kind are, and made otherwise: the name of the node would be a guess.
    result = live("up", "--manager", "kind-a", "--worker", "w1=kind-c", "--name", "other")
    assert result.exit_code == 2
    assert "has https://127.0.0.1:37203 for 'kind-c'" in result.stderr
    assert "--server w1=https://HOST:PORT" in result.stderr
    machine.put(c={"server": "https://10.0.0.7:6443"})
    assert live("up", "--manager", "kind-a", "--worker", "w3=kind-c", "--name", "o").exit_code == 0
    secrets = {each["metadata"]["name"]: each for each in machine.objects("a", "Secret")}
    found = login(secrets["w3-secret"])["clusters"][0]["cluster"]["server"]
    assert found == "https://10.0.0.7:6443"


def test_a_dry_run_of_kind_clusters_names_their_nodes(machine: Machine) -> None:
    result = live("up", "--manager", "kind-a", "--worker", "w1=kind-b", "--dry-run")
    assert "server: https://b-control-plane:6443" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--manager", "hub"), "give both"),
        (("--worker", "w1=east"), "give both"),
        (("--manager", "hub", "--worker", "east"), "'east' is not WORKER=..."),
        (("--manager", "hub", "--context", "east", "--worker", "w1=x"), "give one of the two"),
        (("--workers", "2", "--context", "east"), "it is for kind"),
        ((*WHO, "--worker", "w1=x"), "'w1' is given twice"),
        (("--manager", "hub", "--worker", "w1=hub"), "the context 'hub' is given twice"),
        ((*WHO, "--server", "w3=https://x"), "there is no worker 'w3'. There are: w1, w2"),
        ((*WHO, "--server", "w1=http://x"), "'http://x' is not the address of a server"),
        ((*WHO, "--name", "Lab"), "'Lab' is not a valid name"),
    ],
)
def test_what_makes_no_sense_is_refused(
    machine: Machine, arguments: tuple[str, ...], sentence: str
) -> None:
    result = live("up", *arguments, *ALLOWED)
    assert result.exit_code == 2
    # The frame of a usage error breaks lines.
    assert sentence in " ".join(result.stderr.replace("│", " ").split())
    assert machine.log == []


def test_all_mistakes_are_reported_at_once() -> None:
    with pytest.raises(InputError) as caught:
        Wiring.of("Lab", "hub", {"W": "hub"}, {"x": "ftp://y"})
    assert len(caught.value.problems) == 5


def test_how_far_it_is_can_be_watched() -> None:
    told: list[str] = []

    @contextmanager
    def watch(steps: int) -> Iterator[Callable[[], None]]:
        told.append(f"of {steps}")
        yield lambda: told.append("one")

    connect(Wiring.of("lab", "hub", {"w1": "east"}), DryRun(lambda line: None), watch=watch)
    assert told == ["of 10", *["one"] * 10]


@pytest.mark.skipif(os.name == "nt", reason="there are no pseudo-terminals")
def test_a_bar_is_shown_on_a_terminal(machine: Machine) -> None:
    import pty

    shown, terminal = pty.openpty()
    seen: list[bytes] = []

    def read() -> None:
        with suppress(OSError):  # the other end is closed
            while part := os.read(shown, 4096):
                seen.append(part)

    reader = threading.Thread(target=read)
    reader.start()
    # A bar is for what takes long. How long this takes depends on the machine: it is shown at once.
    at_once = (
        "from kueuelab import cli; from kueuelab.cli import output; "
        "output._SECONDS_UNTIL_SHOWN = 0; cli.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", at_once, "live", "up", *WHO, *ALLOWED],
        stdout=subprocess.PIPE,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
        timeout=900,
        check=True,
    )
    os.close(terminal)
    reader.join()
    os.close(shown)
    bar = b"".join(seen).decode()
    assert "clusters" in bar
    assert "/17" in bar
    # The result goes where it was sent to.
    assert done.stdout.decode().splitlines()[0] == "# [1/17] find Kueue in hub"


def test_no_credentials_are_in_what_a_command_says() -> None:
    command = Command(("kubectl",), stdin="token: abc", secret=True)
    assert "abc" not in f"{command} {command!r}"
