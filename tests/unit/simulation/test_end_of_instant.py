"""An instant is over when the queues have nothing left to try, whatever gave quota back."""

from __future__ import annotations

from typing import Any

import pytest

import kueuelab as kl
from kueuelab.trace.export import trace_to_json

API = "kueue.x-k8s.io/v1beta2"


def manifest(kind: str, name: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": API, "kind": kind, "metadata": {"name": name}, "spec": spec}


def cluster_queue(strategy: str, quota: int = 4, **spec: Any) -> dict[str, Any]:
    flavor = {"name": "default", "resources": [{"name": "cpu", "nominalQuota": quota}]}
    return manifest(
        "ClusterQueue",
        "cq",
        namespaceSelector={},
        queueingStrategy=strategy,
        resourceGroups=[{"coveredResources": ["cpu"], "flavors": [flavor]}],
        **spec,
    )


def job(name: str, cpu: int, **more: Any) -> dict[str, Any]:
    return {"job": name, "queue": more.pop("queue", "lq"), "requests": {"cpu": cpu}, **more}


def played(
    actions: list[dict[str, Any]],
    configuration: dict[str, Any] | None = None,
    *,
    strategy: str = "BestEffortFIFO",
    check: bool = False,
    **of_x: Any,
) -> Any:
    """Let ``x`` (2 cpu) and ``z`` (1 cpu) run and ``big`` and ``small`` wait; then act."""
    checks = {"admissionChecksStrategy": {"admissionChecks": [{"name": "check"}]}}
    objects = [
        manifest("ResourceFlavor", "default"),
        manifest("AdmissionCheck", "check", controllerName="example.com/check"),
        cluster_queue(strategy, **(checks if check else {})),
        manifest("LocalQueue", "lq", clusterQueue="cq"),
        manifest("LocalQueue", "other", clusterQueue="cq"),
    ]
    timeline = [
        {"at": "0s", "submit": job("x", 2, **of_x)},
        {"at": "0s", "submit": job("z", 1)},
        {"at": "1s", "submit": job("big", 4, priority=9)},
        {"at": "1s", "submit": job("small", 2)},
        *({"at": "5s", **action} for action in actions),
    ]
    spec = {"manifests": objects, "timeline": timeline, "configuration": configuration or {}}
    return kl.load(
        {
            "apiVersion": "kueuelab/v1",
            "kind": "Scenario",
            "metadata": {"name": "given-back"},
            "spec": spec,
        }
    ).run()


REPORT = {"workload": "x", "check": "check", "message": "no"}
STOPPED = manifest("LocalQueue", "other", clusterQueue="cq", stopPolicy="HoldAndDrain")
WAITING = {"waitForPodsReady": {"timeout": "4s", "blockAdmission": False}}
WAITING["waitForPodsReady"]["requeuingStrategy"] = {"backoffLimitCount": 0}

GIVEN_BACK: dict[str, Any] = {
    "deactivated": {"actions": [{"setActive": {"workload": "x", "active": False}}]},
    "maximumExecutionTime": {"actions": [], "maximumExecutionTime": "5s"},
    "rejected": {"actions": [{"setCheck": {**REPORT, "state": "Rejected"}}], "check": True},
    "drained": {"actions": [{"apply": STOPPED}], "queue": "other"},
    "podsReady": {
        "actions": [{"podsReady": {"workload": "x", "ready": False}}],
        "configuration": WAITING,
    },
}


@pytest.mark.parametrize("way", sorted(GIVEN_BACK.keys() - {"drained"}))
@pytest.mark.parametrize("slow", [False, True], ids=["at-once", "slow-pods"])
def test_a_smaller_workload_gets_what_was_given_back(way: str, slow: bool) -> None:
    options = dict(GIVEN_BACK[way])
    if slow:
        options["stops"] = "20s"
    run = played(**options)
    small = run.cluster.workload("default/small")
    assert small.has_quota_reservation, run.as_text()
    assert not run.cluster.workload("default/big").has_quota_reservation
    assert not run.cluster.workload("default/x").has_quota_reservation
    assert run.cluster.at_rest


def test_a_drained_local_queue_wakes_no_other_as_in_kueue() -> None:
    """Kueue finds the queues to wake by the workload's LocalQueue, which it has dropped."""
    run = played(**GIVEN_BACK["drained"])
    assert run.cluster.queues.inadmissible("cq") == ["default/big", "default/small"]
    assert run.cluster.at_rest
    # What wakes the ClusterQueue lets them have it.
    finished = run.fork().finish("z").run()
    assert finished.cluster.workload("default/big").has_quota_reservation


@pytest.mark.parametrize("strategy", ["BestEffortFIFO", "StrictFIFO"])
@pytest.mark.parametrize("way", GIVEN_BACK)
def test_the_end_is_the_end_of_an_empty_fork(way: str, strategy: str) -> None:
    run = played(**GIVEN_BACK[way], strategy=strategy)
    for place in (None, "3s", "5s", *range(1, len(run.trace), 5)):
        again = run.fork(place).run()
        assert trace_to_json(again.trace) == trace_to_json(run.trace), place


def test_a_head_that_does_not_fit_is_not_tried_again_because_time_passes() -> None:
    run = played([], strategy="StrictFIFO")
    later = played([{"advance": "60s"}], strategy="StrictFIFO")
    assert later.cluster.now > run.cluster.now
    assert len(later.trace) == len(run.trace)
