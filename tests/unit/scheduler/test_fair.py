"""Fair sharing: from which part of the tree workloads are preempted."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "simulation"))
from simulation_lab import Lab, flavor, local, make_lab, queue, work

FAIR: dict[str, Any] = {
    "fairSharing": {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]}
}


def cohort(name: str, parent: str) -> dict[str, Any]:
    return {"kind": "Cohort", "metadata": {"name": name}, "spec": {"parentName": parent}}


def borrowers(*names: str) -> Lab:
    """Return ClusterQueues that borrow the same, each in a cohort of its own below the root."""
    objects = [flavor()]
    for name in names:
        objects += [cohort(name, "root"), queue(f"{name}-cq", "2", cohortName=name)]
        objects += [local(f"{name}-lq", f"{name}-cq")]
    objects += [
        queue(
            "own-cq",
            str(len(names)),
            cohortName="root",
            preemption={"reclaimWithinCohort": "Any"},
        ),
        local("own-lq", "own-cq"),
    ]
    lab = make_lab(*objects, **FAIR)
    for name in names:
        lab.create(*(work(f"{name}{number}", queue_name=f"{name}-lq") for number in range(3)))
    for _ in range(3):
        lab.cluster.cycle()
    assert len(lab.admitted()) == 3 * len(names)
    return lab


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a"), ("a", "b", "c")])
def test_of_cohorts_with_one_share_the_last_by_name_is_searched_first(
    names: tuple[str, ...],
) -> None:
    lab = borrowers(*names)
    lab.create(work("own", queue_name="own-lq"))
    lab.cluster.cycle()
    (target,) = [state.obj.name for state in lab.cluster.workloads.values() if state.is_evicted]
    assert target.startswith(max(names))
