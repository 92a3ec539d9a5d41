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


def test_every_lending_limit_of_a_queue_is_looked_at() -> None:
    def quota(name: str, **limit: int) -> dict[str, Any]:
        return {"name": name, "resources": [{"name": "cpu", "nominalQuota": 4, **limit}]}

    flavors = [quota("default"), quota("spot", lendingLimit=1)]
    groups = [{"coveredResources": ["cpu"], "flavors": flavors}]
    idle = queue("idle", {}, local=False, cohortName="all", resourceGroups=groups)
    other = queue("other", {"default": 1, "spot": 1}, cohortName="all")
    (found,) = advice("lendingLimitStrandsQuota", [flavor("spot"), idle, other])
    assert found.field == "spec.resourceGroups[0].flavors[1].resources[0].lendingLimit"


# --- workloads that never fit --------------------------------------------------------------


def too_large(*jobs: dict[str, Any], objects: list[Any] | None = None) -> list[str]:
    """Return what is said of jobs that ask for more than a queue of 4 cpu could ever use."""
    world = queue("a", {"default": 4}) if objects is None else objects
    return [str(each.what) for each in advice("largerThanItsQueue", [world], list(jobs))]


def test_a_resource_without_quota_does_not_hide_one_of_which_there_is_too_little() -> None:
    both = {**job("x", "a", 5), "requests": {"gpu": 1, "cpu": 5}}
    assert too_large(both) == ["it asks for 5 cpu"]


def test_pods_of_all_pod_sets_count_together() -> None:
    def asked(cpu: int) -> dict[str, Any]:
        sets = [{"name": name, "requests": {"cpu": cpu}} for name in ("one", "two")]
        return {"job": "x", "queue": "a", "podSets": sets}

    assert too_large(asked(2)) == []
    assert too_large(asked(3)) == ["it asks for 6 cpu"]


def test_only_the_quota_of_flavors_that_suit_counts() -> None:
    """Of a flavor that is not there nothing is known: its quota counts. Without any, none is."""
    zones = [flavor("east", nodeLabels={"zone": "e"}), flavor("west", nodeLabels={"zone": "w"})]
    objects = [*zones, *queue("a", {"east": 4, "west": 9})]
    assert too_large(job("x", "a", 5), objects=objects) == []
    east = job("x", "a", 5, nodeSelector={"zone": "e"})
    assert too_large(east, objects=objects) == ["it asks for 5 cpu"]
    assert too_large(job("x", "a", 5, nodeSelector={"zone": "n"}), objects=objects) == []
    assert too_large(job("x", "a", 5), objects=queue("a", {"gone": 4})) == ["it asks for 5 cpu"]


def test_each_strict_queue_with_a_head_that_never_fits_is_named() -> None:
    strict = {"queueingStrategy": "StrictFIFO"}
    objects = [queue("any", {"default": 4})]
    objects += [queue(name, {"default": 4}, **strict) for name in ("one", "two")]
    jobs = [job(f"{name}-{cpu}", name, cpu) for name in ("any", "one", "two") for cpu in (1, 9, 2)]
    found = advice("headsThatBlock", objects, jobs)
    assert [each.object for each in found] == ["ClusterQueue/one", "ClusterQueue/two"]
