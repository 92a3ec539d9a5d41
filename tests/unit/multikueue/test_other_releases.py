"""Rules of other releases of Kueue about MultiKueue that no recording shows."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from kueuelab.model import RELEASES, MultiKueueConfig, ObjectMeta
from kueuelab.multikueue import ClusterSet

sys.path.insert(0, str(Path(__file__).parents[2] / "multikueue"))
from cluster_sets import cluster_set, job, plan


def nominated(made: ClusterSet) -> tuple[str, ...]:
    (state,) = made.manager.member.workloads.values()
    return tuple(state.nominated_cluster_names)


@pytest.mark.parametrize(
    ("version", "follows"), list(zip(RELEASES, (False, False, True), strict=True))
)
def test_another_config_of_a_check_is_followed_in_v0_20(version: str, follows: bool) -> None:
    # No quota in east; the job waits there, and nothing else happens.
    made = cluster_set({"east": 0, "west": 4}, config=["east"], release=RELEASES[version])
    made.apply("manager", MultiKueueConfig(ObjectMeta("other"), clusters=("west",)))
    made.submit("manager", job("train", 1), plan(1000))
    made.advance(10)
    assert nominated(made) == ("east",)
    check = made.manager.member.cluster.objects.admission_checks["multikueue"]
    assert check.parameters is not None
    parameters = replace(check.parameters, name="other")
    made.apply("manager", replace(check, parameters=parameters))
    made.advance(10)
    (state,) = made.manager.member.workloads.values()
    assert state.is_admitted is follows
