"""What a queue's numbers count, held against a count from the timeline on random scenarios."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from kueuelab.manifests import load_scenario
from kueuelab.model.times import SECOND
from kueuelab.simulation import Scenario
from kueuelab.sweeps.measures import measures_of
from kueuelab.sweeps.observation import observe
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


def counted(trace: Trace) -> dict[str, tuple[int, int]]:
    """Count by hand: look at the state after each step, and at the time until the next one."""
    known: dict[str, str] = {}  # The workload that has a name now: its name and a number.
    queues: dict[str, str] = {}
    waited: dict[str, int] = {}
    for index, step in enumerate(trace):
        state = trace.state_at(index)
        until = trace[index + 1].time if index + 1 < len(trace) else trace.end
        for key in [key for key in known if key not in state.workloads]:
            del known[key]
        for key, view in state.workloads.items():
            if key not in known and view.phase != "Finished":
                known[key] = f"{key} {len(waited)}"
                waited[known[key]] = 0
            if key not in known:
                continue
            queue = state.local_queue(view.local_queue).cluster_queue
            queues[known[key]] = queue or queues.get(known[key], "")
            if view.active and view.phase not in ("Admitted", "Finished"):
                waited[known[key]] += until - step.time
    found: dict[str, list[int]] = {}
    for workload, queue in queues.items():
        if queue:
            found.setdefault(queue, []).append(waited[workload])
    return {queue: (len(each), sum(each) // len(each)) for queue, each in found.items()}


@settings(max_examples=15, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(scenario=scenarios())
def test_waiting_is_the_same_by_hand_in_a_record_and_in_a_sweep(scenario: dict[str, Any]) -> None:
    spec = load_scenario(scenario)
    trace = Scenario(spec).run().trace
    expected = counted(trace)
    own = {
        name: (each.workloads, each.waiting)
        for name, each in statistics(trace).items()
        if each.workloads
    }
    assert own == expected
    measures = measures_of(observe(spec))
    for queue, (_, waiting) in expected.items():
        mean = measures[f"waiting.mean[queue={queue}]"]
        assert round(mean * SECOND) == pytest.approx(waiting, abs=1_000)  # Floats, in seconds.
