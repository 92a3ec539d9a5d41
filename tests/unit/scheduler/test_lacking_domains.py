"""Quota is there, but no place: what is recorded of preemption and of entries of one cycle."""

from __future__ import annotations

import yaml

import kueuelab as kl
from kueuelab.trace import Trace
from kueuelab.trace.step_text import step_text


def queue(name: str) -> list[dict[str, object]]:
    quota = {"name": "default", "resources": [{"name": "cpu", "nominalQuota": 100}]}
    spec = {
        "namespaceSelector": {},
        "preemption": {"withinClusterQueue": "LowerPriority"},
        "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [quota]}],
    }
    api = {"apiVersion": "kueue.x-k8s.io/v1beta2", "metadata": {"name": name}}
    return [
        {**api, "kind": "ClusterQueue", "spec": spec},
        {**api, "kind": "LocalQueue", "spec": {"clusterQueue": name}},
    ]


def job(at: int, name: str, queue: str, pods: int, cpu: int, priority: int) -> dict[str, object]:
    asks = {"pods": pods, "requests": {"cpu": cpu}, "topology": {"required": "rack"}}
    return {"at": f"{at}s", "submit": {"job": name, "queue": queue, "priority": priority, **asks}}


def trace_of(racks: int, *timeline: dict[str, object]) -> Trace:
    spec = {
        "nodes": {"racks": racks, "hosts": 2, "cpu": 4},
        "manifests": queue("a") + queue("b"),
        "timeline": list(timeline),
    }
    scenario = {"apiVersion": "kueuelab/v1", "kind": "Scenario", "metadata": {"name": "s"}}
    return kl.load(yaml.safe_dump({**scenario, "spec": spec})).run().trace


def texts(trace: Trace, kind: str) -> list[str]:
    return [step_text(trace[index]) for index in trace.of_kind(kind)]


def test_removing_goes_on_until_there_is_a_place() -> None:
    trace = trace_of(
        1,
        job(0, "low-1", "a", 1, 3, 1),
        job(1, "low-2", "a", 1, 3, 2),
        job(2, "urgent", "a", 2, 4, 100),
    )
    name = next(step.workload for step in trace.steps if "urgent" in (step.workload or ""))
    checks = [trace[index].facts for index in trace.of_kind("FitChecked")]
    assert [(check.fits, check.lacks_domains) for check in checks[:2]] == [
        (False, True),
        (True, False),
    ]
    assert texts(trace, "FitChecked")[0] == (
        f"{name} does not fit yet: there is quota, but no place in the topology."
    )


def test_an_entry_looks_again_when_an_earlier_one_took_its_domains() -> None:
    trace = trace_of(2, job(0, "one", "a", 2, 3, 1), job(0, "two", "b", 2, 3, 1))
    (found,) = trace.of_kind("Recomputed")
    assert trace[found].facts.lacks_domains
    assert texts(trace, "Recomputed") == [
        f"Domains that {trace[found].workload} was to get are in use: looked for again."
    ]
    processed = [trace[index].facts.status for index in trace.of_kind("EntryProcessed")]
    assert processed == ["assumed", "assumed"]


def test_an_entry_without_candidates_looks_again_when_its_domains_are_in_use() -> None:
    """It was given the domains that it would have in an empty cluster."""
    trace = trace_of(1, job(0, "high", "a", 2, 4, 9), job(1, "low", "a", 2, 4, 1))
    (found,) = trace.of_kind("Recomputed")
    assert trace[found].facts.lacks_domains
    assert texts(trace, "Recomputed") == [
        "Domains that default/low was to get are in use: looked for again."
    ]
    processed = [trace[index].facts.status for index in trace.of_kind("EntryProcessed")]
    assert processed == ["assumed", ""]
