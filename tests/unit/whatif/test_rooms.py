"""Room for pods in the domains of a level, and the workloads that would have to leave one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from racks import HOST, RACK, asking, in_racks, node, placing, run_in_racks, team
from small_labs import flavor, manifest, queue

from kueuelab.manifests.scenario import Delete, Submit
from kueuelab.model import WorkloadStatus
from kueuelab.whatif.change_sets import ChangeSet, proposal_of
from kueuelab.whatif.domain_room import DomainRoom, domain_rooms
from kueuelab.whatif.freed_domains import those_that_free_a_domain
from kueuelab.whatif.moving import moving
from kueuelab.whatif.subject import Subject

NODES = [node("a-r1-h1"), node("a-r1-h2"), node("a-r2-h1", cpu=5)]


def rooms(subject: Subject) -> list[tuple[Any, ...]]:
    return [
        (each.flavor.name, each.level, each.least, each.best, each.is_enough)
        for each in domain_rooms(subject)
    ]


def room(subject: Subject) -> DomainRoom:
    (found,) = domain_rooms(subject)
    return found


def test_the_domain_with_the_most_room_and_what_is_free_there() -> None:
    fills = asking("fills", 5, {"required": "rack"})
    found = room(in_racks(NODES, fills, asking("late", 9)))
    assert (found.level, found.least, found.requests) == (RACK, 9, {"cpu": 1000})
    assert (found.best, found.is_enough) == (("a-r1", 8), False)
    assert found.free("cpu") == {"a-r1": 8000, "a-r2": 0}
    assert found.tightest is None
    late = asking("late", 8, {"required": "block"}, active=False)
    assert room(in_racks(NODES, fills, late)).is_enough


def test_of_equal_domains_the_first_has_the_most_room() -> None:
    """Its own label value names a domain, unless another domain has the same."""
    nodes = [node("a-r1-h1"), node("a-r2-h1"), node("b-r1-h1")]
    found = room(in_racks(nodes, asking("late", 5)))
    assert found.best == ("a-r1", 4)
    assert list(found.free("cpu")) == ["a-r1", "a-r2", "b-r1"]
    for each in nodes:
        each["metadata"]["labels"][RACK] = each["metadata"]["name"].split("-")[1]
    assert list(room(in_racks(nodes, asking("late", 5))).free("cpu")) == ["a,r1", "r2", "b,r1"]


def test_only_nodes_that_take_the_pods_have_room() -> None:
    """The flavor tolerates for them; what their selector leaves out counts as not free."""
    taint = {"key": "busy", "value": "yes", "effect": "NoSchedule"}
    toleration = {"key": "busy", "operator": "Equal", "value": "yes", "effect": "NoSchedule"}
    nodes = [
        node("a-r1-h1", taints=[taint]),
        node("a-r2-h1", cpu=3),
        node("b-r1-h1", pool="b", taints=[taint]),
    ]
    objects = [
        placing("plain"),
        placing("tolerant", "b", tolerations=[toleration]),
        queue("team", {"plain": 99, "tolerant": 99}),
    ]
    subject = in_racks(nodes, asking("late", 5), objects=objects)
    assert rooms(subject) == [
        ("plain", RACK, 5, ("a-r2", 3), False),
        ("tolerant", RACK, 5, ("b-r1", 4), False),
    ]
    plain, _ = domain_rooms(subject)
    assert plain.free("cpu") == {"a-r1": 0, "a-r2": 3000}


def test_each_pod_set_that_requires_a_domain_is_looked_at() -> None:
    """With the fewest pods that it may be admitted with."""
    sets = [
        {"name": "a", "count": 2, "requests": {"cpu": 1}, "topology": {"preferred": "rack"}},
        {"name": "b", "count": 9, "requests": {"cpu": 1}, "topology": {"required": "zone"}},
        {
            "name": "c",
            "count": 9,
            "minCount": 7,
            "requests": {"cpu": 1},
            "topology": {"required": "rack"},
        },
        {"name": "d", "count": 6, "requests": {"cpu": 1}, "topology": {"required": HOST}},
    ]
    late = {"job": "late", "queue": "team", "podSets": sets}
    assert rooms(in_racks(NODES, late)) == [
        ("default", RACK, 7, ("a-r1", 8), True),
        ("default", HOST, 6, ("a-r2-h1", 5), False),
    ]


def test_only_flavors_with_a_topology_and_with_quota_are_looked_at() -> None:
    objects = [
        flavor("plain"),
        manifest("Topology", "hosts", {"levels": [{"nodeLabel": HOST}]}),
        flavor("flat", nodeLabels={"pool": "a"}, topologyName="hosts"),
        *(placing(name) for name in ("small", "large")),
        queue("team", {"plain": 99, "flat": 99, "small": 8, "large": 9}),
    ]
    assert [each[0] for each in rooms(in_racks(NODES, asking("late", 9), objects=objects))] == [
        "large"
    ]
    assert rooms(in_racks(NODES, asking("late", 9), objects=objects[:-1])) == []
    nothing = in_racks(NODES, asking("late", 9, {}, minCount=1))
    assert rooms(nothing) == []
    assert rooms(in_racks([], asking("late", 9))) == []


def test_every_group_has_to_have_quota() -> None:
    def group(resource: str, flavors: dict[str, int]) -> dict[str, Any]:
        return {
            "coveredResources": [resource],
            "flavors": [
                {"name": name, "resources": [{"name": resource, "nominalQuota": quota}]}
                for name, quota in flavors.items()
            ],
        }

    def found(gpus: dict[str, int], *more: Any) -> list[str]:
        groups = [group("cpu", {"default": 99}), group("memory", gpus)]
        spec = {"namespaceSelector": {}, "resourceGroups": groups}
        team = manifest("ClusterQueue", "team", spec)
        local = manifest("LocalQueue", "team", {"clusterQueue": "team"})
        late = asking("late", 9, requests={"cpu": 1, "memory": 1})
        objects = [placing(), *more, team, local]
        return [each[0] for each in rooms(in_racks(NODES, late, objects=objects))]

    assert found({"other": 9}, placing("other")) == ["default", "other"]
    assert found({"other": 8}, placing("other")) == []
    # None suits.
    assert found({"missing": 9}) == []


@pytest.mark.parametrize(
    ("slices", "best", "enough"),
    [
        ([("rack", 3)], ("a", 9), False),
        ([("rack", 1)], ("a", 13), True),
        ([("rack", 6)], ("a", 6), False),
        ([(HOST, 2)], ("a", 12), True),
        ([("rack", 4), (HOST, 4)], ("a", 12), True),
        ([("rack", 6), (HOST, 3)], ("a", 6), False),
        # None of these are slices that Kueue places: pods count one by one.
        ([("zone", 3)], ("a", 13), True),
        ([(HOST, 4), ("rack", 2)], ("a", 13), True),
    ],
)
def test_room_is_counted_in_slices(
    slices: list[tuple[str, int]], best: tuple[str, int], enough: bool
) -> None:
    layers = [{"level": level, "size": size} for level, size in slices]
    late = asking("late", 12, {"required": "block", "slices": layers}, active=False)
    found = room(in_racks(NODES, late))
    assert (found.best, found.is_enough) == (best, enough)


def test_only_whole_inner_slices_count() -> None:
    layers = [{"level": "rack", "size": 10}, {"level": HOST, "size": 2}]
    late = asking("late", 10, {"required": "rack", "slices": layers})
    found = room(in_racks([node(f"a-r1-h{number}", cpu=5) for number in (1, 2)], late))
    assert found.best == ("a-r1", 0)


def test_the_resource_of_which_the_largest_part_is_needed_is_the_tightest() -> None:
    def tightest(**requests: Any) -> str | None:
        return room(in_racks(NODES, asking("late", 6, requests=requests, active=False))).tightest

    assert tightest(cpu=1, memory=1) == "cpu"
    assert tightest(cpu=1, memory=4) == "memory"
    # A half of both: the first by name.
    assert tightest(cpu="1083m", memory=2) == "memory"
    assert tightest(memory=2, cpu="1084m") == "cpu"
    assert tightest(cpu=1, memory=5) is None
    assert tightest(cpu=1, memory=0) == "cpu"


# --- those that would have to leave -----------------------------------------------------------


def test_those_without_which_a_domain_has_room_the_smallest_first() -> None:
    """In pods of the one that waits; those of one size by name."""
    nodes = [node(f"a-r{number}-h1", cpu=8) for number in range(1, 5)]
    both = {"cpu": 1, "memory": 1}
    jobs = [
        asking("a", 1, requests={"cpu": 1, "memory": 7}),
        asking("c", 3, requests={"cpu": 2, "memory": 1}),
        asking("d", 5, requests=both),
        asking("b", 5, requests=both),
        asking("tiny", 1),
        asking("late", 7, requests=both),
    ]
    subject = in_racks(nodes, *jobs)
    found = [state.key.removeprefix("default/") for state in those_that_free_a_domain(subject)]
    assert found == ["b", "d", "c", "a"]
    assert those_that_free_a_domain(in_racks(nodes, asking("late", 4, active=False))) == []


def test_pods_that_ask_for_nothing_but_a_place() -> None:
    """A host takes a hundred pods."""
    sets = [
        {"name": "a", "count": 60, "topology": {"required": "rack"}},
        {"name": "b", "requests": {"cpu": 1}},
    ]
    holds = asking("holds", 50, requests={"cpu": "10m"})
    subject = in_racks([node("a-r1-h1")], holds, {"job": "late", "queue": "team", "podSets": sets})
    assert [state.key for state in those_that_free_a_domain(subject)] == ["default/holds"]


class Judge:
    """Says which moves help, and which of those that are moved find no other place."""

    def __init__(self, *helps: str, pending: str = "") -> None:
        self._helps, self._pending = helps, pending
        self.tried: list[str] = []

    def helps(self, plan: ChangeSet) -> bool:
        self.tried.append(self._moved(plan))
        return self.tried[-1] in self._helps

    def trial(self, plan: ChangeSet) -> Any:
        return SimpleNamespace(pending=(self._moved(plan) == self._pending))

    @staticmethod
    def _moved(plan: ChangeSet) -> str:
        deleted, _ = proposal_of(plan).changes
        assert isinstance(deleted, Delete)
        return deleted.workload.removeprefix("default/")


def moves(judge: Any) -> Iterator[ChangeSet]:
    """Yield moves out of eight racks, each with a job of another size; ``late`` needs a rack."""
    nodes = [node(f"a-r{number}-h1", cpu=9) for number in range(1, 9)]
    jobs = [asking(f"j{number}", 1, requests={"cpu": f"5.{number}"}) for number in range(1, 9)]
    return moving(in_racks(nodes, *jobs[::-1], asking("late", 9)), judge)


def test_two_moves_of_the_six_smallest_are_offered() -> None:
    judge = Judge("j2", "j3", "j4", "j5", pending="j3")
    found = [proposal_of(plan) for plan in moves(judge)]
    assert [(each.kind, each.text, each.queues, each.size) for each in found] == [
        (
            "move",
            f"stop default/{name} and submit it again: it finds another place",
            ("team",),
            1,
        )
        for name in ("j2", "j4")
    ]
    assert judge.tried == ["j1", "j2", "j3", "j4"]
    none = Judge()
    assert list(moves(none)) == []
    assert none.tried == [f"j{number}" for number in range(1, 7)]


def test_what_is_moved_is_submitted_as_it_was_written() -> None:
    """A workload of a dump has a status and a uid; what is submitted again has neither."""
    place = {
        "levels": [HOST],
        "slices": [
            {
                "domainCount": 1,
                "valuesPerLevel": [{"individual": {"roots": ["a-r1-h1"]}}],
                "podCounts": {"universal": 1},
            }
        ],
    }
    assigned = {
        "name": "main",
        "count": 1,
        "flavors": {"cpu": "default"},
        "resourceUsage": {"cpu": "1"},
        "topologyAssignment": place,
    }
    since = "2026-01-01T00:00:00Z"
    yes = {"status": "True", "reason": "x", "message": "", "lastTransitionTime": since}
    containers = [{"name": "c", "resources": {"requests": {"cpu": 1}}}]
    pods = {"name": "main", "count": 1, "template": {"spec": {"containers": containers}}}
    dumped = manifest("Workload", "small", {"queueName": "team", "podSets": [pods]})
    dumped["metadata"] |= {"namespace": "default", "uid": "u-1", "creationTimestamp": since}
    dumped["spec"]["podSets"][0]["topologyRequest"] = {"required": RACK}
    dumped["status"] = {
        "admission": {"clusterQueue": "team", "podSetAssignments": [assigned]},
        "conditions": [{"type": "QuotaReserved", **yes}, {"type": "Admitted", **yes}],
    }
    objects = [placing(), queue("team", {"default": 99}), dumped]
    run = run_in_racks([node("a-r1-h1")], asking("late", 4), objects=objects)
    judge: Any = Judge("small")
    (plan,) = moving(Subject(run.cluster, "default/late"), judge)
    _, submitted = proposal_of(plan).changes
    assert isinstance(submitted, Submit)
    (again,) = submitted.workloads
    (small,) = (obj for obj in run.fork().objects() if obj.metadata.name == "small")
    meta = replace(small.metadata, name="small-again", uid="", creation_timestamp=None)
    assert small.metadata.uid == "u-1"
    assert again.metadata == meta
    assert again.status == WorkloadStatus()
    assert again.pod_sets == run.cluster.workload("default/small").obj.pod_sets


def test_only_a_pod_set_without_room_is_an_obstacle() -> None:
    def pod_set(name: str, count: int, level: str) -> dict[str, Any]:
        container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}
        template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
        asked = {"topologyRequest": {"required": level}}
        return {"name": name, "count": count, "template": template, **asked}

    fills = asking("fills", 2, {"required": "rack"})
    for order in ("first", "then"), ("then", "first"):
        sets = {"first": pod_set("first", 1, HOST), "then": pod_set("then", 9, RACK)}
        late = manifest("Workload", "late", {"queueName": "team"})
        late["spec"]["podSets"] = [sets[each] for each in order]
        run = run_in_racks(NODES, fills, objects=[placing(), *team(), late])
        report = run.what_would_admit("late")
        found = [str(each.text) for each in report.obstacles if each.kind == "fragmented"]
        assert len(found) == 1
        assert "for 9 pods" in found[0]
