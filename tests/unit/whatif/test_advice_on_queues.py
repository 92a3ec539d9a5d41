"""Advice on stopped queues, flavors with several labels, and the parents of cohorts."""

from __future__ import annotations

from typing import Any

import pytest
from small_labs import flavor, job, lab, manifest, queue

from kueuelab.whatif.advice import Advice, advise


def advice(kind: str, objects: list[Any], jobs: list[Any] | None = None) -> list[Advice]:
    found = advise(lab([flavor(), *objects], jobs or []).spec)
    return [each for each in found if each.kind == kind]


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, ""),
        (3, " (workloads sent here: default/j0, default/j1, default/j2)"),
        (5, " (workloads sent here: default/j0, default/j1, default/j2 and 2 more)"),
    ],
)
def test_three_workloads_of_a_stopped_queue_are_named_and_more_are_counted(
    count: int, shown: str
) -> None:
    jobs = [job(f"j{number}", "a", 1) for number in range(count)]
    (found,) = advice("stoppedQueues", [queue("a", {"default": 9}, stopPolicy="Hold")], jobs)
    assert found.why == f"no workload is admitted{shown}"


def test_a_pair_of_flavors_is_reported_once_with_all_that_its_groups_cover() -> None:
    def group(flavor: str, *covered: str) -> dict[str, Any]:
        quotas = [{"name": resource, "nominalQuota": 1} for resource in covered]
        return {
            "coveredResources": list(covered),
            "flavors": [{"name": flavor, "resources": quotas}],
        }

    spot = flavor("spot", nodeLabels={"plain": "x", "pool": "spot", "size": "s"})
    large = flavor("large", nodeLabels={"plain": "x", "pool": "large", "size": "l"})
    groups = [group("spot", "cpu", "pods"), group("large", "memory", "gpu")]
    (found,) = advice(
        "flavorsExcludeEachOther", [spot, large, queue("a", {}, resourceGroups=groups)]
    )
    assert "select nodes by pool, spot and large" in found.what
    assert found.why == (
        "pods that get cpu, pods of flavor spot and memory, gpu of flavor large are never "
        "scheduled: no node has both"
    )


def test_a_parent_that_several_cohorts_name_is_no_typo() -> None:
    def cohort(name: str) -> dict[str, Any]:
        return manifest("Cohort", name, {"parentName": "institut"})

    root = manifest("Cohort", "institute", {})
    assert len(advice("cohortsNamedAlike", [root, cohort("labs")])) == 1
    assert advice("cohortsNamedAlike", [root, cohort("labs"), cohort("halls")]) == []
