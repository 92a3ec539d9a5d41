"""Hazards of this version: each has a scenario, a name, and something that an operator can do."""

from __future__ import annotations

from pathlib import Path

import pytest

import kueuelab
from kueuelab.multikueue import load
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.workload import WorkloadState

_SCENARIOS = {
    "lost-worker": ("older-copy-wins", "w1", 60),
    "cluster-removed": ("forgotten-copy", "w1", 60),
    "cluster-deleted": ("deleted-cluster", "w1", 60),
    "evicted-before-job": ("evicted-without-job", "east", 20),
    "copy-restarted": ("restarted-copy", "w1", 60),
    "short-outage": ("older-copy-wins", "w1", 60),
}


@pytest.mark.parametrize("name", sorted(_SCENARIOS))
def test_each_hazard_has_a_scenario_that_shows_it(name: str) -> None:
    id_, cluster, at = _SCENARIOS[name]
    run = load(name).run(until=at)
    (hazard,) = run.hazards
    assert (hazard.id, hazard.cluster) == (id_, cluster)
    answer = run.why("train")
    assert answer.hazards == (hazard,)
    (line,) = [line for line in answer.lines if line.startswith("hazard: ")]
    assert hazard.what in line
    assert hazard.remedy in line


@pytest.mark.parametrize(
    "name", ["rounds-step-by-step", "manager-restarted", "queue-missing-on-worker"]
)
def test_where_nothing_goes_wrong_there_is_no_hazard(name: str) -> None:
    assert not load(name).run().hazards


def test_what_is_advised_helps() -> None:
    """Taking the worker out of the config, too, ends the wait for a deleted MultiKueueCluster."""
    run = load("cluster-deleted").run(until=20)
    cluster_set = run.cluster_set
    config = cluster_set.manager.member.cluster.objects.get("MultiKueueConfig", "fleet")
    cluster_set.apply("manager", type(config)(config.metadata, ("w2",)))  # type: ignore[union-attr,call-arg]
    cluster_set.advance(60)
    (state,) = cluster_set.manager.member.workloads.values()
    assert (state.cluster_name, state.is_finished) == ("w2", True)


def test_deleting_a_restarted_copy_helps() -> None:
    """The manager waits for ever for a status that Kubernetes refuses, until the copy is gone."""
    run = load("copy-restarted").run(until=25)
    cluster_set = run.cluster_set
    state = cluster_set.manager.member.workloads["default/train"]
    cluster_set.advance(3600)
    assert state.is_admitted
    assert not state.is_finished
    cluster_set.delete_workload("w1", "default/train")
    cluster_set.advance(60)
    (state,) = cluster_set.manager.member.workloads.values()
    assert state.is_finished
    assert not run.hazards


def test_a_job_that_reserved_quota_while_no_worker_was_connected_is_not_nominated() -> None:
    """Any write makes the manager look at it again."""
    run = load("no-worker-connected").run()
    assert [(h.id, h.workload, h.cluster) for h in run.hazards] == [
        ("not-nominated", "default/train", "w1"),
        ("not-nominated", "default/train", "w2"),
    ]
    cluster_set = run.cluster_set
    cluster_set.advance(3600)
    state = cluster_set.manager.member.workloads["default/train"]
    assert state.nominated_cluster_names == ()

    def label(plane: ControlPlane, state: WorkloadState) -> bool:
        plane.changed(state.key)
        return True

    cluster_set.manager.member.write("default/train", label)
    cluster_set.advance(60)
    assert state.is_finished
    assert not run.hazards


def test_a_copy_is_older_if_it_was_admitted_no_later() -> None:
    """One that is younger is removed when its worker is connected again."""
    run = load("short-outage").run(until=12)
    key, last = "default/train", len(run.trace) - 1
    assert [hazard.id for hazard in run.hazards] == ["older-copy-wins"]
    assert run.dispatches.is_older("w1", "w2", key, last)
    assert not run.dispatches.is_older("w2", "w1", key, last)


@pytest.mark.parametrize(
    ("name", "at"),
    [("lost-worker", 16.7), ("cluster-removed", 9.7), ("crd-missing-on-worker", 30.7)],
)
def test_a_deactivated_copy_that_is_being_evicted_is_no_hazard(name: str, at: float) -> None:
    """Its eviction completes, and the manager removes it."""
    run = load(name).run(until=at)
    (evicted,) = [
        worker
        for worker, member in run.cluster_set.workers.items()
        for copy in member.workloads.values()
        if copy.is_evicted and not copy.active
    ]
    assert [hazard for hazard in run.hazards if hazard.cluster == evicted] == []
    run.cluster_set.advance(5)
    assert not any(copy.is_evicted for copy in run.cluster_set.workers[evicted].workloads.values())


def test_hazards_are_found_in_one_place() -> None:
    package = Path(kueuelab.__file__).parent
    found = [
        file.relative_to(package).as_posix()
        for file in package.rglob("*.py")
        if "hazard_of(" in file.read_text("utf-8")
    ]
    assert found == ["multikueue/hazards.py"]
