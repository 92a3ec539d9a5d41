"""In which order preemption would take the workloads of a ClusterQueue."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kueuelab.model import (
    Admission,
    FlavorResource,
    ObjectMeta,
    PodSetAssignment,
    Resources,
    Workload,
)
from kueuelab.quota import candidates as candidates_module
from kueuelab.quota.candidates import CandidateIndex
from kueuelab.workload import WorkloadState


def state(
    name: str, *, priority: int = 0, queue: str = "lq", namespace: str = "ns", since: int | None = 1
) -> WorkloadState:
    """Return a workload that has held quota since some time; ``None``: not yet."""
    meta = ObjectMeta(name, namespace, uid=name)
    made = WorkloadState(Workload(meta, queue_name=queue, priority=priority), Resources())
    if since is not None:
        made.set_condition("QuotaReserved", "True", "QuotaReserved", "", since)
    return made


def index(*workloads: WorkloadState) -> CandidateIndex:
    made = CandidateIndex()
    for workload in workloads:
        made.add(workload)
    return made


def others(candidates: CandidateIndex) -> list[str]:
    return [workload.obj.name for workload in candidates.others()]


def evicted(candidates: CandidateIndex) -> list[str]:
    return [workload.obj.name for workload in candidates.evicted()]


def test_low_priority_goes_first_then_the_latest_reserved_then_the_uid() -> None:
    lost = state("lost", since=None)
    lost.set_condition("QuotaReserved", "False", "Pending", "", 0)
    candidates = index(
        state("high", priority=1, since=9),
        state("b", since=5),
        state("a", since=5),
        state("late", since=7),
        state("new", since=None),
        lost,
    )
    # No reservation yet counts as the latest of all.
    assert others(candidates) == ["lost", "new", "late", "a", "b", "high"]


def test_those_being_evicted_are_apart() -> None:
    leaving, staying = state("leaving", priority=5), state("staying", priority=3)
    leaving.set_condition("Evicted", "True", "Preempted", "", 2)
    candidates = index(leaving, staying, state("low", priority=1))
    assert (evicted(candidates), others(candidates)) == (["leaving"], ["low", "staying"])
    assert candidates.first_key(evicted=True) == (5, -1, "leaving")
    assert candidates.first_key(evicted=False) == (1, -1, "low")
    candidates.discard("ns/leaving")
    assert (evicted(candidates), others(candidates)) == ([], ["low", "staying"])
    assert candidates.first_key(evicted=True) is None
    candidates.discard("ns/staying")
    assert others(candidates) == ["low"]
    candidates.discard("ns/staying")
    assert len(candidates) == 1


def test_a_hidden_queue_has_no_candidates() -> None:
    candidates = index(state("a"))
    candidates.hidden = True
    assert others(candidates) == []
    assert candidates.first_key(evicted=False) is None
    candidates.hidden = False
    assert others(candidates) == ["a"]


def test_what_local_queues_used_comes_before_priority() -> None:
    candidates = index(
        state("light", queue="light", priority=1),
        state("heavy", queue="heavy", priority=9),
        state("heavy-too", queue="heavy", priority=8),
        state("even", queue="even", priority=4),
    )
    candidates.usage = {"ns/light": 0.5, "ns/even": 0.5, "ns/heavy": 2.0}.__getitem__
    assert others(candidates) == ["heavy-too", "heavy", "light", "even"]


def test_local_queues_with_one_name_are_not_distinguished_by_usage() -> None:
    candidates = index(state("a", namespace="calm"), state("b", namespace="busy"))
    candidates.usage = {"calm/lq": 0.5, "busy/lq": 2.0}.__getitem__
    assert others(candidates) == ["a", "b"]


def holds(name: str, flavor: str, priority: int = 0) -> WorkloadState:
    """Return a workload that holds cpu of a flavor."""
    made = state(name, priority=priority)
    assigned = PodSetAssignment("main", {"cpu": flavor}, {"cpu": 1000}, 1)
    made.admission = Admission("cq", (assigned,))
    made.refresh()
    return made


def test_those_that_use_a_flavor_follow_what_comes_and_goes() -> None:
    spot, reserved = ("spot", "cpu"), ("reserved", "cpu")

    def using(*frs: tuple[str, str], evicted: bool = False) -> list[str]:
        return [place[2].obj.name for place in candidates.using(frs, evicted=evicted)]

    a, b = holds("a", "spot", priority=1), holds("b", "reserved")
    candidates = index(a, b)
    assert (using(spot), using(reserved), using(spot, reserved)) == (["a"], ["b"], ["b", "a"])
    candidates.add(holds("c", "spot"))
    assert using(spot) == ["c", "a"]
    candidates.discard("ns/c")
    assert using(spot) == ["a"]
    candidates.discard("ns/a")
    a.set_condition("Evicted", "True", "Preempted", "", 2)
    candidates.add(a)
    assert (using(spot), using(spot, evicted=True)) == ([], ["a"])
    candidates.hidden = True
    assert (using(reserved), using(spot, evicted=True)) == ([], [])


def test_only_what_comes_or_goes_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []

    def uses_any(workload: WorkloadState, frs: Sequence[FlavorResource]) -> bool:
        looked_at.append(workload.obj.name)
        return real(workload, frs)

    real = candidates_module.uses_any
    monkeypatch.setattr(candidates_module, "uses_any", uses_any)
    candidates = index(*(holds(f"w{number}", "spot") for number in range(9)))
    spot = (("spot", "cpu"),)
    assert len(list(candidates.using(spot, evicted=False))) == 9
    looked_at.clear()
    candidates.add(holds("new", "spot"))
    candidates.discard("ns/w3")
    names = {place[2].obj.name for place in candidates.using(spot, evicted=False)}
    assert names == {"new", *(f"w{number}" for number in range(9) if number != 3)}
    assert looked_at == ["new"]
