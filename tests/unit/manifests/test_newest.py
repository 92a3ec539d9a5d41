"""A dump starts where its cluster was; everything else where it says, or where runs start."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.manifests import load_scenario
from kueuelab.model.times import format_time, parse_time
from kueuelab.simulation.player import DEFAULT_START
from kueuelab.whatif.lab import Lab

DUMPS = Path(scenarios.__file__).parent / "dumps"
API = "kueue.x-k8s.io/v1beta2"


def local_queue(created: str = "", *changed: str) -> dict[str, Any]:
    metadata = {"name": f"q{created}".replace(":", "-").lower().rstrip("z"), "namespace": "default"}
    if created:
        metadata["creationTimestamp"] = created
    conditions = [
        {"type": f"T{n}", "status": "True", "reason": "R", "message": "", "lastTransitionTime": at}
        for n, at in enumerate(changed)
    ]
    return {
        "apiVersion": API,
        "kind": "LocalQueue",
        "metadata": metadata,
        "spec": {"clusterQueue": "cq"},
        "status": {"conditions": conditions},
    }


def workload(**status: Any) -> dict[str, Any]:
    containers = [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]
    pods = {"name": "main", "count": 1, "template": {"spec": {"containers": containers}}}
    return {
        "apiVersion": API,
        "kind": "Workload",
        "metadata": {
            "name": "w",
            "namespace": "default",
            "creationTimestamp": "2026-03-01T00:00:00Z",
        },
        "spec": {"queueName": "q", "podSets": [pods]},
        "status": status,
    }


CHECK = {
    "name": "check",
    "state": "Ready",
    "message": "",
    "lastTransitionTime": "2026-03-01T00:07:00Z",
}


@pytest.mark.parametrize(
    ("objects", "start"),
    [
        ([local_queue("2026-02-01T00:00:00Z"), local_queue("2026-02-03T00:00:00Z")],
         "2026-02-03T00:00:00Z"),
        ([local_queue("2026-02-01T00:00:00Z", "2026-02-01T00:00:09Z", "2026-02-01T00:00:05Z")],
         "2026-02-01T00:00:09Z"),
        ([workload(admissionChecks=[CHECK])], "2026-03-01T00:07:00Z"),
        # What is still to come has not happened.
        ([workload(requeueState={"count": 1, "requeueAt": "2026-03-01T00:09:00Z"})],
         "2026-03-01T00:00:00Z"),
    ],
)  # fmt: skip
def test_the_newest_time_in_the_objects(objects: list[Any], start: str) -> None:
    spec = load_scenario(objects)
    assert spec.start is not None
    assert format_time(spec.start) == start
    assert load_scenario(objects[::-1]).start == spec.start


def test_without_any_time_runs_start_as_ever() -> None:
    lab = kl.load([local_queue()])
    assert lab.spec.start is None
    assert lab.run().start == DEFAULT_START


def test_a_scenario_file_may_hold_a_dump_and_say_otherwise() -> None:
    def scenario(**spec: Any) -> dict[str, Any]:
        manifests = [local_queue("2026-02-03T00:00:00Z")]
        return {
            "apiVersion": "kueuelab/v1",
            "kind": "Scenario",
            "metadata": {"name": "held"},
            "spec": {"manifests": manifests, **spec},
        }

    assert load_scenario(scenario()).start == parse_time("2026-02-03T00:00:00Z")
    told = "2027-01-01T00:00:00Z"
    assert load_scenario(scenario(start=told)).start == parse_time(told)


def test_the_dump_of_the_package_goes_on_where_its_cluster_was() -> None:
    lab = kl.load(DUMPS / "two-teams")
    assert isinstance(lab, Lab)
    run = lab.run()
    assert format_time(run.start) == "2026-11-20T19:58:02Z"
    created = [state.obj.metadata.creation_timestamp for state in run.cluster.workloads.values()]
    assert all(time is not None and time <= run.start for time in created)
    # Who gets in now has waited since it was created.
    messages = [event.message for event in run.fork().finish("b-cpu-hi").run().events]
    waits = [text for text in messages if "wait time since queued was" in text]
    assert [text.partition("was ")[2].partition(";")[0] for text in waits] == ["8s", "3s"]
