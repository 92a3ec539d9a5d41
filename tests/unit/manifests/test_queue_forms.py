"""The short form of queues is the same as its manifests, and a mistake in it has its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

import kueuelab as kl
from kueuelab.cli import app
from kueuelab.errors import InputError
from kueuelab.manifests import load_scenario

SHORT = """
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: short}
spec:
  queues:
    team-a: {cohort: all, cpu: 8, gpu: "4 of a100, 8 of spot", reclaim: Any, weight: 2}
    team-b: {cohort: all, cpu: 2, localQueue: jobs, namespace: b, strategy: StrictFIFO}
  timeline:
  - {at: 1s, submit: {job: x, queue: team-a, requests: {cpu: 3, nvidia.com/gpu: 6}}}
"""


def manifests(text: str = SHORT) -> dict[tuple[str, str], dict[str, Any]]:
    told = CliRunner().invoke(app, ["validate", "-", "--print-manifests"], input=text)
    assert told.exit_code == 0, told.output
    found = [each for each in yaml.safe_load_all(told.stdout) if each]
    return {(each["kind"], each["metadata"]["name"]): each for each in found}


def test_it_stands_for_these_manifests() -> None:
    found = manifests()
    assert set(found) == {
        *(("ResourceFlavor", name) for name in ("default", "a100", "spot")),
        *(("ClusterQueue", name) for name in ("team-a", "team-b")),
        *(("LocalQueue", name) for name in ("team-a", "jobs")),
    }
    spec = found["ClusterQueue", "team-a"]["spec"]
    assert spec["cohortName"] == "all"
    assert spec["preemption"]["reclaimWithinCohort"] == "Any"
    assert [group["coveredResources"] for group in spec["resourceGroups"]] == [
        ["cpu"],
        ["nvidia.com/gpu"],
    ]
    quotas = spec["resourceGroups"][1]["flavors"]
    assert [(each["name"], str(each["resources"][0]["nominalQuota"])) for each in quotas] == [
        ("a100", "4"),
        ("spot", "8"),
    ]
    assert found["LocalQueue", "jobs"]["metadata"]["namespace"] == "b"
    assert found["ClusterQueue", "team-b"]["spec"]["queueingStrategy"] == "StrictFIFO"


def test_the_manifests_decide_the_same() -> None:
    short = kl.load(SHORT)
    assert isinstance(short, kl.Lab)
    whole = yaml.safe_load(SHORT)
    whole["spec"]["manifests"] = list(manifests().values())
    del whole["spec"]["queues"]
    long = kl.load(whole)
    assert isinstance(long, kl.Lab)
    assert short.run().timeline.as_text() == long.run().timeline.as_text()
    admission = short.run().cluster.workloads["default/x"].admission
    assert admission is not None
    assert dict(admission.pod_set_assignments[0].flavors)["nvidia.com/gpu"] == "spot"


@pytest.mark.parametrize(
    ("queues", "said"),
    [
        ("{a: {cpu: 4 for a100}}", "4 for a100"),
        ("{a: {gpu: '4 of x, 2 of x'}}", "is no quota"),
        ("{a: {cpus: 4}}", "cpus"),
        ("{a: {cpu: 4, reclaim: Sometimes}}", "Sometimes"),
        ("[a]", "spec.queues"),
    ],
)
def test_a_mistake_has_its_place(tmp_path: Path, queues: str, said: str) -> None:
    head = "apiVersion: kueuelab/v1\nkind: Scenario\nmetadata: {name: x}\nspec:"
    text = f"{head}\n  queues: {queues}\n"
    path = tmp_path / "x.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as error:
        load_scenario(path)
    assert said in str(error.value)
    assert f"{path}:5" in str(error.value)


def test_a_cycle_is_a_moment() -> None:
    for at in ("c2", "c 2", "cycle 2"):
        told = CliRunner().invoke(app, ["pending", "reclaim-1-take-back", "--at", at])
        assert told.exit_code == 0, told.output
    told = CliRunner().invoke(app, ["pending", "reclaim-1-take-back", "--at", "c 99"])
    assert told.exit_code == 2
    assert "there is no cycle 99" in told.output
