"""Bars of quota: one scale for each resource, one unit for what is compared, excess in words."""

from __future__ import annotations

from typing import Any

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.trace.trace import Trace
from kueuelab.views import Document
from kueuelab.views.frame.labels import bar_label


def labels(trace: Trace, index: int) -> dict[str, str]:
    frame = Document(trace).frame(index)
    nodes = frame["tree"]
    return {
        nodes[bar["node"]]["name"]: bar_label(bar, nodes[bar["node"]])
        for bar in frame["bars"].values()
    }


def queue(name: str, quota: Any, cohort: str) -> list[dict[str, Any]]:
    resources = [{"name": "cpu", "nominalQuota": quota}]
    groups = [
        {"coveredResources": ["cpu"], "flavors": [{"name": "default", "resources": resources}]}
    ]
    spec = {"namespaceSelector": {}, "resourceGroups": groups, "cohortName": cohort}
    return [
        manifest("ClusterQueue", name, spec),
        manifest("LocalQueue", name, {"clusterQueue": name}),
    ]


def manifest(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    version = "kueue.x-k8s.io/v1beta2"
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec}


def run(*queues: list[dict[str, Any]], cohorts: list[dict[str, Any]], cpu: Any) -> Trace:
    objects = [
        manifest("ResourceFlavor", "default", {}),
        *cohorts,
        *(part for each in queues for part in each),
    ]
    submit = {"job": "one", "queue": queues[0][0]["metadata"]["name"], "requests": {"cpu": cpu}}
    document = {
        "apiVersion": "kueuelab/v1",
        "kind": "Scenario",
        "metadata": {"name": "bars"},
        "spec": {"manifests": objects, "timeline": [{"at": "1s", "submit": submit}]},
    }
    loaded: Any = kl.load(document)
    trace: Trace = loaded.run().trace
    return trace


def test_a_cohort_and_its_queues_have_one_scale() -> None:
    trace = run(queue("a", "500m", "all"), queue("b", "200m", "all"), cohorts=[], cpu="100m")
    document = Document(trace)
    assert document.scales == {"cpu": 700}
    bars = document.frame(len(trace) - 1)["bars"]
    assert [bar["nominal"] for bar in bars.values()] == [700, 500, 200]


def test_a_cohort_much_larger_than_its_queues_is_cut_off() -> None:
    many = [queue(f"q{number}", 2, "all") for number in range(10)]
    trace = run(*many, cohorts=[], cpu=1)
    assert Document(trace).scales == {"cpu": 6000}
    assert labels(trace, len(trace) - 1)["all"] == "default/cpu, 1 of 20 used"


def test_amounts_that_are_compared_have_one_unit() -> None:
    trace = run(queue("a", "700m", "all"), queue("b", 1, "all"), cohorts=[], cpu=1)
    found = labels(trace, len(trace) - 1)
    assert found["a"] == "default/cpu, 1000m of 700m used, borrows 300m"
    assert found["b"] == "default/cpu, 0 of 1 used, lends 300m"


def test_more_than_the_quota_of_a_cohort_is_said_in_words() -> None:
    parent = manifest("Cohort", "all", {"parentName": "top"})
    trace = run(queue("a", "700m", "all"), queue("b", 1, "top"), cohorts=[parent], cpu=1)
    assert labels(trace, len(trace) - 1)["all"] == (
        "default/cpu, 1000m of 700m used, 142 % of nominal quota: 300m borrowed"
    )
    # A preemptor's quota is reserved before that of its target is free: it waits.
    take_over = scenarios.load("within-1-all-in-one-queue").run().trace
    at = take_over.of_kind("QuotaHeld")[2]
    assert next(iter(labels(take_over, at).values())) == (
        "default/cpu, 700m of 700m used, 500m reserved, waits"
    )
