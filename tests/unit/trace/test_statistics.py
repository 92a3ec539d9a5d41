"""What a queue's numbers count, held against a count from the timeline on random scenarios."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings

from kueuelab.manifests import load_scenario
from kueuelab.model.times import SECOND
from kueuelab.simulation import Scenario
from kueuelab.testing.strategies import scenarios
from kueuelab.trace.statistics import statistics
from kueuelab.trace.trace import Trace


def played(actions: list[dict[str, Any]], strategy: str) -> Trace:
    api = "kueue.x-k8s.io/v1beta2"
    quota = {"name": "f", "resources": [{"name": "cpu", "nominalQuota": 2}]}
    spec = {
        "queueingStrategy": strategy,
        "namespaceSelector": {},
        "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [quota]}],
    }
    objects = [
        {"apiVersion": api, "kind": "ResourceFlavor", "metadata": {"name": "f"}},
        {"apiVersion": api, "kind": "ClusterQueue", "metadata": {"name": "q"}, "spec": spec},
        {
            "apiVersion": api,
            "kind": "LocalQueue",
            "metadata": {"name": "lq"},
            "spec": {"clusterQueue": "q"},
        },
    ]
    scenario = {
        "apiVersion": "kueuelab/v1",
        "kind": "Scenario",
        "metadata": {"name": "s"},
        "spec": {"manifests": objects, "timeline": actions},
    }
    return Scenario(load_scenario(scenario)).run().trace


def job(at: int, name: str, cpu: int) -> dict[str, Any]:
    return {"at": f"{at}s", "submit": {"job": name, "queue": "lq", "requests": {"cpu": cpu}}}


def test_workloads_that_are_never_at_the_head_count() -> None:
    jobs = [job(1, "head", 3), *(job(at, f"b{at}", 1) for at in (2, 3, 4)), job(101, "late", 1)]
    found = statistics(played(jobs, "StrictFIFO"))["q"]
    assert found.workloads == 5
    assert found.waiting == (100 + 99 + 98 + 97 + 0) * SECOND // 5


def test_a_workload_that_was_deleted_while_it_waited_counts() -> None:
    jobs = [job(1, "head", 3), job(2, "b", 1), {"at": "12s", "delete": "b"}]
    found = statistics(played(jobs, "StrictFIFO"))["q"]
    assert (found.workloads, found.waiting) == (2, (11 + 10) * SECOND // 2)


@settings(max_examples=25, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(scenario=scenarios())
def test_every_workload_counts_once(scenario: dict[str, Any]) -> None:
    """A workload that has queues is counted where it waited, or got its quota, last."""
    trace = Scenario(load_scenario(scenario)).run().trace
    found = statistics(trace)
    local_queues = {
        f"default/{obj['metadata']['name']}": obj["spec"]["clusterQueue"]
        for obj in scenario["spec"]["manifests"]
        if obj["kind"] == "LocalQueue"
    }
    expected: dict[str, int] = {}
    for index in trace.of_kind("WorkloadCreated"):
        state = trace.state_at(index)
        queue = local_queues[state.workload(trace[index].workload).local_queue]
        expected[queue] = expected.get(queue, 0) + 1
    created = [trace[index].workload for index in trace.of_kind("WorkloadCreated")]
    if len(set(created)) == len(created):  # One that comes again under its name is one workload.
        counted = {name: each.workloads for name, each in found.items() if each.workloads}
        assert counted == expected
