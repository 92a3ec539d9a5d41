"""What a fork does: each kind of change as words and as data, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from small_labs import flavor, job, lab, manifest, queue

from kueuelab.errors import InputError, SimulationError, UnknownObjectError
from kueuelab.manifests.scenario import Fault, Submit
from kueuelab.simulation import Player
from kueuelab.trace.steps import Deactivated
from kueuelab.whatif.changes import Edit, carry_out, change_as_data, change_text
from kueuelab.whatif.fork import Fork
from kueuelab.whatif.lab import Run
from kueuelab.whatif.references import Reference

QUOTA = "spec.resourceGroups[0].flavors[default].resources[cpu]"
JOBS = [job("a", "q", 2, 1), job("b", "q", 2), job("c", "q", 1)]
#: a is admitted, b waits, c is admitted beside a.
RUN: Run = lab([flavor(), queue("q", {"default": 3})], JOBS).run()

CHANGES: dict[str, tuple[Callable[[Fork], Fork], str, dict[str, Any]]] = {
    "edit": (
        lambda fork: fork.edit("cq/q", {f"{QUOTA}.nominalQuota": "5", "spec.cohortName": None}),
        f"edit ClusterQueue/q: {QUOTA}.nominalQuota: 5, spec.cohortName: (none)",
        {
            "do": "edit",
            "object": "ClusterQueue/q",
            "values": {f"{QUOTA}.nominalQuota": "5", "spec.cohortName": None},
        },
    ),
    "edit of nested values": (
        lambda fork: fork.edit("workload/b", {"spec.active": False}),
        "edit Workload/default/b: spec.active: false",
        {"do": "edit", "object": "Workload/default/b", "values": {"spec.active": False}},
    ),
    "submit": (
        lambda fork: fork.submit(job("d", "q", 1)),
        "submit default/d",
        {"do": "submit", "objects": ["Workload/default/d"]},
    ),
    "apply": (
        lambda fork: fork.apply([flavor("spot"), manifest("Cohort", "all", {})]),
        "apply ResourceFlavor/spot, Cohort/all",
        {"do": "apply", "objects": ["ResourceFlavor/spot", "Cohort/all"]},
    ),
    "remove": (
        lambda fork: fork.remove("local-queue/q"),
        "remove LocalQueue/default/q",
        {"do": "remove", "object": "LocalQueue/default/q"},
    ),
    "finish": (
        lambda fork: fork.finish("a"),
        "finish default/a",
        {"do": "finish", "object": "Workload/default/a"},
    ),
    "delete": (
        lambda fork: fork.delete("b"),
        "delete default/b",
        {"do": "delete", "object": "Workload/default/b"},
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_as_words_and_as_data(name: str) -> None:
    make, text, data = CHANGES[name]
    fork = make(RUN.fork())
    assert [change_text(each) for each in fork.changes] == [text]
    assert [change_as_data(each) for each in fork.changes] == [data]
    assert fork.as_text() == f"At the end:\n  {text}"


def test_all_workloads_of_a_submission_are_named() -> None:
    (one,), (other,) = (
        RUN.fork().submit({"job": name, "queue": "q", "requests": {"cpu": 1}}).changes
        for name in ("one", "other")
    )
    assert isinstance(one, Submit)
    assert isinstance(other, Submit)
    both = Submit((*one.workloads, *other.workloads))
    assert change_text(both) == "submit default/one, default/other"


def test_what_has_no_words_of_its_own_is_named_by_its_kind() -> None:
    assert change_text(Fault(what="disconnect", on="worker-1")) == "Fault"


def test_values_are_shown_as_yaml_has_them() -> None:
    values = {"spec.namespaceSelector": {"matchLabels": {"team": "a"}, "x": [1, "b", True, None]}}
    text = change_text(Edit(Reference("ClusterQueue", "", "q"), values))
    shown = "{matchLabels: {team: a}, x: [1, b, true, (none)]}"
    assert text == f"edit ClusterQueue/q: spec.namespaceSelector: {shown}"


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"spec.queueName": "other"}, "spec.queueName"),
        ({"spec.podSets[main].count": 2}, "spec.podSets"),
        ({"spec.podSets[main].count": 2, "spec.queueName": "other"}, "spec.podSets"),
    ],
)
def test_what_reserved_quota_depends_on_is_immutable(values: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as caught:
        RUN.fork().edit("workload/a", values).run()
    (problem,) = caught.value.problems
    assert (problem.object, problem.field) == ("Workload/default/a", field)
    assert problem.message == "field is immutable while quota is reserved"
    assert problem.hint.startswith("Fork at a step before it was admitted")


def test_other_fields_of_an_admitted_workload_can_be_edited() -> None:
    run = RUN.fork().edit("workload/a", {"spec.priority": 9}).run()
    state = run.cluster.workload("default/a")
    assert (state.priority, state.has_quota_reservation) == (9, True)
    before = RUN.cluster.workload("default/a").obj.metadata.generation
    assert state.obj.metadata.generation == before + 1


def test_an_edit_deactivates_and_activates() -> None:
    stopped = RUN.fork().edit("workload/a", {"spec.active": False}).run()
    state = stopped.cluster.workload("default/a")
    assert (state.active, state.has_quota_reservation) == (False, False)
    assert stopped.cluster.workload("default/b").is_admitted
    again = stopped.fork().finish("b").edit("workload/a", {"spec.active": True}).run()
    assert again.cluster.workload("default/a").is_admitted
    (first, second) = (again.trace[at] for at in again.trace.of_kind("Deactivated"))
    assert [(step.workload, step.facts) for step in (first, second)] == [
        ("default/a", Deactivated(active=False)),
        ("default/a", Deactivated(active=True)),
    ]


def test_an_inactive_workload_stays_so_when_something_else_is_edited() -> None:
    fork = RUN.fork().set_active("b", False).edit("workload/b", {"spec.priority": 3})
    state = fork.run().cluster.workload("default/b")
    assert (state.active, state.priority) == (False, 3)
    again = fork.edit("workload/b", {"spec.active": None}).run()
    assert again.cluster.workload("default/b").active


def test_what_is_gone_when_an_edit_is_made_is_named() -> None:
    change = Edit(Reference("ClusterQueue", "", "gone"), {"spec.cohortName": "all"})
    with pytest.raises(SimulationError) as caught:
        carry_out(Player(RUN.scenario.spec), change)
    assert str(caught.value) == "ClusterQueue/gone: there is no such object"


def test_a_removed_object_cannot_be_edited() -> None:
    with pytest.raises(UnknownObjectError, match="there is no ClusterQueue named 'q'"):
        RUN.fork(at=0).remove("cq/q").edit("cq/q", {"spec.cohortName": "all"})
