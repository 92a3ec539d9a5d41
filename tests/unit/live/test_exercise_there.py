"""``kueuelab exercise check --on``: a learner's manifests on an API server, judged from there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from pretend import Pretend
from typer.testing import CliRunner

from kueuelab.cli import app, exercise
from kueuelab.live.resources import JOBS, KUEUE
from kueuelab.workshop import Exercise, Progress
from kueuelab.workshop.reading import read_exercise

START = """
{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: default}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec:
  namespaceSelector: {}
  preemption: {withinClusterQueue: Never}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: default, resources: [{name: cpu, nominalQuota: 2}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: team}
spec: {clusterQueue: team}
"""
CASE = {
    "id": "monday",
    "timeline": [
        {
            "at": "0s",
            # Without an end: late on a busy machine, it would leave in time for the other.
            "submit": {"job": "sweep", "queue": "team", "requests": {"cpu": 2}},
        },
        {
            "at": "1s",
            "submit": {
                "job": "demo",
                "queue": "team",
                "requests": {"cpu": 2},
                "priority": 5,
                "runs": "1s",
            },
        },
    ],
    "checks": [
        {"id": "first", "admitted": "sweep", "within": "300s"},
        {"id": "demo", "admitted": "demo", "within": "300s"},
        {"id": "rest", "noLoop": True},
    ],
}
TEXTS = {"title": "?", "goal": "?", "case.monday": "Monday"} | {
    f"check.{name}": name for name in ("first", "demo", "rest")
}
runner = CliRunner()


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Exercise:
    """Have an exercise whose only case takes a few seconds."""
    folder = tmp_path / "small"
    (folder / "texts").mkdir(parents=True)
    spec = {"number": 1, "topic": "preemption", "difficulty": "easy", "minutes": 5, "cases": [CASE]}
    document = {"kind": "Exercise", "metadata": {"name": "small"}, "spec": spec}
    (folder / "exercise.yaml").write_text(yaml.safe_dump(document))
    (folder / "start.yaml").write_text(START)
    (folder / "texts" / "en.yaml").write_text(yaml.safe_dump({"messages": TEXTS}))
    work = tmp_path / "work"
    work.mkdir()
    found = Exercise(read_exercise(folder), work, Progress(tmp_path / "progress.json"), 1)
    monkeypatch.setattr(exercise, "_opened", lambda name, folder, out: found)
    return found


@pytest.fixture(autouse=True)
def one_job_after_the_other(cluster: Pretend) -> None:
    """Decide about the first job before the second is there, however busy the machine is."""
    cluster.decides_in_turn = True


def check(cluster: Pretend, *more: str) -> Any:
    arguments = ["exercise", "check", "small", "--on", cluster.context, *more]
    return runner.invoke(app, arguments)


def left(cluster: Pretend) -> list[Any]:
    kinds = {(each.group, each.plural) for each in (*KUEUE, JOBS)}
    return [key for key in cluster.store.objects if key[:2] in kinds]


def test_a_wrong_answer_fails_there_and_what_happened_is_kept(
    cluster: Pretend, small: Exercise
) -> None:
    result = check(cluster)
    assert result.exit_code == 1, result.output
    assert f"Not solved yet on {cluster.context}: 1 of 2 checks pass" in result.stdout
    assert "default/demo was not admitted within 300 s" in result.stdout
    assert "Not judged: it has not happened so far" in result.stdout
    assert "1 check is only for the simulator" in result.stdout
    command = result.stdout.partition("See: kueuelab ")[2].splitlines()[0].split()
    shown = runner.invoke(app, [*command, "--keys", "q"])
    assert shown.exit_code == 0, shown.output
    assert shown.stdout.startswith(f"Step {command[-1]} of ")
    assert left(cluster) == []
    assert small.record.checks == 0


def test_a_right_answer_passes_there(cluster: Pretend, small: Exercise) -> None:
    small.file.write_text(START.replace("Never", "LowerPriority"), "utf-8")
    result = check(cluster, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["passed"], found["on"]) == (True, cluster.context)
    assert [each["judged"] for each in found["checks"]] == [True, True, False]
    assert left(cluster) == []


def test_no_other_cluster_is_written_to(cluster: Pretend, small: Exercise) -> None:
    text = cluster.kubeconfig.read_text().replace(cluster.context, "production")
    cluster.kubeconfig.write_text(text)
    cluster.context = "production"
    result = check(cluster)
    assert result.exit_code == 2
    assert "--allow-context production" in result.stderr
    assert left(cluster) == []


CHECKED = {
    "id": "monday",
    "timeline": [
        {
            "at": "0s",
            "submit": {"job": "sweep", "queue": "team", "requests": {"cpu": 2}, "runs": "9s"},
        },
        {"at": "120s", "setCheck": {"workload": "sweep", "check": "budget", "state": "Ready"}},
    ],
    "checks": [
        {"id": "first", "expect": {"at": "60s", "workload": "sweep", "is": "reserved"}},
        {"id": "demo", "admitted": "sweep", "within": "600s"},
    ],
}


@pytest.mark.parametrize(
    ("controller", "code", "said"),
    [
        ("example.com/budget", 0, "all 2 checks pass that can be judged there"),
        ("kueue.x-k8s.io/provisioning-request", 2, "Kueue's own controller decides"),
    ],
)
def test_checks_of_other_controllers_are_judged_there(
    controller: str,
    code: int,
    said: str,
    cluster: Pretend,
    small: Exercise,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / "small"
    document = yaml.safe_load((folder / "exercise.yaml").read_text())
    document["spec"]["cases"] = [CHECKED]
    (folder / "exercise.yaml").write_text(yaml.safe_dump(document))
    check_ = (
        "---\n{apiVersion: kueue.x-k8s.io/v1beta2, kind: AdmissionCheck, metadata: {name: budget},"
        f" spec: {{controllerName: {controller}}}}}\n"
    )
    queue = "spec:\n  admissionChecksStrategy: {admissionChecks: [{name: budget}]}\n"
    start = START.replace("spec:\n  namespaceSelector", f"{queue}  namespaceSelector")
    (folder / "start.yaml").write_text(start + check_)
    found = Exercise(
        read_exercise(folder), tmp_path / "work", Progress(tmp_path / "checked.json"), 1
    )
    monkeypatch.setattr(exercise, "_opened", lambda name, folder, out: found)
    result = check(cluster, "--speed", "15")
    assert result.exit_code == code, result.output
    assert said in result.stdout
    assert left(cluster) == []


TOPOLOGY = """
{apiVersion: kueue.x-k8s.io/v1beta2, kind: Topology, metadata: {name: default},
 spec:
  {levels: [{nodeLabel: cloud.provider.com/topology-rack}, {nodeLabel: kubernetes.io/hostname}]}}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: default},
 spec: {nodeLabels: {cloud.provider.com/node-group: default}, topologyName: default}}
