"""Of two suggestions, one that is a part of the other and costs no more is enough."""

from __future__ import annotations

from kueuelab.manifests.scenario import Finish
from kueuelab.whatif.changes import Change, Edit
from kueuelab.whatif.references import Reference
from kueuelab.whatif.report import Suggestion
from kueuelab.whatif.suggestions import without_more_than_needed

QUEUE = Reference("ClusterQueue", "", "a")
ONE, OTHER = {"spec.stopPolicy": "None"}, {"spec.cohortName": "all"}


def suggestion(*changes: Change, evicts: int = 0, time: int = 0) -> Suggestion:
    return Suggestion("quota", "", changes, tuple("abc"[:evicts]), time=time)


def kept(*suggestions: Suggestion) -> list[int]:
    """Return which of some suggestions are kept."""
    found = without_more_than_needed([*suggestions])
    return [number for number, each in enumerate(suggestions) if each in found]


def test_a_part_that_costs_no_more_is_enough() -> None:
    part = suggestion(Edit(QUEUE, ONE), evicts=1, time=5)
    whole = suggestion(Edit(QUEUE, {**ONE, **OTHER}), evicts=1, time=5)
    assert kept(whole, part) == [1]
    finish = Finish("default/x"), Finish("default/y")
    assert kept(suggestion(finish[0]), suggestion(*finish)) == [0]


def test_a_part_that_evicts_more_or_comes_later_is_not() -> None:
    whole = Edit(QUEUE, {**ONE, **OTHER})
    part = Edit(QUEUE, ONE)
    assert kept(suggestion(whole, time=5), suggestion(part, evicts=1)) == [0, 1]
    assert kept(suggestion(whole), suggestion(part, time=1)) == [0, 1]


def test_neither_is_a_part_of_the_other() -> None:
    assert kept(suggestion(Edit(QUEUE, ONE)), suggestion(Edit(QUEUE, OTHER))) == [0, 1]
    assert kept(suggestion(Edit(QUEUE, ONE)), suggestion(Edit(QUEUE, ONE))) == [0, 1]
    more = Edit(QUEUE, {**ONE, "spec.cohortName": "other"})
    assert kept(suggestion(Edit(QUEUE, OTHER)), suggestion(more)) == [0, 1]
    elsewhere = Edit(QUEUE._replace(name="b"), {**ONE, **OTHER})
    assert kept(suggestion(Edit(QUEUE, ONE)), suggestion(elsewhere)) == [0, 1]
