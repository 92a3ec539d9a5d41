"""A queue that is no longer stopped: what waited goes first, then what was evicted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import kueuelab as kl

API = "kueue.x-k8s.io/v1beta2"
RECORDED = Path(__file__).parents[4] / "shared" / "live" / "recorded" / "m05-stop"


def manifest(kind: str, name: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": API, "kind": kind, "metadata": {"name": name}, "spec": spec}


FLAVOR = {"name": "default", "resources": [{"name": "cpu", "nominalQuota": 3}]}
CLUSTER_QUEUE = manifest(
    "ClusterQueue",
    "cq",
    namespaceSelector={},
    resourceGroups=[{"coveredResources": ["cpu"], "flavors": [FLAVOR]}],
)
LOCAL_QUEUE = manifest("LocalQueue", "lq", clusterQueue="cq")


def stopped(obj: dict[str, Any], policy: str) -> dict[str, Any]:
    return {"apply": {**obj, "spec": {**obj["spec"], "stopPolicy": policy}}}


def admissions(scenario: Any) -> list[tuple[str, str]]:
    """Return when what was admitted, in order."""
    run = kl.load(scenario).run()
    steps = [run.trace[index] for index in run.trace.of_kind("QuotaReserved")]
    return [(f"{(step.time - run.start) // 1_000_000_000}s", step.workload) for step in steps]


JOBS = [
    {"at": "0s", "submit": {"job": "first", "queue": "lq", "requests": {"cpu": 2}}},
    {"at": "2s", "submit": {"job": "second", "queue": "lq", "requests": {"cpu": 2}}},
]


def restarted(queue: dict[str, Any]) -> dict[str, Any]:
    actions = [
        {"at": "6s", **stopped(queue, "HoldAndDrain")},
        {"at": "9s", **stopped(queue, "None")},
        {"at": "20s", "finish": "second"},
    ]
    objects = [manifest("ResourceFlavor", "default"), CLUSTER_QUEUE, LOCAL_QUEUE]
    return {
        "apiVersion": "kueuelab/v1",
        "kind": "Scenario",
        "metadata": {"name": "restarted"},
        "spec": {"manifests": objects, "timeline": [*JOBS, *actions]},
    }


def test_what_waited_goes_before_what_a_cluster_queue_evicted() -> None:
    """Though the evicted one is older: it may queue again only when that is written."""
    assert admissions(restarted(CLUSTER_QUEUE)) == [
        ("0s", "default/first"),
        ("9s", "default/second"),
        ("20s", "default/first"),
    ]


def test_a_local_queue_brings_back_what_it_evicted_in_the_order_of_the_queue() -> None:
    """Kueue adds all workloads of a LocalQueue anew, whatever their condition Requeued says."""
    assert admissions(restarted(LOCAL_QUEUE)) == [("0s", "default/first"), ("9s", "default/first")]


@pytest.mark.skipif(not RECORDED.is_dir(), reason="the recorded runs are not beside the checkout")
def test_the_order_is_that_of_the_recorded_run() -> None:
    """Recorded: h2 and h3 at 18 s, h5 when h3 has ended, h1 at 34 s, h2 again when h1 has."""
    names = [workload.partition("/")[2] for _, workload in admissions(RECORDED / "scenario.yaml")]
    assert names[:2] == ["h1", "h5"]
    # Jobs of one instant are created one by one on a cluster; here h2 and h3 have an order.
    assert sorted(names[2:4]) == ["h2", "h3"]
    assert names[4:] == ["h5", "h1", "h2"]
