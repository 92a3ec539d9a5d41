"""What is offered to a workload that finds no place: levels, slices and nodes, without a trial."""

from __future__ import annotations

from typing import Any

import pytest
from offered import offers, subject_of
from small_labs import flavor, lab, manifest, queue

from kueuelab.manifests.scenario import Apply
from kueuelab.model import Node
from kueuelab.whatif.other_places import other_places, slice_sizes
from kueuelab.whatif.subject import Subject

LEVELS = ("block", "rack", "host")
EDIT = "edit Workload/default/late: spec.podSets[{}].topologyRequest: {{{}}}"


def node(name: str, rack: str = "", **spec: Any) -> dict[str, Any]:
    labels = {"block": "b", "rack": rack, "host": name} if rack else {"block": "b"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "uid": f"uid-{name}", "labels": labels},
        "spec": spec,
        "status": {"allocatable": {"cpu": "1", "pods": "9"}},
    }


def pod_set(name: str = "main", count: int = 1, **request: Any) -> dict[str, Any]:
    containers = [{"name": "c", "resources": {"requests": {"cpu": 1}}}]
    template = {"spec": {"containers": containers}}
    found = {"name": name, "count": count, "template": template}
    return {**found, "topologyRequest": request} if request else found


def of(
    *pod_sets: dict[str, Any], nodes: tuple[dict[str, Any], ...] = (), queue_name: str = "team"
) -> Subject:
    """Return a workload of a queue with a flavor that has a topology, and two that have none."""
    late = manifest("Workload", "late", {"queueName": queue_name, "podSets": [*pod_sets]})
    late["metadata"]["namespace"] = "default"
    objects = [
        manifest("Topology", "racks", {"levels": [{"nodeLabel": each} for each in LEVELS]}),
        flavor("plain"),
        flavor("placed", topologyName="racks", nodeLabels={"block": "b"}),
        queue("team", {"plain": 1, "missing": 1, "placed": 9}),
        queue("flat", {"plain": 1}),
    ]
    return subject_of(lab([*objects, *nodes, late], []).run())


def test_a_level_is_preferred_or_a_wider_one_required() -> None:
    """Of each pod set that requires one; the rest of what it asks for stays."""
    subject = of(
        pod_set("a", required="host", podSetGroupName="g"),
        pod_set("b", preferred="rack"),
        pod_set("c", required="host", podSetGroupName="g"),
    )

    def edited(field: str) -> list[str]:
        asked = f"podSetGroupName: g, {field}"
        each = "spec.podSets[{}].topologyRequest: {{{}}}"
        return [
            "edit Workload/default/late: "
            + ", ".join(each.format(name, asked) for name in ("a", "c"))
        ]

    assert offers(other_places(subject)) == [
        (
            "preferred",
            "prefer one domain of host instead of requiring it",
            edited("preferred: host"),
            (),
            1,
        ),
        *(
            (
                "level",
                f"require one domain of {level}, which is wider",
                edited(f"required: {level}"),
                (),
                1,
            )
            for level in ("rack", "block")
        ),
    ]


def test_any_level_is_wider_than_one_that_is_not_known() -> None:
    found = offers(other_places(of(pod_set(required="zone"))))
    assert [each.text for each in found[1:]] == [
        f"require one domain of {level}, which is wider" for level in reversed(LEVELS)
    ]


def test_without_a_required_level_or_a_topology_nothing_is_offered() -> None:
    required = pod_set(required="rack")
    assert list(other_places(of(pod_set(preferred="rack")))) == []
    assert list(other_places(of(pod_set()))) == []
    assert list(other_places(of(required, queue_name="flat"))) == []
    assert list(other_places(of(required, queue_name="nowhere"))) == []


