"""Rules of the manager's reconciler that recorded scenarios do not reach, one by one."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from kueuelab.model.times import SECOND
from kueuelab.multikueue import Timing, World
from kueuelab.multikueue.group import GATE
from kueuelab.workload import WorkloadState

sys.path.insert(0, str(Path(__file__).parents[2] / "multikueue"))
from worlds import job, plan, world

_ORCHESTRATED = {"MultiKueueOrchestratedPreemption": True}


def _only(made: World) -> WorkloadState:
    (state,) = made.manager.site.workloads.values()
    return state


def _full_workers(*names: str, limit: int = 100) -> World:
    """Return a world of workers where a preemption gives quota, and a check that none passes."""
    made = world(
        dict.fromkeys(names, 2),
        gates=_ORCHESTRATED,
        worker_checks=("capacity",),
        priorities={"low": 1, "high": 1000},
        timing=replace(Timing(), single_cluster_preemption=limit * SECOND),
    )
    for name in names:
        made.submit(name, job("victim", 2, "low"), plan(10_000))
    made.advance(5)
    return made


def _opened(made: World) -> dict[str, float]:
    """Return when each gate was opened, in seconds since the job was submitted."""
    assert made.log is not None
    fact = f"preemptionGate {GATE}=Open"
    return {f.cluster: round(f.time / SECOND) - 5 for f in made.log.facts if f.fact == fact}


def test_each_gate_has_its_own_time_before_the_next_is_opened() -> None:
    """The clock counts from the gate that was opened last, not from the first."""
    made = _full_workers("w1", "w2", "w3")
    made.submit("manager", job("train", 2, "high"), plan(5))
    made.advance(90)
    assert len(_opened(made)) == 1
    made.advance(60)
    assert len(_opened(made)) == 2
    made.advance(45)
    assert len(_opened(made)) == 2
    made.advance(1000)
    times = sorted(_opened(made).values())
    assert len(times) == 3
    assert [round(t / 100) for t in times] == [0, 1, 2]


def test_no_worker_is_nominated_before_all_other_checks_are_ready() -> None:
    made = world({"w1": 4}, checks=("budget",))
    made.submit("manager", job("train"), plan(5))
    made.advance(30)
    state = _only(made)
    assert state.has_quota_reservation
    assert not state.is_finished
    assert made.log is not None
    assert not [f for f in made.log.facts if f.cluster == "w1" or "nominated" in f.fact]
    made.set_check("manager", state.key, "budget", "Ready")
    made.advance(1)
    assert state.cluster_name == "w1"
    made.advance(30)
    assert state.is_finished
