"""Limits that would have to be raised, of the queue itself and of those that could lend."""

from __future__ import annotations

from small_labs import flavor, job, lab, queue

LIMIT = "spec.resourceGroups[0].flavors[default].resources[cpu]"


def test_a_borrowing_limit_is_raised_for_those_that_go_first_too() -> None:
    """In a strict queue the one before it has to be admitted, as well; others don't count."""
    strict = {"cohortName": "all", "queueingStrategy": "StrictFIFO"}
    objects = [
        flavor(),
        queue("a", {"default": 0}, limits={"borrowingLimit": 0}, **strict),
        queue("b", {"default": 9}, cohortName="all"),
    ]
    run = lab(objects, [job("first", "a", 2), job("late", "a", 1)]).run()
    found = [each for each in run.what_would_admit("late") if each.kind == "borrowingLimit"]
    assert [str(each.text) for each in found] == ["let ClusterQueue a borrow 3 cpu/default more"]


def test_every_queue_that_keeps_quota_back_is_asked_to_lend() -> None:
    """Not the queue itself, and not one without a limit."""
    objects = [
        flavor(),
        queue("a", {"default": 1}, limits={"lendingLimit": 0}, cohortName="all"),
        queue("b", {"default": 0}, cohortName="all"),
        queue("c", {"default": 4}, limits={"lendingLimit": 1}, cohortName="all"),
    ]
    run = lab(objects, [job("late", "a", 4)]).run()
    found = [each for each in run.what_would_admit("late") if each.kind == "lendingLimit"]
    assert [(str(each.text), each.queues) for each in found] == [
        ("let ClusterQueue c lend 2 cpu/default more", ("c",))
    ]
