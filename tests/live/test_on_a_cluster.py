"""A real cluster, if ``KUEUELAB_LIVE_CONTEXT`` names its context; a run writes to it."""

from __future__ import annotations

import os

import pytest
from typer.testing import CliRunner

import kueuelab as kl
from kueuelab.cli import app

CONTEXT = os.environ.get("KUEUELAB_LIVE_CONTEXT", "")
pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(not CONTEXT, reason="KUEUELAB_LIVE_CONTEXT names no context"),
]
runner = CliRunner()

SCENARIO = """
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: kueuelab-live-test}
spec:
  manifests:
  - {apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: kueuelab-live}}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: ClusterQueue
    metadata: {name: kueuelab-live}
    spec:
      namespaceSelector: {}
      preemption: {withinClusterQueue: LowerPriority}
      resourceGroups:
      - coveredResources: [cpu]
        flavors:
        - {name: kueuelab-live, resources: [{name: cpu, nominalQuota: 200m}]}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: LocalQueue
    metadata: {name: main, namespace: kueuelab-live}
    spec: {clusterQueue: kueuelab-live}
  timeline:
  - at: 0s
    submit: {job: low, namespace: kueuelab-live, queue: main, requests: {cpu: 200m}, runs: 20s}
  - at: 5s
    submit:
      {job: high, namespace: kueuelab-live, queue: main, requests: {cpu: 200m}, runs: 5s,
       priority: 10}
"""


def live(*args: str) -> str:
    result = runner.invoke(app, ["live", *args])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_snapshot_of_it_loads() -> None:
    assert kl.load(live("snapshot", "--context", CONTEXT)).run(until=0).trace is not None
    assert kl.load(live("snapshot", "--context", CONTEXT, "--redact")).spec.manifests is not None


def test_it_is_followed_and_let_go() -> None:
    with kl.live.connect(CONTEXT) as cluster:
        cluster.follow(3)
    assert cluster.problems == {}


def test_a_scenario_is_decided_there_as_in_the_lab(tmp_path: object) -> None:
    file = f"{tmp_path}/scenario.yaml"
    with open(file, "w") as out:
        out.write(SCENARIO)
    said = live("verify", file, "--context", CONTEXT, "--allow-context", CONTEXT)
    assert said.splitlines()[-1].endswith(", 0 differ")
    left = live("clean", "--context", CONTEXT, "--allow-context", CONTEXT)
    assert left.endswith("0 objects are removed\n")
