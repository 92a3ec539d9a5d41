"""Advice on whole files: all of it, with its words and its places."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest
import yaml
from small_labs import flavor, job, lab, manifest, queue

from kueuelab.errors import Location
from kueuelab.manifests import load, load_scenario
from kueuelab.whatif.advice import Advice, advise

FOLDER = Path(__file__).parent / "advice"
EXPECTED: dict[str, list[dict[str, Any]]] = yaml.safe_load(
    (FOLDER / "expected.yaml").read_text("utf-8")
)


@pytest.mark.parametrize("file", EXPECTED)
def test_everything_is_said_once_and_where_it_is_written(file: str) -> None:
    found = [each.as_data() for each in advise(load_scenario(FOLDER / file), FOLDER / file)]
    for each in found:
        each["file"] = each["file"].removeprefix(f"{FOLDER}/")
    assert found == EXPECTED[file]


@pytest.mark.parametrize("file", EXPECTED)
def test_without_its_source_no_place_is_known(file: str) -> None:
    spec = load_scenario(FOLDER / file)
    assert {each.location for each in advise(spec)} == {None}
    for advice, data in zip(advise(spec), EXPECTED[file], strict=True):
        assert advice.as_data() == {**data, "file": "", "line": 0}


def test_a_line_of_advice() -> None:
    place = Location("queues.yaml", 7)
    advice = Advice("kind", "ClusterQueue/a", "spec.x", "it is odd", "of a rule", "Do it", place)
    assert str(advice) == "queues.yaml:7: ClusterQueue/a: spec.x: it is odd: of a rule. Do it"
    bare = Advice("kind", "Job/team/a", "", "it is odd", "of a rule", "Do it")
    assert str(bare) == "Job/team/a: it is odd: of a rule. Do it"


def test_what_the_cluster_has_already_is_not_missing() -> None:
    existing = load(flavor("sport"), manifest("LocalQueue", "stopped", {"clusterQueue": "x"}))
    spec = load_scenario(FOLDER / "objects.yaml")
    before = {(each.object, each.what) for each in advise(spec)}
    after = {(each.object, each.what) for each in advise(spec, existing=existing)}
    assert before - after == {
        ("ClusterQueue/stopped", "it names ResourceFlavor 'sport'"),
        ("Job/default/elsewhere", "it names LocalQueue 'stopped'"),
    }
    assert after < before


BLOCK = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata:
  name: alone
spec:
  namespaceSelector: {}
  preemption:
    reclaimWithinCohort: Any
    borrowWithinCohort:
      policy: LowerPriority
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: main}
spec:
  clusterQueue: alone
  stopPolicy: Hold
"""


@pytest.mark.parametrize("indent", ["", "    "])
def test_the_column_is_that_of_the_value_or_of_its_name_in_the_line_before(indent: str) -> None:
    text = textwrap.indent(BLOCK.partition("---")[0] if indent else BLOCK, indent)
    lines = text.splitlines()
    found = {}
    for each in advise(load_scenario(text), text):
        assert each.location is not None
        found[each.field] = lines[each.location.line - 1][each.location.column - 1 :]
    assert found.pop("spec.stopPolicy", "Hold") == "Hold"
    assert found == {"spec.preemption.borrowWithinCohort": "borrowWithinCohort:"}


def test_the_files_that_a_scenario_names_are_looked_for_beside_it(tmp_path: Path) -> None:
    (tmp_path / "queues.yaml").write_text(BLOCK)
    scenario = tmp_path / "scenario.yaml"
    head = "apiVersion: kueuelab/v1\nkind: Scenario\nmetadata: {name: s}\n"
    scenario.write_text(f"{head}spec: {{manifests: [queues.yaml]}}\n")
    places = {str(each.location) for each in advise(load_scenario(scenario), scenario)}
    assert places == {f"{tmp_path}/queues.yaml:10", f"{tmp_path}/queues.yaml:18"}


@pytest.mark.parametrize(
    ("count", "named"),
    [
        (1, "default/j0"),
        (3, "default/j0, default/j1, default/j2"),
        (4, "default/j0, default/j1, default/j2 and 1 more"),
    ],
)
def test_of_the_workloads_sent_to_a_stopped_queue_three_are_named(count: int, named: str) -> None:
    stopped = queue("q", {"default": 4}, stopPolicy="Hold")
    spec = lab([flavor(), stopped], [job(f"j{number}", "q", 1) for number in range(count)]).spec
    (found,) = [each for each in advise(spec) if each.field == "spec.stopPolicy"]
    assert named in found.why
    assert f"j{count}" not in found.why


def test_a_priority_class_that_is_missing_is_named() -> None:
    ref = {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": "gone"}
    containers = [{"name": "c", "resources": {"requests": {"cpu": 1}}}]
    pods = [{"name": "main", "count": 1, "template": {"spec": {"containers": containers}}}]
    workload = manifest("Workload", "w", {"queueName": "q", "podSets": pods})
    workload["spec"] |= {"priorityClassRef": ref, "priority": 5}
    found = advise(lab([flavor(), queue("q", {"default": 4}), workload], []).spec)
    assert [(each.object, each.field, each.what) for each in found] == [
        (
            "Workload/default/w",
            "spec.priorityClassRef.name",
            "it names WorkloadPriorityClass 'gone'",
        )
    ]


def test_a_job_of_a_timeline_is_where_it_is_submitted() -> None:
    text = f"""
apiVersion: kueuelab/v1
kind: Scenario
metadata: {{name: s}}
spec:
  manifests:
  - {json.dumps(flavor())}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: ClusterQueue
    metadata: {{name: main}}
    spec:
      namespaceSelector: {{}}
      resourceGroups:
      - coveredResources: [cpu]
        flavors:
        - name: sport
          resources: [{{name: cpu, nominalQuota: 1}}]
  timeline:
  - at: 1s
    submit:
      {{job: away, namespace: team, queue: gone, requests: {{cpu: 1}}}}
  - at: 1s
    submit:
      {{job: lost, queue: gone, requests: {{cpu: 1}}}}
  - at: 2s
    apply:
      apiVersion: kueue.x-k8s.io/v1beta2
      kind: LocalQueue
      metadata: {{name: main}}
      spec: {{clusterQueue: gone}}
"""
    lines = text.splitlines()
    found = {}
    for each in advise(load_scenario(text), text):
        if each.kind == "missingObjects":
            assert each.location is not None
            place = lines[each.location.line - 1][each.location.column - 1 :]
            found[each.object] = (place, each.location.line)
    assert found == {
        "Workload/team/away": ("submit:", lines.index("    submit:") + 1),
        "Workload/default/lost": ("submit:", lines.index("  - at: 1s") + 5),
        "LocalQueue/default/main": ("gone}", len(lines)),
        "ClusterQueue/main": ("sport", lines.index("        - name: sport") + 1),
    }


def test_in_a_scenario_that_is_no_text_there_are_no_places() -> None:
    spec = {"manifests": [flavor(), manifest("LocalQueue", "main", {"clusterQueue": "gone"})]}
    source = {"apiVersion": "kueuelab/v1", "kind": "Scenario", "metadata": {"name": "s"}}
    (found,) = advise(load_scenario({**source, "spec": spec}), {**source, "spec": spec})
    assert (found.object, found.location) == ("LocalQueue/default/main", None)
