"""A forecast from a part of a cluster: what is in it, and that it says the same as the whole."""

from __future__ import annotations

from typing import Any

import pytest
from submitted import job

from kueuelab.forecast import Answer, try_job
from kueuelab.manifests import load_scenario
from kueuelab.whatif.lab import Lab


def cluster(*, shared: str = "", configuration: str = "") -> Lab:
    """Return a dump with two ClusterQueues without a cohort; each runs 2 jobs and 4 are pending."""
    found = [configuration] if configuration else []
    topology = f", topologyName: {shared}" if shared else ""
    label = "nodeLabels: {pool: a}" if shared else ""
    spec = "{" + ", ".join(each for each in (label, topology.lstrip(", ")) if each) + "}"
    found.append(
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: default},"
        f" spec: {spec}}}"
    )
    if shared:
        found.append(
            f"{{apiVersion: kueue.x-k8s.io/v1beta2, kind: Topology, metadata: {{name: {shared}}},"
            " spec: {levels: [{nodeLabel: kubernetes.io/hostname}]}}"
        )
        found += [
            f"{{apiVersion: v1, kind: Node, metadata: {{name: n-{number},"
            f" labels: {{pool: a, kubernetes.io/hostname: n-{number}}}}},"
            " status: {allocatable: {cpu: 10, pods: 10},"
            " conditions: [{type: Ready, status: 'True'}]}}"
            for number in range(2)
        ]
    for team in ("a", "b"):
        found.append(
            f"{{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {{name: {team}}},"
            " spec: {namespaceSelector: {}, resourceGroups: [{coveredResources: [cpu], flavors:"
            " [{name: default, resources: [{name: cpu, nominalQuota: 2}]}]}]}}"
        )
        found.append(
            f"{{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {{"
            f"name: {team}-jobs, namespace: default}}, spec: {{clusterQueue: {team}}}}}"
        )
        found += [
            f"{{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {{name: {team}-{n},"
            f" namespace: default, creationTimestamp: '2026-01-01T00:00:0{n}Z'}},"
            f" spec: {{queueName: {team}-jobs, podSets: [{{name: main, count: 1,"
            " template: {spec: {restartPolicy: Never,"
            " containers: [{name: main, resources: {requests: {cpu: 1}}}]}}}]}}"
            for n in range(6)
        ]
    return Lab(load_scenario("\n---\n".join(found)))


def tried(lab: Lab, **more: Any) -> Answer:
    return try_job(job("a-jobs", "1"), lab, runs="5m..20m", changes=False, seeds=20, **more)


def in_part(monkeypatch: pytest.MonkeyPatch, largest: int = 2) -> None:
    """Let a cluster of more workloads than these count as a large one."""
    monkeypatch.setattr("kueuelab.forecast.trying.MOST_WHOLE", largest)


def test_a_part_has_the_same_forecast_as_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = tried(cluster()).jobs[0].forecast
    in_part(monkeypatch)
    part = tried(cluster()).jobs[0].forecast
    assert whole is not None
    assert part is not None
    assert (whole.played, whole.total) == (13, 13)
    assert (part.played, part.total, part.pending) == (7, 13, 0)
    assert part.starts == whole.starts
    assert part.never_before == whole.never_before
    assert len(part.starts) == 20


def test_it_says_with_how_many_workloads_it_was_played(monkeypatch: pytest.MonkeyPatch) -> None:
    in_part(monkeypatch)
    text = str(tried(cluster()))
    assert "It is played with 7 of 13 workloads: the others share neither quota nor nodes" in text
    data = tried(cluster()).as_data()["jobs"][0]["when"]
    assert data["workloads"] == {"played": 7, "total": 13, "pending": 0}


def test_trees_that_share_nodes_are_taken_together(monkeypatch: pytest.MonkeyPatch) -> None:
    in_part(monkeypatch)
    found = tried(cluster(shared="racks")).jobs[0].forecast
    assert found is not None
    assert (found.played, found.total) == (13, 13)


def test_of_a_large_part_the_first_pending_of_other_queues_are_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    in_part(monkeypatch)
    monkeypatch.setattr("kueuelab.forecast.related.MOST_WHOLE", 8)
    found = tried(cluster(shared="racks")).jobs[0].forecast
    assert found is not None
    # Of the four that are pending in the other queue, the first three.
    assert (found.played, found.total, found.pending) == (12, 13, 3)


def test_all_is_played_while_admission_waits_for_pods(monkeypatch: pytest.MonkeyPatch) -> None:
    in_part(monkeypatch)
    waiting = (
        "{apiVersion: config.kueue.x-k8s.io/v1beta2, kind: Configuration,"
        " waitForPodsReady: {timeout: 5m}}"
    )
    found = tried(cluster(configuration=waiting)).jobs[0].forecast
    assert found is not None
    assert found.played == found.total == 13
