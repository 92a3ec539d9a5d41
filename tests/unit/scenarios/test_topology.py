"""Scenarios with topologies tell of nodes that fail in their timelines."""

from __future__ import annotations

from importlib.resources import files

import kueuelab
from kueuelab import scenarios
from kueuelab.trace.explain import step_text, why


def test_there_is_one_for_each_idea() -> None:
    assert len(scenarios.names("topology")) == 10


def test_the_timeline_says_which_node_failed_and_where_the_pods_go() -> None:
    text = str(scenarios.load("topology-7-node-fails").run().timeline)
    assert "has pods on node r1-h1, which failed" in text
    assert "pods placed: main: 1 on r1-h2 and main: 1 on r1-h3" in text


def test_pods_get_their_nodes_by_rank_until_a_node_is_replaced() -> None:
    run = scenarios.load("topology-7-node-fails").run()
    told = [step_text(step) for step in run.trace if step.kind == "PodsUngated"]
    assert told == [
        "Kueue takes the topology gate from the pods of default/train: "
        "main by rank (0 on r1-h1 and 1 on r1-h2).",
        "Kueue takes the topology gate from the pods of default/train: "
        "main, whose running pods stay (0 on r1-h3 and 1 on r1-h2).",
    ]


def test_pods_of_a_failed_node_wait_and_pods_of_a_finished_workload_are_gone() -> None:
    trace = scenarios.load("topology-7-node-fails").run().trace
    (marked,) = trace.of_kind("NodeMarkedUnhealthy")
    pods = trace.state_at(marked).workload("default/train").pods
    assert pods == {"main": (("", 1), ("r1-h2", 1))}
    assert "0 waits and 1 on r1-h2" in str(why(trace, "default/train", marked))
    assert trace.state_at(len(trace) - 1).workload("default/train").pods == {}


def test_why_says_where_pods_go_also_without_ranks() -> None:
    lab = scenarios.load("topology-5-leader-and-workers")
    text = str(lab.run().why("default/ring"))
    assert "Pods of workers, by rank: 0 on b1-r2-h1 and 1 to 2 on b1-r2-h2." in text


def test_an_expectation_of_ranks_says_what_it_found() -> None:
    text = files("kueuelab.scenarios").joinpath("topology/topology-7-node-fails.yaml").read_text()
    wrong = text.replace("ranks: {main: [r1-h1, r1-h2]}", "ranks: {main: [r1-h2, r1-h1]}")
    outcomes = kueuelab.load(wrong).run().outcomes
    assert [list(map(str, each.differences)) for each in outcomes if not each.passed] == [
        ["its pods of main are by rank on r1-h1, r1-h2, not r1-h2, r1-h1"]
    ]
