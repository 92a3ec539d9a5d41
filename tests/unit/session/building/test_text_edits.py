"""Changes of YAML text: what is not meant stays, to the byte."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuelab import scenarios
from kueuelab.errors import KueueLabError
from kueuelab.session.building.text_edits import with_items, with_names, with_value, without
from kueuelab.session.building.yaml_nodes import Place, documents, line_of

TEXT = """\
# The queues of the university.
spec: # what is wanted
  manifests:
  # The first team.
  - metadata: {name: team-a} # a
    # The cohort stays.
    spec:
      cohortName: 'uni' # quoted
      text: |
        two
        lines

  # The second team: ünïcode.
  - metadata:
      name: team-b
      labels:
      # nothing yet
  timeline:
  - {at: 0s, submit: {job: j, pods: 2}} # the first
"""
TEXTS = [TEXT, *(scenarios.text(name) for name in scenarios.names()[::6])]


def comments(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip().startswith("#")]


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [path] if path else []
    if not isinstance(value, dict | list):
        return found
    for segment, inner in [*(value.items() if isinstance(value, dict) else enumerate(value))]:
        found += places(inner, (*path, segment))
    return found


@given(st.data())
def test_any_value_can_be_changed_and_no_other_line_is(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(TEXTS))
    path = data.draw(st.sampled_from(places(documents(text)[0])))
    value: Any = data.draw(
        st.sampled_from([7, "on", "a: b", None, "# no comment", True, "ü", {}, []])
    )
    new = with_value(text, Place(0, path), value)
    meant = deepcopy(documents(text)[0])
    inner = meant
    for segment in path[:-1]:
        inner = inner[segment]
    inner[path[-1]] = value
    assert documents(new) == (meant,)
    assert new.startswith(text[: text.index("\n", 0)].partition(":")[0])


@given(st.data())
def test_what_is_removed_takes_no_comment_of_others_along(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(TEXTS))
    found = places(documents(text)[0])
    path = data.draw(st.sampled_from(found))
    new = without(text, Place(0, path))
    assert len(places(documents(new)[0])) < len(found)
    lines, value = text.splitlines(), line_of(text, Place(0, path))
    # The name of a field may be lines above its value.
    first = next(
        (
            number
            for number in range(value, 0, -1)
            if isinstance(path[-1], str) and f"{path[-1]}:" in lines[number - 1]
        ),
        value,
    )
    before = comments("\n".join(lines[: first - 1]))
    assert comments(new)[: len(before)] == before
    kept = [line for line in text.splitlines() if line in new.splitlines()]
    assert kept, "other lines are as they were"


@pytest.mark.parametrize("value", [7, {}, []])
def test_a_list_with_a_comment_above_becomes_another_value(value: object) -> None:
    text = "spec:\n  manifests:\n  # The first team.\n  - a: 1\n  timeline: []\n"
    new = with_value(text, Place(0, ("spec", "manifests")), value)
    assert documents(new) == ({"spec": {"manifests": value, "timeline": []}},)
    assert "  # The first team.\n" in new


def test_a_changed_value_keeps_the_comment_behind_it() -> None:
    new = with_value(TEXT, Place(0, ("spec", "manifests", 0, "spec", "cohortName")), "lab")
    assert "      cohortName: lab # quoted\n" in new
    assert new.replace("cohortName: lab", "cohortName: 'uni'") == TEXT


def test_a_new_field_stands_behind_the_others_of_its_block() -> None:
    place = Place(0, ("spec", "manifests", 0, "spec", "preemption", "reclaimWithinCohort"))
    new = with_value(TEXT, place, "Any")
    assert "        lines\n      preemption: {reclaimWithinCohort: Any}\n\n  # The second" in new
    assert comments(new) == comments(TEXT)


def test_an_item_is_added_behind_the_comment_of_the_last_one() -> None:
    action = {"at": "5s", "finish": "j"}
    new = with_items(TEXT, Place(0, ("spec", "timeline")), [action], inline=True, note="it ends")
    assert new == TEXT + "  # it ends\n  - {at: 5s, finish: j}\n".removesuffix("\n") + "\n"


@pytest.mark.parametrize("text", ["a:\n- b: 1\n", "a: [{b: 1}]\n", "a: {c: []}\n", "a:\n", "b: 1"])
def test_items_are_added_to_lists_of_any_style(text: str) -> None:
    path = ("a", "c") if "c" in text else ("a",)
    new = with_items(text, Place(0, path), [{"kind": "X", "spec": {"y": 1}}])
    value: Any = documents(new)[0]
    for segment in path:
        value = value[segment]
    assert value[-1] == {"kind": "X", "spec": {"y": 1}}


def test_names_are_replaced_together() -> None:
    text = "a: {old: 1}\nb: [old, other]\nc: 'old' # old\n"
    values = [Place(0, ("b", 0)), Place(0, ("c",))]
    assert with_names(text, values, [Place(0, ("a", "old"))], "new") == (
        "a: {new: 1}\nb: [new, other]\nc: new # old\n"
    )


def test_a_value_that_stands_in_two_places_is_not_changed_by_halves() -> None:
    text = "a: &x {n: 1}\nb: *x\n"
    with pytest.raises(KueueLabError, match="shares its text") as caught:
        with_value(text, Place(0, ("b", "n")), 2)
    assert "Edit the YAML" in str(caught.value)


def test_the_line_of_a_field_that_is_not_there_is_that_of_its_parent() -> None:
    assert line_of(TEXT, Place(0, ("spec", "manifests", 1, "metadata", "name"))) == 15
    assert line_of(TEXT, Place(0, ("spec", "manifests", 0, "spec", "stopPolicy"))) == 8
