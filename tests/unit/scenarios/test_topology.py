"""Scenarios with topologies tell of nodes that fail in their timelines."""

from __future__ import annotations

from kueuelab import scenarios


def test_there_is_one_for_each_idea() -> None:
    assert len(scenarios.names("topology")) == 10


def test_the_timeline_says_which_node_failed_and_where_the_pods_go() -> None:
    text = str(scenarios.load("topology-7-node-fails").run().timeline)
    assert "has pods on node r1-h1, which failed" in text
    assert "pods placed: main: 1 on r1-h2 and main: 1 on r1-h3" in text
