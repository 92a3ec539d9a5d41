"""What explanations say of random worlds is true of the cluster at that moment."""

from __future__ import annotations

from typing import Any

from how_many import SCENARIOS, many
from hypothesis import given, settings
from hypothesis import strategies as st

import kueuelab as kl
from kueuelab.simulation.cluster import Cluster
from kueuelab.testing.strategies import scenarios
from kueuelab.trace.explain import why
from kueuelab.trace.explanation import Explanation
from kueuelab.trace.steps import EntryProcessed


@settings(many, max_examples=max(SCENARIOS // 4, 10))
@given(scenario=scenarios(), seconds=st.integers(0, 120))
def test_sentences_about_pending_workloads_are_true(scenario: dict[str, Any], seconds: int) -> None:
    lab = kl.load(scenario)
    assert isinstance(lab, kl.Lab)
    run = lab.run(until=seconds)
    for key, state in run.cluster.workloads.items():
        if not state.has_quota_reservation and not state.is_finished:
            told = run.why(key)
            order_is_true(run.cluster, key, told)
            numbers_are_true(run.cluster, told)
            overtaken_is_true(run.cluster, told)


def order_is_true(cluster: Cluster, key: str, told: Explanation) -> None:
    """Those that are said to be in front are those that would be popped before it."""
    section = told.section("queue")
    ahead = None if section is None else section.lines[0].numbers.get("ahead")
    queue = cluster.plane.queueing.get(cluster.workloads[key].queue_key, "")
    waiting = cluster.queues.pending_active(queue)
    if section is None or ahead is None or key not in waiting:
        return
    # One that the scheduler holds until pods are ready is out of the queue, and in front.
    held = [
        each
        for each, state in cluster.workloads.items()
        if cluster.queues.place(each) == "inflight"
        and cluster.plane.queueing.get(state.queue_key, "") == queue
    ]
    before = [*held, *waiting[: waiting.index(key)]]
    assert list(ahead) == before, told.as_text()
    assert ("first in line" in section.lines[0].text) == (not before)


def numbers_are_true(cluster: Cluster, told: Explanation) -> None:
    """Where nothing is said to have changed since, amounts are those of the quota tree now."""
    section = told.section("flavors")
    if section is None or "numbers of" in section.title:
        return
    queue = cluster.plane.queueing.get(cluster.workloads[told.workload].queue_key, "")
    node = cluster.tree.cluster_queues.get(queue)
    for line in section.lines:
        if line.rule == "available":
            parts = line.numbers["parts"]
            assert all(amount > 0 for _, _, amount in parts), line.text
            assert len({(kind, name) for kind, name, _ in parts}) == len(parts)
        elif "available" in line.numbers and node is not None:
            fr = line.numbers["flavor"], line.numbers["resource"]
            assert line.numbers["used"] == node.usage.get(fr, 0), line.text


def overtaken_is_true(cluster: Cluster, told: Explanation) -> None:
    """What came later and got quota has no higher priority."""
    section = told.section("queue")
    for line in () if section is None else section.lines:
        for name in line.numbers["others"] if line.rule == "overtaken" else ():
            other, own = cluster.workloads.get(name), cluster.workloads[told.workload]
            assert other is None or other.priority <= own.priority, line.text


@settings(many, max_examples=max(SCENARIOS // 4, 10))
@given(scenario=scenarios())
def test_sentences_about_the_others_of_a_cycle_are_true(scenario: dict[str, Any]) -> None:
    """What took the quota got some in that cycle; what is waited for holds its quota still."""
    lab = kl.load(scenario)
    assert isinstance(lab, kl.Lab)
    trace = lab.run().trace
    got: set[tuple[int, str]] = set()
    for index in trace.of_kind("EntryProcessed"):
        step, facts = trace[index], trace[index].facts
        assert isinstance(facts, EntryProcessed)
        if facts.status == "assumed":
            got.add((step.cycle, step.workload))
        if facts.status != "skipped" and facts.requeue_reason != "PendingPreemption":
            continue
        state = trace.state_at(index)
        for line in why(trace, step.workload, index).lines:
            for name in line.numbers.get("skipped", ()):
                assert (step.cycle, name) in got, line.text
            for name in line.numbers.get("kept", ()):
                assert (step.cycle, name) not in got, line.text
            for name in line.numbers.get("waitsFor", ()):
                assert state.workload(name).phase not in ("Pending", "Finished", ""), line.text
