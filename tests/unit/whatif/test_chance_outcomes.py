"""How often a run comes out otherwise by chance, and seeds of chance in sweeps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import kueuelab as kl
from kueuelab.cli.app import app
from kueuelab.errors import InputError
from kueuelab.sweeps.factors import varied
from kueuelab.whatif.chance_outcomes import chance_outcomes

FAIR = """
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: fair}
spec:
  configuration:
    fairSharing: {preemptionStrategies: [LessThanOrEqualToFinalShare, LessThanInitialShare]}
  manifests:
  - {apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: f}}
  - {apiVersion: kueue.x-k8s.io/v1beta2, kind: Cohort, metadata: {name: all}}
"""
QUEUE = """
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: ClusterQueue
    metadata: {{name: {name}}}
    spec:
      namespaceSelector: {{}}
      cohortName: {cohort}
      preemption: {{reclaimWithinCohort: Any}}
      resourceGroups:
      - coveredResources: [cpu]
        flavors: [{{name: f, resources: [{{name: cpu, nominalQuota: {cpu}}}]}}]
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: LocalQueue
    metadata: {{name: {name}, namespace: default}}
    spec: {{clusterQueue: {name}}}
"""
COHORT = """
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: Cohort
    metadata: {{name: {name}}}
    spec: {{parentName: all}}
"""
TIMELINE = """
  timeline:
  - {at: 0s, submit: {job: a0, queue: team-a, requests: {cpu: 1}}}
  - {at: 1s, submit: {job: b0, queue: team-b, requests: {cpu: 1}}}
  - {at: 2s, submit: {job: mine, queue: owner, requests: {cpu: 1}}}
"""


def fair() -> str:
    queues = [("owner", "all", 2), ("team-a", "a", 0), ("team-b", "b", 0)]
    return "".join(
        (
            FAIR,
            *(COHORT.format(name=name) for name in "ab"),
            *(QUEUE.format(name=name, cohort=cohort, cpu=cpu) for name, cohort, cpu in queues),
            TIMELINE,
        )
    )


def test_both_outcomes_are_counted() -> None:
    lab = kl.load(fair())
    assert isinstance(lab, kl.Lab)
    found = chance_outcomes(lab, 20)
    assert found.runs == 20
    assert {each.preempted for each in found.outcomes} == {("default/a0",), ("default/b0",)}
    assert sorted(seed for each in found.outcomes for seed in each.seeds) == list(range(20))
    for each in found.outcomes:
        evicted = [step for step in lab.run(chance=each.seeds[-1]).trace if step.kind == "Evicted"]
        assert tuple(step.workload for step in evicted) == each.preempted


def test_the_command_counts_outcomes(tmp_path: Path) -> None:
    path = tmp_path / "fair.yaml"
    path.write_text(fair(), "utf-8")
    told = CliRunner().invoke(app, ["run", str(path), "--chances", "8", "--json"])
    assert told.exit_code == 0, told.output
    found = json.loads(told.stdout)
    assert sum(each["count"] for each in found["outcomes"]) == found["runs"] == 8


def test_chance_is_a_factor_of_a_sweep() -> None:
    lab = kl.load(fair())
    assert isinstance(lab, kl.Lab)
    assert varied(lab.spec, {"scenario:chance": 3}).chance == 3
    with pytest.raises(InputError, match="scenario:chance takes whole numbers"):
        varied(lab.spec, {"scenario:chance": "x"})
