"""What adjustments change together: edits of an object in one place, like sentences as one."""

from __future__ import annotations

import pytest

from kueuelab.manifests.scenario import Finish, SetActive
from kueuelab.messages import Message
from kueuelab.whatif.change_sets import Adjustment, Part, proposal_of
from kueuelab.whatif.changes import Change, Edit
from kueuelab.whatif.references import Reference

A, B = Reference("ClusterQueue", "", "a"), Reference("ClusterQueue", "", "b")


def quota(where: Reference, resource: str) -> Adjustment:
    def part(amount: int) -> Part:
        return Part(
            "quota",
            (Edit(where, {f"spec.{resource}": amount}),),
            {"where": str(where)},
            f"{amount} {resource}",
            (where.name,),
            amount / 2,
        )

    return Adjustment(part, 9)


def once(kind: str, *changes: Change, item: str = "", **values: str) -> Adjustment:
    part = Part(kind, changes, values, item)
    return Adjustment(lambda _: part)


def test_several_adjustments_are_one_proposal() -> None:
    finish = once("finish", Finish("default/x"), item="default/x")
    found = proposal_of(
        {
            quota(B, "cpu"): 3,
            finish: 1,
            quota(A, "cpu"): 4,
            quota(B, "memory"): 5,
            quota(B, "gpu"): 1,
        }
    )
    assert found.kind == "quota+finish"
    assert found.text == (
        "raise the nominal quota of ClusterQueue/b by 3 cpu, 5 memory and 1 gpu, "
        "wait until default/x finishes "
        "and raise the nominal quota of ClusterQueue/a by 4 cpu"
    )
    assert found.changes == (
        Edit(B, {"spec.cpu": 3, "spec.memory": 5, "spec.gpu": 1}),
        Finish("default/x"),
        Edit(A, {"spec.cpu": 4}),
    )
    assert found.queues == ("a", "b")
    assert found.size == 1.5 + 1 + 2 + 2.5 + 0.5


def test_an_item_is_listed_once() -> None:
    adjustments = [once("finish", Finish(key), item=key) for key in ("x", "y", "y")]
    found = proposal_of(dict.fromkeys(adjustments, 1))
    assert found.text == "wait until x and y finish"
    assert found.changes == (Finish("x"), Finish("y"), Finish("y"))
    assert proposal_of({adjustments[0]: 1}).text == "wait until x finishes"


def test_a_sentence_without_items_has_its_values() -> None:
    found = proposal_of({once("activate", SetActive("x", True), workload="default/x"): 1})
    assert (found.text, found.queues, found.size) == ("activate default/x", (), 1.0)
    assert isinstance(found.text, Message)
    assert found.text.values["items"] == ""


@pytest.mark.parametrize("kind", ["quota", "cohortQuota"])
def test_the_number_of_items_chooses_the_form(kind: str) -> None:
    found = proposal_of({once(kind, item="1 cpu", where="Cohort all"): 1})
    assert isinstance(found.text, Message)
    assert found.text.values == {"count": 1, "items": "1 cpu", "where": "Cohort all"}
