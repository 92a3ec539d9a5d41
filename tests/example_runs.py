"""Recorded runs for views and widgets: scenarios of the package, curated cases of Kueue."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.conformance.cases import read_cases
from kueuelab.conformance.replay import replay_case
from kueuelab.trace import Recorder, Trace

CURATED = Path(__file__).parent / "conformance" / "curated.jsonl.gz"


@cache
def scenario_trace(name: str) -> Trace:
    return scenarios.load(name).run().trace


@cache
def curated_traces() -> dict[str, Trace]:
    found = {}
    for case in read_cases(CURATED):
        recorder = Recorder()
        for _ in replay_case(case, recorder):
            pass
        found[case.name] = Trace.of(recorder, case.name)
    return found


@pytest.fixture(params=scenarios.names())
def trace(request: pytest.FixtureRequest) -> Trace:
    """The trace of a scenario, one after another."""
    return scenario_trace(request.param)


@pytest.fixture
def late() -> Trace:
    """The trace of a preemption that comes a minute late."""
    return scenario_trace("reclaim-3-late-after-finish")


@pytest.fixture
def within() -> Trace:
    """The trace of a preemption inside one ClusterQueue."""
    return scenario_trace("within-1-all-in-one-queue")


@pytest.fixture
def curated() -> dict[str, Trace]:
    """The traces of all curated cases."""
    return curated_traces()


@cache
def busy_trace() -> Trace:
    objects: list[dict[str, object]] = [
        {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "ResourceFlavor",
            "metadata": {"name": "default"},
        }
    ]
    for number in range(30):
        name = f"queue-{number}"
        resource = {"name": "cpu", "nominalQuota": 20, "borrowingLimit": 100}
        flavors = [{"name": "default", "resources": [resource]}]
        objects += [
            {
                "apiVersion": "kueue.x-k8s.io/v1beta2",
                "kind": "ClusterQueue",
                "metadata": {"name": name},
                "spec": {
                    "cohortName": f"cohort-{number % 5}",
                    "namespaceSelector": {},
                    "preemption": {
                        "reclaimWithinCohort": "Any",
                        "withinClusterQueue": "LowerPriority",
                    },
                    "resourceGroups": [{"coveredResources": ["cpu"], "flavors": flavors}],
                },
            },
            {
                "apiVersion": "kueue.x-k8s.io/v1beta2",
                "kind": "LocalQueue",
                "metadata": {"name": name, "namespace": "default"},
                "spec": {"clusterQueue": name},
            },
        ]
    sizes = ((1, 50), (5, 100), (1, 50), (20, 200), (1, 50))
    timeline = []
    for number in range(500):
        # One queue gets more than its share, so that its line is full of small jobs.
        queue = 0 if number % 4 == 0 else number % 30
        cpu, priority = (1, 50) if queue == 0 else sizes[number % 5]
        job = {"job": f"job-{number}", "queue": f"queue-{queue}", "requests": {"cpu": cpu}}
        timeline.append({"at": f"{number // 10}s", "submit": job | {"priority": priority}})
    document = {
        "apiVersion": "kueuelab/v1",
        "kind": "Scenario",
        "metadata": {"name": "busy"},
        "spec": {"manifests": objects, "timeline": timeline},
    }
    return kl.load(document).run().trace


@pytest.fixture
def busy() -> Trace:
    """The trace of 500 workloads in 30 ClusterQueues."""
    return busy_trace()
