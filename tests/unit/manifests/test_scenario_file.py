"""The scenario file: what it says, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kueuelab.errors import InputError
from kueuelab.manifests import load_scenario
from kueuelab.manifests.scenario import (
    Advance,
    Apply,
    Delete,
    Finish,
    PodsReady,
    Reclaim,
    Remove,
    SetActive,
    SetCheck,
    SetPriority,
    Submit,
)
from kueuelab.model import ReclaimablePod
from kueuelab.model.times import SECOND

QUEUES = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: team-a, namespace: research}
spec: {clusterQueue: research}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: high}
value: 100
"""

SCENARIO = """\
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: example, title: An example}
spec:
  start: "2026-01-01T00:00:00Z"
  configuration: {fairSharing: {preemptionStrategies: [LessThanInitialShare]}}
  manifests:
  - queues.yaml
  - apiVersion: v1
    kind: Namespace
    metadata: {name: research}
  timeline:
  - {at: 3s, finish: job-0}
  - at: 0s
    submit: {job: job-0, queue: team-a, requests: {cpu: 200m}, count: 3, minCount: 1,
             priorityClass: high, runs: 10m}
  - at: 1
    apply:
      apiVersion: batch/v1
      kind: Job
      metadata: {name: pi, namespace: research, labels: {kueue.x-k8s.io/queue-name: team-a}}
      spec:
        template:
          spec:
            restartPolicy: Never
            containers:
            - {name: c, image: busybox, command: [sleep, "34"]}
  - {at: 1s, apply: {apiVersion: v1, kind: Namespace, metadata: {name: other}}}
  - {at: 2s, setCheck: {workload: pi, check: c, state: Retry, requeueAfter: 1m}}
  - {at: 4s, podsReady: research/pi}
  - {at: 4s, setActive: {workload: pi, active: false}}
  - {at: 4s, setPriority: {workload: pi, priority: 7}}
  - {at: 5s, reclaim: {workload: pi, pods: {main: 1}}}
  - {at: 6s, remove: Namespace/other}
  - {at: 7s, delete: pi}
  - {at: 8s, advance: 1m}
  expect:
  - {at: 2s, workload: job-0, is: admitted, clusterQueue: research}
  - {at: 2s, clusterQueue: research, usage: {default: {cpu: 600m}}, pending: 1}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "queues.yaml").write_text(QUEUES)
    return tmp_path


def test_everything_is_resolved_and_in_order_of_time(folder: Path) -> None:
    file = folder / "scenario.yaml"
    file.write_text(SCENARIO)
    spec = load_scenario(file)
    assert (spec.name, spec.title) == ("example", "An example")
    assert spec.configuration.fair_sharing_enabled
    assert set(spec.manifests.objects) == {"LocalQueue", "WorkloadPriorityClass", "Namespace"}
    kinds = [type(action) for action in spec.timeline]
    assert kinds == [
        *(Submit, Submit, Apply, SetCheck, Finish, PodsReady, SetActive, SetPriority, Reclaim),
        *(Remove, Delete, Advance),
    ]
    first, second = spec.timeline[0], spec.timeline[1]
    assert isinstance(first, Submit)
    assert isinstance(second, Submit)
    (job,) = first.workloads
    assert (job.key, job.priority, job.queue_name) == ("research/job-0", 100, "team-a")
    assert (job.pod_sets[0].count, job.pod_sets[0].min_count) == (3, 1)
    assert first.runs == 600 * SECOND
    assert first.location is not None
    assert first.location.line == 14
    assert second.runs == 34 * SECOND
    pi = second.workloads[0].key
    assert spec.timeline[3] == SetCheck(pi, "c", "Retry", requeue_after_seconds=60, at=2 * SECOND)
    assert spec.timeline[4] == Finish("research/job-0", at=3 * SECOND)
    assert spec.timeline[7] == SetPriority(pi, 7, at=4 * SECOND)
    assert spec.timeline[8] == Reclaim(pi, (ReclaimablePod("main", 1),), at=5 * SECOND)
    assert spec.timeline[9] == Remove("Namespace", "other", at=6 * SECOND)
    assert spec.end == 68 * SECOND
    of_workload, of_queue = spec.expect
    assert (of_workload.workload, of_workload.state) == ("research/job-0", "admitted")
    assert of_workload.cluster_queue == "research"
    assert of_queue.cluster_queue_name == "research"
    assert of_queue.usage == {("default", "cpu"): 600}


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("finish: job-0", "finish: jop-0", 13, "Did you mean 'job-0'?"),
        ("finish: job-0", "finish: job-0, delete: pi", 13, "not finish and delete"),
        ("finish: job-0", "finishes: job-0", 13, "Did you mean 'finish'?"),
        ("cpu: 200m", "cpu: 200mm", 15, "'200mm'"),
        ("priorityClass: high", "priorityClass: hihg", 16, "Did you mean 'high'?"),
        ("state: Retry", "state: Again", 29, "Unsupported value"),
        ("podsReady: research/pi", "podsReady: [pi]", 30, "must be text"),
        ("at: 6s, remove", "at: six, remove", 34, "'six' is not a duration"),
        ("Namespace/other", "Namespaces/other", 34, "Did you mean 'Namespace'?"),
        ("is: admitted", "is: running", 38, "Unsupported value"),
        ("workload: job-0, is", "is", 38, "Add 'workload'"),
        ("queues.yaml", "queue.yaml", 8, "no such file"),
        ("title: An", "titel: An", 3, "Did you mean 'title'?"),
        ("fairSharing", "fairSharin", 6, "Did you mean 'fairSharing'?"),
        ("count: 3", "count: -3", 15, "greater than or equal to 0"),
        ("containers:", "container:", 24, "container"),
        ("apiVersion: kueuelab/v1", "apiVersion: kueuelab/v2", 1, "kueuelab/v1"),
        ("at: 8s, advance", "at: 8s, cluster: w9, advance", 36, "no cluster named 'w9'"),
    ],
)
def test_each_mistake_has_its_line(folder: Path, old: str, new: str, line: int, words: str) -> None:
    assert old in SCENARIO
    file = folder / "scenario.yaml"
    file.write_text(SCENARIO.replace(old, new, 1))
    with pytest.raises(InputError) as raised:
        load_scenario(file)
    lines = [p.location.line for p in raised.value.problems if p.location is not None]
    assert words in str(raised.value)
    assert line in lines


def test_plain_manifests_are_a_scenario_too(folder: Path) -> None:
    spec = load_scenario(folder / "queues.yaml")
    assert spec.name == "queues"
    assert len(spec.manifests) == 2
    assert not spec.timeline


def test_worker_clusters_have_manifests_of_their_own() -> None:
    spec = load_scenario(
        """
apiVersion: kueuelab/v1
kind: Scenario
spec:
  clusters:
    manager:
      manifests: [{apiVersion: v1, kind: Namespace, metadata: {name: a}}]
    workers:
      w1:
        configuration: {fairSharing: {preemptionStrategies: [LessThanInitialShare]}}
        manifests: [{apiVersion: v1, kind: Namespace, metadata: {name: a}}]
      w2: {}
  timeline:
  - {at: 1s, cluster: w1, remove: Namespace/a}
"""
    )
    assert [worker.name for worker in spec.workers] == ["w1", "w2"]
    assert spec.workers[0].configuration.fair_sharing_enabled
    assert len(spec.manifests) == len(spec.workers[0].manifests) == 1
    assert spec.timeline[0].cluster == "w1"
