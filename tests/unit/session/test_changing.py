"""An object is changed by its manifest: a branch with the fields that differ."""

from __future__ import annotations

import pytest

from kueuelab.errors import InputError, UnknownObjectError
from kueuelab.session.handler import Handler

QUEUE = "ClusterQueue/team-b"


@pytest.fixture
def handler() -> Handler:
    found = Handler()
    found.answer({"do": "open", "source": "reclaim-1-take-back"})
    return found


def test_objects_that_can_be_edited_are_listed_with_the_manifest_of_one(handler: Handler) -> None:
    first, chosen = (handler.answer({"do": "objects", "object": each}) for each in ("", QUEUE))
    assert (first["object"], chosen["object"]) == ("ClusterQueue/team-a", QUEUE)
    assert {"LocalQueue/default/team-a-jobs", "Workload/default/job-1"} <= {*first["objects"]}
    assert "nominalQuota: 200m" in chosen["text"]
    with pytest.raises(UnknownObjectError, match="Did you mean 'ClusterQueue/team-a'"):
        handler.answer({"do": "objects", "object": "ClusterQueue/team-aa"})


def test_what_differs_in_the_manifest_is_changed_in_a_branch(handler: Handler) -> None:
    text = handler.answer({"do": "objects", "object": QUEUE})["text"]
    changed = text.replace("nominalQuota: 200m", "nominalQuota: 700m")
    found = handler.answer({"do": "edit", "object": QUEUE, "text": changed})
    assert found["branch"] == "reclaim-1-take-back: team-b"
    change = found["branches"][-1]["change"]
    assert change.startswith("edit ClusterQueue/team-b: spec.resourceGroups: ")
    assert "nominalQuota: 700m" in change
    again = handler.answer({"do": "objects", "object": QUEUE, "branch": found["branch"]})["text"]
    assert "nominalQuota: 700m" in again


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("nominalQuota: 200m", "nominalQuota: much", "line 15: .* quantities must match"),
        ("kind: ClusterQueue", "kind: [", "line"),
        ("name: team-b", "name: team-c", "team-b"),
        ("", "", "Nothing is different"),
    ],
)
def test_what_is_wrong_is_said_and_changes_nothing(
    handler: Handler, before: str, after: str, message: str
) -> None:
    text = handler.answer({"do": "objects", "object": QUEUE})["text"].replace(before, after, 1)
    with pytest.raises(InputError, match=message):
        handler.answer({"do": "edit", "object": QUEUE, "text": text})
    assert handler.history.present.names == ("reclaim-1-take-back",)