"""
PLACED = {
    "id": "monday",
    "nodes": {"racks": 2, "hosts": 2, "cpu": 2},
    "timeline": [
        {
            "at": "0s",
            "submit": {
                "job": "sweep",
                "queue": "team",
                "pods": 2,
                "requests": {"cpu": 1},
                "topology": {"required": "rack"},
                "runs": "2s",
            },
        },
    ],
    "checks": [
        {"id": "first", "admitted": "sweep", "within": "300s"},
        {
            "id": "demo",
            "expect": {"at": "300s", "workload": "sweep", "ranks": {"main": ["r1-h1", "r1-h1"]}},
        },
    ],
}


def test_a_case_with_nodes_is_played_there_and_ranks_are_not_judged(
    cluster: Pretend, small: Exercise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "small"
    document = yaml.safe_load((folder / "exercise.yaml").read_text())
    document["spec"]["cases"] = [PLACED]
    (folder / "exercise.yaml").write_text(yaml.safe_dump(document))
    start = START.replace(
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: default}}\n",
        TOPOLOGY.strip() + "\n",
    )
    (folder / "start.yaml").write_text(start)
    progress = Progress(tmp_path / "places.json")
    found = Exercise(read_exercise(folder), tmp_path / "work", progress, 1)
    monkeypatch.setattr(exercise, "_opened", lambda name, folder, out: found)
    result = check(cluster, "--json", "--speed", "60")
    assert result.exit_code == 0, result.output
    checks = json.loads(result.stdout)["checks"]
    assert [each["judged"] for each in checks] == [True, False]
    assert "which pod is on which node is not seen there" in result.stdout
    assert "no pod runs on them" in result.stderr
    assert "which pod is on which node is not judged" in result.stderr
    assert [key for key in cluster.store.objects if key[1] in ("nodes", "leases")] == []
