"""The tree of cohorts as a graph."""

from __future__ import annotations

from typing import Any

import networkx as nx

from kueuelab import scenarios
from kueuelab.trace.cohort_tree import cohort_graph, parents_in
from kueuelab.trace.reading import State


def state(*objects: tuple[str, str, dict[str, Any]]) -> State:
    found = {f"{kind}/{name}": {"kind": kind, "spec": spec} for kind, name, spec in objects}
    return State({"": {"objects": found}})


def test_cohorts_that_are_only_referred_to_are_there() -> None:
    graph = cohort_graph(
        state(
            ("ClusterQueue", "a", {"cohortName": "team"}),
            ("Cohort", "team", {"parentName": "institute"}),
            ("ClusterQueue", "alone", {}),
            ("LocalQueue", "ns/a", {"clusterQueue": "a"}),
            ("LocalQueue", "ns/lost", {"clusterQueue": "none"}),
        )
    )
    assert set(graph.edges) == {
        (("Cohort", "institute"), ("Cohort", "team")),
        (("Cohort", "team"), ("ClusterQueue", "a")),
        (("ClusterQueue", "a"), ("LocalQueue", "ns/a")),
    }
    assert ("ClusterQueue", "alone") in graph
    assert nx.is_forest(graph)


def test_a_circle_of_parents_is_cut() -> None:
    circle = state(("Cohort", "a", {"parentName": "b"}), ("Cohort", "b", {"parentName": "a"}))
    assert nx.is_forest(cohort_graph(circle))
    assert None in parents_in(circle).values()


def test_the_graph_has_usage_as_after_a_step() -> None:
    run = scenarios.load("reclaim-1-take-back").run()
    start, end = run.graph(0), run.graph()
    last = run.state_at(len(run.trace) - 1)
    queue = ("ClusterQueue", "team-a")
    assert not any(usage for _, usage in start.nodes(data="usage"))
    assert end.nodes[queue]["usage"] == last.cluster_queue(queue[1]).usage != {}
    assert end.nodes[queue]["nominal"] == {("default", "cpu"): 500}


def test_of_several_clusters_it_is_the_managers() -> None:
    graph = scenarios.load("lost-worker").run().graph()
    assert [kind for kind, _ in graph].count("ClusterQueue") == 1
