"""Bars of quota: one scale for each resource, one unit for what is compared, excess in words."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.trace.trace import Trace
from kueuelab.views.bars import Bar
from kueuelab.views.picture import cohort_picture
from kueuelab.views.run_index import RunIndex
from kueuelab.widgets import CohortGraph
from kueuelab.widgets.cohort_traces import CHIPS, FREE, NOMINAL, fillings


def bars(trace: Trace, index: int) -> dict[str, Bar]:
    return {bar.node[1]: bar for bar in cohort_picture(RunIndex(trace), index).bars}


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
    found = bars(trace, len(trace) - 1)
    assert {bar.extent for bar in found.values()} == {700}
    ends = {name: round(bar.at(bar.nominal) * 700) for name, bar in found.items()}
    assert ends == {"all": 700, "a": 500, "b": 200}


def test_a_cohort_much_larger_than_its_queues_is_cut_off_and_says_so() -> None:
    many = [queue(f"q{number}", 2, "all") for number in range(10)]
    trace = run(*many, cohorts=[], cpu=1)
    found = bars(trace, len(trace) - 1)
    assert {bar.extent for bar in found.values()} == {6000}
    assert found["all"].label == "default/cpu, 1 of 20 used, bar not drawn to scale"
    assert not found["q0"].is_cut


def test_amounts_that_are_compared_have_one_unit() -> None:
    trace = run(queue("a", "700m", "all"), queue("b", 1, "all"), cohorts=[], cpu=1)
    label = bars(trace, len(trace) - 1)["a"].label
    assert label == "default/cpu, 1000m of 700m used, borrows 300m"
    assert bars(trace, len(trace) - 1)["a"].cells[1:3] == ("700m", "1000m")
    assert bars(trace, len(trace) - 1)["b"].label == "default/cpu, 0 of 1 used, lends 300m"


def test_more_than_the_quota_of_a_cohort_is_said_in_words() -> None:
    parent = manifest("Cohort", "all", {"parentName": "top"})
    trace = run(queue("a", "700m", "all"), queue("b", 1, "top"), cohorts=[parent], cpu=1)
    found = bars(trace, len(trace) - 1)
    assert found["all"].label == (
        "default/cpu, 1000m of 700m used, 142 % of nominal quota: 300m borrowed"
    )
    (filling,) = [chip for chip in fillings([found["all"]]) if chip.line == found["all"].line]
    assert filling.label == "142 % of nominal quota: 300m borrowed"
    assert found["top"].percent == "58 % of nominal quota"
    # A preemptor's quota is set aside before that of its target is free.
    take_over = scenarios.load("within-1-all-in-one-queue").run().trace
    at = take_over.of_kind("QuotaHeld")[2]
    top = next(bar for bar in bars(take_over, at).values() if bar.is_cohort)
    assert top.label == "default/cpu, 1200m of 700m used, 171 % of nominal quota: 500m beyond it"


def test_no_bar_that_answers_the_pointer_lies_on_another_one() -> None:
    watched = scenarios.load("within-1-all-in-one-queue").run()
    graph = CohortGraph(watched)
    for index in range(len(watched.trace)):
        graph.board.go(index)
        pieces: dict[float, list[tuple[float, float]]] = {}
        for trace in (graph.figure.data[CHIPS], graph.figure.data[FREE]):
            for base, x, y in zip(trace.base, trace.x, trace.y, strict=True):
                if x is not None:
                    pieces.setdefault(y, []).append((base, base + x))
        for placed in pieces.values():
            placed.sort()
            for (_, end), (start, _) in pairwise(placed):
                assert start >= end - 1e-9
    assert graph.figure.data[NOMINAL].hoverinfo == "skip"
