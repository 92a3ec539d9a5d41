"""Following a cluster whose nodes and pods change (see `pretend`)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from pretend import Json, Pretend
from test_fake_nodes import HOST, RACK, job, on_cluster, scenario

from kueuelab.live import removal
from kueuelab.live.access import open_cluster
from kueuelab.live.following import Following
from kueuelab.live.requests import requests_of, setup_of
from kueuelab.live.scenario_cluster import ScenarioCluster


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No controller of Kubernetes answers here: it is not waited for."""
    monkeypatch.setattr(removal, "_CONTROLLER_SECONDS", 2.0)


@contextmanager
def running(cluster: Pretend, *jobs: str) -> Iterator[tuple[ScenarioCluster, Following]]:
    """Have the nodes of a scenario and its jobs on a cluster, and follow it."""
    spec = scenario(*jobs)
    there = on_cluster(cluster, spec)
    there.set_up(setup_of(spec))
    for request in requests_of(spec, played=True):
        for body in request.bodies:
            there.submit(body, managed=True)
    try:
        with Following(open_cluster(cluster.context)) as following:
            yield there, following
    finally:
        there.created.remove(without_controllers=True)
        there.close()


def until(following: Following, holds: Callable[[], bool]) -> None:
    """Follow until something holds; only a test that fails waits for so long."""
    deadline = time.monotonic() + 300
    while not holds():
        assert time.monotonic() < deadline
        following.follow(0.1)


def places(following: Following, name: str) -> dict[str, int]:
    """Return where the pods of a job are, as far as it was followed."""
    state = following.mirror.state
    found = [each for key, each in state.workloads.items() if f"/job-{name}-" in key]
    return {
        values[-1]: count
        for workload in found
        for pod_set in workload.admission.pod_sets
        for values, count in pod_set.places
    }


def extra(ready: bool = True, name: str = "extra", rack: str = "r2", cpu: int = 8) -> Json:
    labels = {RACK: rack, HOST: name, "cloud.provider.com/node-group": "default"}
    ours = {"app.kubernetes.io/managed-by": "kueuelab", "kueuelab/run": "places"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {**labels, **ours}},
        "spec": {},
        "status": {
            "allocatable": {"cpu": str(cpu), "pods": "110"},
            "conditions": [{"type": "Ready", "status": str(ready), "reason": "x"}],
        },
    }


def test_a_node_that_is_added_admits_and_the_lab_says_where(cluster: Pretend) -> None:
    with running(cluster, job("first"), job("second", cpu=3)) as (there, following):
        until(following, lambda: bool(places(following, "first") and places(following, "second")))
        [request] = requests_of(scenario(job("third")), played=True)
        there.submit(request.bodies[0], managed=True)
        until(following, lambda: any("/job-third-" in key for key in following.mirror.workloads))
        assert places(following, "third") == {}
        there.nodes.create(extra())
        until(following, lambda: places(following, "third") == {"extra": 2})
        assert "ObjectApplied" in [step.kind for step in following.trace]
        name = next(key for key in following.mirror.workloads if "/job-third-" in key)
        assert "2 on extra" in following.why(name).as_text()


def test_a_node_that_fails_moves_its_pods(cluster: Pretend) -> None:
    with running(cluster, job("train", cpu=2)) as (there, following):
        until(following, lambda: places(following, "train") == {"r1-h1": 2})
        there.nodes.change(extra(ready=False, name="r1-h1", rack="r1", cpu=4))
        until(following, lambda: places(following, "train") == {"r1-h2": 2})


def test_pods_of_others_take_room_and_give_it_back(cluster: Pretend) -> None:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "agent", "namespace": "places", "labels": {}},
        "spec": {
            "nodeName": "r1-h1",
            "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}],
        },
    }
    with running(cluster) as (there, following):
        there.created.create(pod)
        there.nodes.remove("r2-h1")
        [request] = requests_of(scenario(job("train")), played=True)
        there.submit(request.bodies[0], managed=True)
        until(following, lambda: any("/job-train-" in key for key in following.mirror.workloads))
        assert places(following, "train") == {}
        there.created.delete("Pod", "agent", "places")
        until(following, lambda: places(following, "train") == {"r1-h1": 1, "r1-h2": 1})
