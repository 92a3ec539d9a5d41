"""Which pod goes to which domain."""

from __future__ import annotations

from typing import Any

import pytest

from kueuelab.model import PodSet, TopologyAssignment, TopologyDomain
from kueuelab.model.topology import COMPLETION_INDEX, HOSTNAME, WORKER_INDEX
from kueuelab.topology.ungate import domains_by_rank, in_runs, ranked_pod_sets


def assigned(**pods: int) -> TopologyAssignment:
    domains = tuple(TopologyDomain((name,), count) for name, count in pods.items())
    return TopologyAssignment((HOSTNAME,), domains)


def pod_set(name: str, **request: Any) -> PodSet:
    return PodSet(name, topology_request=request or None)


def test_pods_go_by_rank_in_the_order_of_domains() -> None:
    assert domains_by_rank(assigned(n1=2, n2=1), 3) == (("n1", "n1", "n2"), True)


def test_pods_that_run_stay_and_the_rank_of_the_others_does_not_count() -> None:
    before = ("n1", "n2", "n2", "n3")
    found = domains_by_rank(assigned(n2=2, n3=1, n4=1), 4, before)
    assert found == (("n4", "n2", "n2", "n3"), False)


def test_ranks_count_again_where_all_that_runs_is_in_its_place() -> None:
    before = ("n1", "n1", "n3")
    assert domains_by_rank(assigned(n1=2, n2=1), 3, before) == (("n1", "n1", "n2"), True)


def test_an_assignment_of_fewer_pods_leaves_the_rest_without_a_domain() -> None:
    assert domains_by_rank(assigned(n1=1), 2) == (("n1", ""), False)


def test_more_pods_of_a_domain_than_before_take_what_is_left_in_order() -> None:
    before = ("n1", "n2", "n1")
    found = domains_by_rank(assigned(n2=2, n3=1), 3, before)
    assert found == (("n2", "n2", "n3"), True)
    assert domains_by_rank(assigned(n2=2, n3=1), 3, before, ranked=False)[1] is False


@pytest.mark.parametrize(
    ("request_", "ranked"),
    [
        ({"podIndexLabel": COMPLETION_INDEX}, True),
        ({}, False),
        ({"required": "rack"}, False),
        ({"podIndexLabel": "a", "subGroupIndexLabel": "b", "subGroupCount": 2}, True),
        ({"podIndexLabel": "a", "subGroupIndexLabel": "b"}, False),
    ],
)
def test_pods_have_ranks_if_a_label_tells_their_index(
    request_: dict[str, Any], ranked: bool
) -> None:
    assert ranked_pod_sets([pod_set("main", **request_)], {"main": 2}) == (("main", ranked),)


def test_workers_beside_a_leader_have_ranks_if_their_index_counts_from_it() -> None:
    for label, ranked in ((WORKER_INDEX, True), (COMPLETION_INDEX, False)):
        request = {"podIndexLabel": label, "podSetGroupName": "ring"}
        pod_sets = [pod_set("workers", **request), pod_set("leader", **request)]
        counts = {"leader": 1, "workers": 3}
        assert dict(ranked_pod_sets(pod_sets, counts)) == {"leader": True, "workers": ranked}


def test_the_second_of_two_pod_sets_of_the_same_size_comes_after_the_first() -> None:
    request = {"podIndexLabel": COMPLETION_INDEX, "podSetGroupName": "ring"}
    pod_sets = [pod_set("a", **request), pod_set("b", **request)]
    assert dict(ranked_pod_sets(pod_sets, {"a": 1, "b": 1})) == {"a": True, "b": False}


def test_runs_are_of_pods_that_follow_each_other() -> None:
    assert in_runs(["n4", "n2", "n2", "n4"]) == (("n4", 1), ("n2", 2), ("n4", 1))
