"""Of what time a number in an explanation is: what no longer holds says so."""

from __future__ import annotations

import pytest

from kueuelab import scenarios
from kueuelab.trace import explain, steps


@pytest.mark.parametrize("name", scenarios.names())
def test_available_quota_that_no_longer_holds_names_its_time(name: str) -> None:
    run = scenarios.load(name).run()
    nodes = run.cluster.tree.cluster_queues
    for workload in run.trace.workloads:
        explanation = explain.why(run.trace, workload)
        flavors = explanation.section("flavors")
        if explanation.phase != "Pending" or flavors is None:
            continue
        for line in flavors.lines:
            if "available" not in line.numbers:
                continue
            assert line.step is not None
            step = run.trace[line.step]
            assert isinstance(step.facts, steps.FlavorConsidered)
            node = nodes[step.cluster_queue]
            now = node.available((step.facts.flavor, step.facts.resource))
            used = node.usage.get((step.facts.flavor, step.facts.resource), 0)
            if (now, used) == (step.facts.available, step.facts.used):
                continue
            assert "numbers of 20" in flavors.title, workload
            status = explanation.section("status")
            assert status is not None
            if any(each.rule == "equivalent" for each in status.lines):
                continue  # the numbers there are those of the workload that it waits with
            for told in status.sentences:
                assert not told.startswith("It does not fit:"), workload
                assert not told.startswith("Preempting can't help:"), workload
            for following in explanation.section("next").lines:  # type: ignore[union-attr]
                assert "becomes free where" not in following.text, workload


def test_the_decision_is_named_with_its_cycle_and_time() -> None:
    run = scenarios.load("cohort-2-shared-pool").run()
    text = explain.why(run.trace, "default/g-2").as_text()
    assert "It did not fit in cycle 3, at 2026-01-01T" in text
    assert "quota or usage changed since" in text
    assert "Flavors in cycle 3: numbers of 2026-01-01T" in text


def test_numbers_that_hold_still_are_reported_as_they_are() -> None:
    run = scenarios.load("reclaim-1-take-back").run()
    text = explain.why(run.trace, "default/job-1").as_text()
    assert "changed since" not in text
