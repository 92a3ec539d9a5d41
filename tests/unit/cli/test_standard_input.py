"""``-`` where a command takes a file, and folders that have to be rendered first."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from kueuelab import scenarios
from kueuelab.cli import app

DATA = Path(__file__).parents[2] / "config_repositories"
HELM = (DATA / "helm" / "output.yaml").read_bytes()
RUN = scenarios.load("reclaim-1-take-back").run()
SCENARIO = """
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: waiting}
spec:
  manifests:
  - {apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: std}}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: ClusterQueue
    metadata: {name: q}
    spec:
      namespaceSelector: {}
      resourceGroups:
      - {coveredResources: [cpu], flavors: [{name: std, resources: [{name: cpu, nominalQuota: 1}]}]}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: LocalQueue
    metadata: {name: q, namespace: default}
    spec: {clusterQueue: q}
  timeline:
  - {at: 0s, submit: {job: large, queue: q, requests: {cpu: 2}}}
"""
runner = CliRunner()


def called(*args: str, given: str | bytes = SCENARIO) -> Result:
    return runner.invoke(app, list(args), input=given)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("run", "-"), "waiting (Kueue v0.19.2)"),
        (("pending", "-"), "default/large"),
        (("explain", "-", "large"), "default/large"),
        (("step", "-"), "waiting"),
        (("validate", "-"), "-: valid (1 ResourceFlavor, 1 ClusterQueue, 1 LocalQueue, 1 action)"),
        (("validate", "--advise", "-"), "-: valid"),
        (("validate", "--output", "json", "-"), '"valid": true'),
        (("diff", "-", "reclaim-1-take-back"), "-"),
        (("sweep", "-", "--vary", "ClusterQueue/q:spec.cohortName=a,b"), "cohortName"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)
def test_what_another_program_writes_is_read(args: tuple[str, ...], said: str) -> None:
    result = called(*args)
    assert result.exit_code == 0, result.output
    assert said in result.output


@pytest.mark.parametrize("packed", [False, True])
def test_a_saved_run_is_read(packed: bool, tmp_path: Path) -> None:
    RUN.save(tmp_path / "run.json")
    content = (tmp_path / "run.json").read_bytes()
    result = called("run", "-", given=gzip.compress(content) if packed else content)
    assert result.exit_code == 0
    assert "reclaim-1-take-back" in result.stdout


def test_what_is_wrong_has_its_place() -> None:
    result = called("run", "-", given=SCENARIO.replace("nominalQuota: 1", "nominalQuota: one"))
    assert result.exit_code == 2
    assert "<stdin>:14" in result.stderr


@pytest.mark.parametrize("given", [b"", b"\x00", b"\xff\xfe\x00", b"[", b"\x1f\x8bxx", b"kind: x"])
@pytest.mark.parametrize("command", ["run", "validate", "pending"])
def test_anything_else_is_refused_in_a_line(command: str, given: bytes) -> None:
    result = called(command, "-", given=given)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.output


def test_it_is_read_once() -> None:
    for args in (("diff", "-", "-"), ("validate", "-", "--existing", "-")):
        result = called(*args)
        assert result.exit_code == 2
        assert "standard input (-) is named more than once" in result.stderr


def test_existing_objects_come_from_it() -> None:
    result = called("validate", "--existing", "-", str(DATA / "helm" / "output.yaml"), given=HELM)
    assert result.exit_code == 0


def test_what_is_left_out_is_said_by_every_command() -> None:
    for command in ("run", "pending", "validate"):
        result = called(command, "-", given=HELM)
        assert result.exit_code == 0
        assert "CronJob/nightly: it is left out: the Jobs that it makes" in result.output


@pytest.mark.parametrize("command", ["run", "pending", "validate"])
def test_a_kustomization_that_cannot_be_rendered_says_how(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    folder = str(DATA / "kustomize" / "overlays" / "small")
    result = called(command, folder)
    assert result.exit_code == (1 if command == "validate" else 2)
    assert f"kubectl kustomize {folder} | kueuelab COMMAND -" in result.output


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")
@pytest.mark.parametrize("command", ["run", "pending", "validate"])
def test_a_kustomization_is_rendered_and_the_program_is_named(command: str) -> None:
    folder = str(DATA / "kustomize" / "overlays" / "small")
    result = called(command, folder)
    assert result.exit_code == 0
    assert f"the manifests are those that kubectl kustomize {folder} writes" in result.output