def test_each_of_four_domains_may_have_a_node_more() -> None:
    """Like the first that it has; a node without all labels is in none of them."""
    nodes = (
        node("a-none"),
        *(node(f"{number}-{rack}", rack) for number in (2, 1) for rack in "edcba"),
    )
    tainted = {"taints": [{"key": "busy", "effect": "NoSchedule"}], "unschedulable": True}
    subject = of(pod_set(required="rack"), nodes=(*nodes, node("0-a", "a", **tainted)))
    found = [each for each in other_places(subject) if each.part(1).kind == "node"]
    assert offers(found) == [
        ("node", f"add a node like {name} to {name[-1]}", [f"apply Node/{name}-more"], (), 1)
        for name in ("0-a", "1-b", "1-c", "1-d")
    ]
    (change,) = found[0].part(1).changes
    assert isinstance(change, Apply)
    (added,) = change.objects
    assert isinstance(added, Node)
    like = subject.cluster.objects.nodes["0-a"]
    assert (like.unschedulable, len(like.taints)) == (True, 1)
    assert (added.unschedulable, added.taints, added.metadata.uid) == (False, (), "")
    assert added.metadata.labels == {"block": "b", "rack": "a", "host": "0-a-more"}


@pytest.mark.parametrize("level", ["host", "zone"])
def test_no_node_is_added_to_a_host_or_a_level_that_is_not_known(level: str) -> None:
    found = offers(other_places(of(pod_set(required=level), nodes=(node("a", "a"),))))
    assert "node" not in [each.kind for each in found]


# --- slices -------------------------------------------------------------------------------------


def sizes(subject: Subject, *, larger: bool = False) -> list[tuple[str, str, list[str]]]:
    return [each[:3] for each in offers(slice_sizes(subject, larger=larger))]


def test_slices_of_another_size_that_divides_the_pods() -> None:
    """Four of them at most, the most similar first; a pod set without slices has none."""
    asked = {"required": "block", "podSetSliceRequiredTopology": "rack"}
    subject = of(pod_set("a", 1, required="block"), pod_set("b", 60, **asked, podSetSliceSize=10))

    def offered(size: int) -> tuple[str, str, list[str]]:
        pods = "pod" if size == 1 else "pods"
        return (
            "sliceSize",
            f"ask for slices of {size} {pods} instead of 10 in pod set b",
            [
                EDIT.format(
                    "b",
                    f"required: block, podSetSliceRequiredTopology: rack, podSetSliceSize: {size}",
                )
            ],
        )

    assert sizes(subject) == [offered(size) for size in (6, 5, 4, 3)]
    assert sizes(subject, larger=True) == [offered(size) for size in (12, 15, 20, 30)]
    small = of(pod_set("b", 4, **asked, podSetSliceSize=2))
    assert [text.partition(" in ")[0] for _, text, _ in sizes(small)] == [
        "ask for slices of 1 pod instead of 2"
    ]
    assert [text.partition(" in ")[0] for _, text, _ in sizes(small, larger=True)] == [
        "ask for slices of 4 pods instead of 2"
    ]


def test_each_layer_stays_within_those_around_it() -> None:
    layers = [{"topology": "rack", "size": 12}, {"topology": "host", "size": 2}]
    asked = {"required": "block", "podsetSliceRequiredTopologyConstraints": layers}
    subject = of(pod_set("a", 24, **asked))

    def offered(level: str, before: int, after: int) -> tuple[str, str, list[str]]:
        of_layers = {"rack": 12, "host": 2, level: after}
        written = ", ".join(f"{{topology: {n}, size: {size}}}" for n, size in of_layers.items())
        pods = "pod" if after == 1 else "pods"
        return (
            "sliceLayer",
            f"ask for slices of {after} {pods} instead of {before} at level {level} in pod set a",
            [
                EDIT.format(
                    "a", f"required: block, podsetSliceRequiredTopologyConstraints: [{written}]"
                )
            ],
        )

    assert sizes(subject) == [
        *(offered("rack", 12, size) for size in (8, 6, 4, 2)),
        offered("host", 2, 1),
    ]
    assert sizes(subject, larger=True) == [
        offered("rack", 12, 24),
        *(offered("host", 2, size) for size in (3, 4, 6, 12)),
    ]
