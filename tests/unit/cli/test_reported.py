"""Inputs made after public threads: what `validate`, `run` and `pending` say of each, alike."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kueuelab.cli import app

REPORTS = Path(__file__).parents[3].parent / "shared" / "reports"
runner = CliRunner()

pytestmark = pytest.mark.skipif(not REPORTS.is_dir(), reason="the inputs are not there")

#: Input, what is said of it, what the timeline has, and what it must not have.
ROWS = {
    "annotation": (
        "upgrade/annotation.yaml",
        "Kueue reads only the label kueue.x-k8s.io/queue-name, so it has no queue and no Workload; "
        "it is suspended, so it never starts",
        "Nothing happened.",
    ),
    "podsready": (
        "11366-podsready-default.yaml",
        "waitForPodsReady is off here, although pods of default/slow are not ready: in a cluster, "
        "Kueue v0.19.2 turns it on where a Configuration of v1beta2 does not name it, and evicts a "
        "workload whose pods are not ready after 30m",
        "pods not ready",
    ),
    "template-label": (
        "template-label.yaml",
        "each of its pods is a Workload of its own",
        "pending: couldn't assign flavors to pod set main",
    ),
    "frameworks": (
        "frameworks",
        "since v0.19, the Configuration that Kueue is installed with does not enable the kinds of "
        "Kubeflow's training v1",
        "Nothing happened.",
    ),
}


def output_of(*args: str) -> tuple[int, str]:
    result = runner.invoke(app, list(args))
    return result.exit_code, result.output


@pytest.mark.parametrize("command", ["validate", "run", "pending"])
@pytest.mark.parametrize("row", ROWS)
def test_what_follows_is_said_by_each_command(row: str, command: str) -> None:
    file, said, _ = ROWS[row]
    code, output = output_of(command, str(REPORTS / file))
    assert (code, said in output) == (0, True), output


@pytest.mark.parametrize("row", ROWS)
def test_what_kueue_decides(row: str) -> None:
    file, _, decided = ROWS[row]
    assert decided in output_of("run", str(REPORTS / file))[1]


def test_versions_that_the_server_does_not_serve() -> None:
    file = str(REPORTS / "upgrade" / "v1alpha1.yaml")
    code, output = output_of("validate", file)
    assert code == 1
    for line, kind in ((1, "Cohort"), (6, "Topology")):
        refused = f'no matches for kind "{kind}" in version "kueue.x-k8s.io/v1alpha1"'
        assert f"{file}:{line}: {kind}/" in output
        assert refused in output
    for command in ("run", "pending"):
        code, output = output_of(command, file)
        assert (code, "Kueue v0.19.2 serves no kueue.x-k8s.io/v1alpha1" in output) == (0, True)


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")
@pytest.mark.parametrize("folder", ["kust/overlay", "kust"])
def test_a_patch_is_no_object(folder: str, tmp_path: Path) -> None:
    code, output = output_of("validate", str(REPORTS / folder))
    assert code == 0
    assert "valid (1 ClusterQueue, 1 ResourceFlavor)" in output
    saved = tmp_path / "run.json"
    assert output_of("run", str(REPORTS / folder), "--save", str(saved))[0] == 0
    assert os.path.getsize(saved) > 0


def test_a_worker_has_a_job_of_the_same_name() -> None:
    code, output = output_of("run", str(REPORTS / "11849-same-name-on-worker.yaml"))
    assert code == 0
    assert output.count("w1 Workload train: created") == 1
    assert len(output.splitlines()) < 100


def test_names_that_the_timeline_prints_are_found() -> None:
    file = str(REPORTS / "mk-job-names.yaml")
    code, output = output_of("run", file)
    assert (code, "manager Job train: created" in output) == (0, True)
    assert "manager Workload job-train: created" in output
    for name in ("train", "job-train"):
        code, output = output_of("explain", file, name)
        assert (code, "manager: finished on" in output) == (0, True)
