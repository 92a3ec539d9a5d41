"""Waiting for quota, but in which cluster? What ``why`` says from the one place to load from."""

from __future__ import annotations

import pytest

import kueuelab as kl
from kueuelab.multikueue import ClusterSetRun, MultiKueueScenario
from kueuelab.multikueue.why import placement_at


def _run(name: str, until: float) -> ClusterSetRun:
    scenario = kl.load(kl.scenarios.text(name))
    assert isinstance(scenario, MultiKueueScenario)
    return scenario.run(until=until)


def _line(run: ClusterSetRun, workload: str, cluster: str) -> str:
    (line,) = [x for x in run.why(workload).lines if x.startswith(f"{cluster}")]
    return line


def test_it_waits_in_the_workers() -> None:
    run = _run("quota-far-above", 10)
    (waiting,) = [
        state.key
        for state in run.cluster_set.manager.member.workloads.values()
        if state.cluster_name is None
    ]
    assert "quota is reserved; nominated: w1, w2" in _line(run, waiting, "manager")
    for worker in ("w1", "w2"):
        line = _line(run, waiting, worker)
        assert "waiting in dispatch, where" in line
        assert "insufficient" in line


def test_it_waits_on_the_manager() -> None:
    run = _run("quota-far-below", 10)
    (waiting,) = [
        state.key
        for state in run.cluster_set.manager.member.workloads.values()
        if not state.has_quota_reservation
    ]
    line = _line(run, waiting, "manager")
    assert "it is dispatched only after that" in line
    assert not any(x.startswith(("w1", "w2")) for x in run.why(waiting).lines)


def test_it_is_admitted_and_finds_no_node() -> None:
    run = _run("quota-promises-too-much", 60)
    stuck = [
        line
        for key in run.cluster_set.manager.member.workloads
        for line in run.why(key).lines
        if "do not fit on the nodes" in line
    ]
    assert len(stuck) == 1
    assert "MultiKueue does not move an admitted workload" in stuck[0]


def test_a_dispatchers_clock_and_the_check_are_reported_as_steps() -> None:
    rounds = [s.facts for s in _run("rounds-step-by-step", 700).trace.steps]
    lengths = [f.round_length for f in rounds if type(f).__name__ == "ClustersNominated"]  # type: ignore[attr-defined]
    assert lengths
    assert set(lengths) == {300_000_000_000}
    lost = [
        (f.check, f.active, f.reason, f.message)  # type: ignore[attr-defined]
        for s in _run("lost-worker", 60).trace.steps
        if type(f := s.facts).__name__ == "CheckActivityChanged"
    ]
    assert lost == [
        ("multikueue", True, "SomeActiveClusters", "Inactive clusters: [w1]"),
        ("multikueue", True, "Active", "The admission check is active"),
    ]


@pytest.mark.parametrize("name", ["lost-worker", "quota-promises-too-much", "quota-far-above"])
def test_the_answer_is_read_from_the_record_at_any_step(name: str) -> None:
    run = _run(name, 60)
    key = "default/train" if name == "lost-worker" else run.trace.workloads[0]
    last = len(run.trace) - 1
    texts = dict(placement_at(run.trace.state_at(last), run.dispatches, key, last).lines)
    for line in run.why(key).lines:
        cluster, _, text = line.partition(": ")
        if cluster in texts:
            assert texts[cluster] == text
    # The record says how many pods run, and at the first step nothing does.
    before = placement_at(run.trace.state_at(0), run.dispatches, key, 0)
    assert not any("pod" in text for _, text in before.lines)
