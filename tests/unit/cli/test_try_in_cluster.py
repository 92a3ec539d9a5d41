"""``kueuelab try --context`` and ``kubectl kueuelab try``: a cluster that is read or followed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

import pytest
from typer.testing import CliRunner

from kueuelab import scenarios
from kueuelab.cli import app
from kueuelab.cli.kubectl import kubectl
from kueuelab.whatif.lab import Lab

JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: train, labels: {kueue.x-k8s.io/queue-name: team-b-jobs}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: train, resources: {requests: {cpu: 400m}}}]
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A file with a job."""
    path = tmp_path / "job.yaml"
    path.write_text(JOB)
    return str(path)


def cluster(quota: str = "") -> Lab:
    """Return what is read of a cluster, with another quota of one queue if that is given."""
    lab = scenarios.load("reclaim-1-take-back")
    assert isinstance(lab, Lab)
    if not quota:
        return lab
    path = "spec.resourceGroups[0].flavors[0].resources[cpu].nominalQuota"
    return lab.fork().edit("cluster-queue/team-b", {path: quota}).lab


def test_the_plugin_says_what_the_command_says(monkeypatch: pytest.MonkeyPatch, file: str) -> None:
    read = []
    monkeypatch.setattr(
        "kueuelab.cli.try_job.live_lab", lambda context, out: read.append(context) or cluster()
    )
    options = ["--runs", "10m", "--wait-at-most", "1h"]
    command = CliRunner().invoke(app, ["try", file, "--context", "c1", *options])
    plugin = CliRunner().invoke(kubectl, ["try", "-f", file, "--context", "c1", *options])
    assert (command.exit_code, plugin.exit_code, read) == (0, 0, ["c1", "c1"])
    assert plugin.stdout == command.stdout
    assert "When: starts in " in plugin.stdout


class Followed:
    """A cluster that changes once, and is then left."""

    def __init__(self) -> None:
        self._quotas = iter(("", "", "5"))

    def __enter__(self) -> Followed:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        pass

    def catch_up(self) -> None:
        """Do nothing: each look is at another moment."""

    def changes(self, seconds: float) -> Iterator[None]:
        """Yield once for each change."""
        yield None

    def fork(self) -> Lab:
        """Return the cluster, until a person ends it."""
        quota = next(self._quotas, None)
        if quota is None:
            raise KeyboardInterrupt
        return cluster(quota)


def test_watching_says_each_other_answer_once(monkeypatch: pytest.MonkeyPatch, file: str) -> None:
    monkeypatch.setattr("kueuelab.live.following.connect", lambda context: Followed())
    monkeypatch.setattr("kueuelab.cli.try_job._EVERY", 0.0)
    result = CliRunner().invoke(app, ["try", file, "--context", "c1", "--now", "--watch"])
    assert result.exit_code == 130
    assert result.stdout.count("Job/default/train") == 2
