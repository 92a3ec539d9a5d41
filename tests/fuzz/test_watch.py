"""The watch over a cluster sees what is wrong, and only that."""

from __future__ import annotations

from typing import Any

import pytest

from kueuelab.manifests import load_scenario
from kueuelab.queues import QueueManager
from kueuelab.quota import ClusterQueueNode
from kueuelab.quota.tree import QuotaTree
from kueuelab.simulation.player import Player
from kueuelab.testing import Watch

API = "kueue.x-k8s.io/v1beta2"


def queue(quota: int) -> dict[str, Any]:
    flavor = {"name": "default", "resources": [{"name": "cpu", "nominalQuota": quota}]}
    return {
        "apiVersion": API,
        "kind": "ClusterQueue",
        "metadata": {"name": "cq"},
        "spec": {
            "namespaceSelector": {},
            "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [flavor]}],
        },
    }


def job(name: str, cpu: int) -> dict[str, Any]:
    return {"job": name, "queue": "lq", "requests": {"cpu": cpu}, "runs": "5s"}


def found(timeline: list[dict[str, Any]], configuration: dict[str, Any] | None = None) -> list[str]:
    """Return what the watch sees while a timeline goes on."""
    local = {"clusterQueue": "cq"}
    metadata = {"name": "lq", "namespace": "default"}
    manifests = [
        {"apiVersion": API, "kind": "ResourceFlavor", "metadata": {"name": "default"}, "spec": {}},
        queue(4),
        {"apiVersion": API, "kind": "LocalQueue", "metadata": metadata, "spec": local},
    ]
    scenario = {
        "apiVersion": "kueuelab/v1",
        "kind": "Scenario",
        "metadata": {"name": "watched"},
        "spec": {
            "manifests": manifests,
            "timeline": timeline,
            "configuration": configuration or {},
        },
    }
    player = Player(load_scenario(scenario))
    watch = Watch(player.cluster)
    seen: list[str] = []

    def pause() -> bool:
        seen.extend(watch.look())
        return False

    player.on_pause = pause
    for _ in player.instants():
        pause()
    return seen


JOBS = [
    {"at": "1s", "submit": job("a", 3)},
    {"at": "2s", "submit": job("b", 3)},
    {"at": "20s", "submit": job("c", 5)},
]


def test_nothing_is_wrong() -> None:
    assert found(JOBS) == []


@pytest.mark.parametrize(
    ("owner", "name", "replacement", "words"),
    [
        (QuotaTree, "remove_workload", lambda *_: None, "its workloads {}"),
        (ClusterQueueNode, "available", lambda *_: 10_000, "2000 too much"),
        (QueueManager, "delete", lambda *_: None, "admitted and queued"),
        (QueueManager, "requeue", lambda *_: True, "default/b is nowhere"),
    ],
)
def test_what_is_broken_is_seen(
    owner: type, name: str, replacement: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, name, replacement)
    assert any(words in text for text in found(JOBS)), found(JOBS)


def test_a_cycle_that_waits_goes_on_with_what_it_decided() -> None:
    waiting = {"waitForPodsReady": {"timeout": "60s", "blockAdmission": True}}
    timeline = [
        {"at": "1s", "submit": job("a", 1)},
        {"at": "1s", "podsReady": {"workload": "a", "ready": False}},
        {"at": "2s", "submit": job("b", 3)},
        {"at": "3s", "apply": queue(1)},
        {"at": "4s", "podsReady": {"workload": "a", "ready": True}},
    ]
    assert found(timeline, waiting) == []
