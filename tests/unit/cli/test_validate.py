"""``kueuelab validate``: problems with file and line, as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kueuelab.cli import app

runner = CliRunner()

GOOD = """\
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: team-a}
spec: {cohort: all}
"""
BAD = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team-a}
spec:
  queueingStrategie: StrictFIFO
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: team-a}
spec:
  clusterQueue: [team-a]
"""


def written(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_valid_file_with_a_note(tmp_path: Path) -> None:
    file = written(tmp_path, "good.yaml", GOOD)
    result = runner.invoke(app, ["validate", file])
    assert result.exit_code == 0
    warning, note, verdict = result.stdout.splitlines()
    assert warning == (
        f"warning: {file}:1: ClusterQueue/team-a: This version is deprecated. Use v1beta2 instead."
    )
    assert note.startswith("note: ")
    assert "v1beta1" in note
    assert verdict == f"{file}: valid (1 ClusterQueue)"


def test_all_problems_with_file_and_line(tmp_path: Path) -> None:
    file = written(tmp_path, "bad.yaml", BAD)
    result = runner.invoke(app, ["validate", file])
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0].startswith(f"{file}:5: ClusterQueue/team-a: spec.queueingStrategie: ")
    assert lines[1] == "    Did you mean 'queueingStrategy'?"
    assert lines[2].startswith(f"{file}:11: LocalQueue/team-a: spec.clusterQueue: ")
    assert lines[-1] == f"{file}: 2 problems"


def test_json(tmp_path: Path) -> None:
    files = [written(tmp_path, "good.yaml", GOOD), written(tmp_path, "bad.yaml", BAD)]
    result = runner.invoke(app, ["validate", *files, "--json"])
    assert result.exit_code == 1
    good, bad = json.loads(result.stdout)["files"]
    assert (good["valid"], good["problems"]) == (True, [])
    assert (bad["valid"], [problem["line"] for problem in bad["problems"]]) == (False, [5, 11])
    assert bad["problems"][0]["object"] == "ClusterQueue/team-a"


def test_broken_yaml_is_a_problem_like_any_other(tmp_path: Path) -> None:
    file = written(tmp_path, "broken.yaml", "a: [1,\nb: }")
    result = runner.invoke(app, ["validate", file])
    assert result.exit_code == 1
    assert result.stdout.startswith(f"{file}:")
    assert "Traceback" not in result.output


def test_missing_file_is_bad_input(tmp_path: Path) -> None:
    result = runner.invoke(app, ["validate", str(tmp_path / "nowhere.yaml")])
    assert result.exit_code == 2
    assert "nowhere.yaml: No such file or directory" in result.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [1,\nb: }", "existing.yaml:"),
        ("just words", "existing.yaml:1: "),
        ("kind: ClusterQueue\nmetadata: {name: team-a}\n", "apiVersion: Required value"),
        (BAD, "existing.yaml:5: ClusterQueue/team-a: spec.queueingStrategie: "),
    ],
)
def test_what_the_cluster_has_already_must_be_readable(
    tmp_path: Path, text: str, said: str
) -> None:
    good = written(tmp_path, "good.yaml", GOOD)
    existing = written(tmp_path, "existing.yaml", text)
    result = runner.invoke(app, ["validate", good, "--existing", existing])
    assert result.exit_code == 1
    assert said in result.stdout
    assert ": valid" not in result.stdout


NAMES = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: on-demand}
spec: {nodeLabels: {a: b}, topologyName: rakcs}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: racks}
spec: {levels: [{nodeLabel: rack}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec:
  stopPolicy: Hold
  namespaceSelector: {}
  admissionChecksStrategy:
    admissionChecks: [{name: bugdet}]
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: on-demnad
      resources: [{name: cpu, nominalQuota: 4}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: budget}
spec: {controllerName: example.com/budget}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: main, namespace: default}
spec: {clusterQueue: taem}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: work
  namespace: default
  labels:
    kueue.x-k8s.io/queue-name: mian
spec:
  template:
    spec:
      runtimeClassName: gvisor
      restartPolicy: Never
      containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]
"""


def test_names_of_nothing_are_reported_with_the_nearest_one_file_and_line(tmp_path: Path) -> None:
    file = written(tmp_path, "names.yaml", NAMES)
    result = runner.invoke(app, ["validate", file, "--advise"])
    assert result.exit_code == 0
    advice = [line for line in result.stdout.splitlines() if line.startswith("advice: ")]
    for line, about, missing, near in (
        (4, "ResourceFlavor/on-demand: spec.topologyName", "Topology named 'rakcs'", "racks"),
        (18, "ClusterQueue/team: ", "AdmissionCheck named 'bugdet'", "budget"),
        (22, "ClusterQueue/team: ", "ResourceFlavor named 'on-demnad'", "on-demand"),
        (33, "LocalQueue/default/main: spec.clusterQueue", "ClusterQueue named 'taem'", "team"),
        (41, "Job/default/work: metadata.labels", "LocalQueue named 'mian' in name", "main"),
    ):
        found = [each for each in advice if missing in each]
        assert len(found) == 1, missing
        assert found[0].startswith(f"advice: {file}:{line}: {about}")
        assert found[0].endswith(f"Did you mean '{near}'?")
    assert any(f"{file}:45: " in each and "RuntimeClass named 'gvisor'" in each for each in advice)
    assert any(f"{file}:15: " in each and "stopped (Hold)" in each for each in advice)
    assert "note: AdmissionCheck budget has no status: it is assumed to be active" in result.stdout


def test_what_the_cluster_has_may_be_named(tmp_path: Path) -> None:
    local_queue = written(tmp_path, "local.yaml", NAMES.split("---\n")[4].replace("taem", "team"))
    cluster_queue = written(tmp_path, "existing.yaml", NAMES.split("---\n")[2])
    alone = runner.invoke(app, ["validate", local_queue, "--advise"]).stdout
    assert "there is no ClusterQueue named 'team'" in alone
    both = ["validate", local_queue, "--advise", "--existing", cluster_queue]
    assert "advice" not in runner.invoke(app, both).stdout


PLACES = """\
apiVersion: kueuelab/v1
kind: Scenario
metadata: {{name: a}}
spec:
  configuration: {{featureGates: {gates}}}
  nodes: {{hosts: 2, cpu: 4, flavor: gpus}}
  manifests:
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: Workload
    metadata: {{name: w, namespace: default}}
    spec:
      queueName: q
      podSets: [{{name: main, count: 1, template: {{spec: {{containers: []}}}}}}]
"""


@pytest.mark.parametrize(
    ("gates", "note"),
    [
        (
            "{SchedulerLibraryIntegration: true}",
            "feature gate SchedulerLibraryIntegration is not modelled: nodes of flavor gpus are "
            "matched as without it",
        ),
        ("{}", ""),
    ],
)
def test_what_is_not_modelled_is_named(tmp_path: Path, gates: str, note: str) -> None:
    file = written(tmp_path, "places.yaml", PLACES.format(gates=gates))
    result = runner.invoke(app, ["validate", file])
    notes = [line for line in result.stdout.splitlines() if "not modelled" in line]
    assert notes == ([f"note: {note}"] if note else [])
