"""A large list is read piece by piece, and what it holds is let go as it is decoded."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuelab.errors import InputError
from kueuelab.manifests import load_scenario
from kueuelab.manifests.reading import json_values
from kueuelab.manifests.reading.documents import Document, Source, read_documents
from kueuelab.manifests.reading.json_values import large_list

TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
ITEMS = st.lists(st.dictionaries(TEXTS, VALUES, max_size=4), max_size=6)


def in_one_go(text: str) -> Any:
    """Return what the text says if it is read as any other."""
    problems: list[Any] = []
    found = [*read_documents(Source("dump.json", text, is_json=True), problems)]
    return None if problems or len(found) != 1 else found[0].value


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_values, "_PIECE", 120)


@given(ITEMS, st.sampled_from([None, 0, 2]), st.booleans())
def test_it_is_the_list_that_is_read_in_one_go(
    items: list[Any], indent: int | None, is_last: bool
) -> None:
    head, more = {"apiVersion": "v1", "kind": "List"}, {"metadata": {"resourceVersion": ""}}
    listed = {**head, **more, "items": items} if is_last else {**head, "items": items, **more}
    text = json.dumps(listed, indent=indent, ensure_ascii=False)
    found = large_list(io.StringIO(text))
    if items:
        assert found == in_one_go(text) == json.loads(text)
    else:
        assert found is None, "there is nothing to read in pieces"


@given(st.data())
def test_of_what_is_no_list_as_it_should_be_there_is_none(data: st.DataObject) -> None:
    text = json.dumps({"kind": "List", "items": [{"kind": "Job", "a": [1, "b"]}] * 3, "more": {}})
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    less = text[:start] + text[end:]
    found = large_list(io.StringIO(less))
    assert found is None or found == in_one_go(less)


@pytest.mark.parametrize(
    "text",
    [
        '{"items": [{"a": 1, "a": 2}]}',
        '{"items": [{"a": NaN}]}',
        '{"items": [{"a": "\\ud800"}]}',
        '{"items": [{"a": 1}], "items": []}',
        '{"items": [{"a": 1}], "items": [{"a": 2}]}',
        '{"metadata": {"items": [{"a": 1}]}, "items": []}',
        '{"items": [{"a": 1}, 2]}',
        '{"items": [{"a": 1}]} {}',
        '{"items": [{"a": 1}\u00a0]}',
        '{"items": [\f{"a": 1}]}',
        '{"items": [{"a": 1}]',
        '{"items": [' + '{"a":' * 99 + "1" + "}" * 99 + "]}",
        "items: [{a: 1}]",
        "",
    ],
)
def test_what_is_not_clear_is_left_to_the_other_reader(text: str) -> None:
    assert large_list(io.StringIO(text)) is None


def queue(name: str, cohort: str) -> dict[str, Any]:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": {"name": name},
        "spec": {"cohortName": cohort},
    }


OLDER = {
    **queue("a", ""),
    "apiVersion": "kueue.x-k8s.io/v1beta1",
    "spec": {"cohort": "two"},
}


def documents(*objects: dict[str, Any]) -> list[Document]:
    value = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
    return [Document(value, Source("dump.json", json.dumps(value, indent=1), is_json=True))]


def used_up(found: list[Document]) -> Iterator[Document]:
    while found:
        yield found.pop(0)


@pytest.mark.parametrize(
    "objects",
    [
        (queue("a", "one"), queue("b", "two")),
        (queue("a", "one"), queue("a", "two")),
        (queue("a", "one"), OLDER),
        (queue("a", "one"), {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}}),
    ],
)
def test_what_is_used_up_gives_the_same(objects: tuple[dict[str, Any], ...]) -> None:
    kept = load_scenario(documents(*objects), name="dump.json")
    assert load_scenario(used_up(documents(*objects)), name="dump.json") == kept


def test_what_is_wrong_with_what_is_used_up_has_its_place() -> None:
    wrong = (queue("a", "one"), queue("a", "two"), {**queue("b", "x"), "spec": {"cohort_name": 1}})
    with pytest.raises(InputError) as kept:
        load_scenario(documents(*wrong), name="dump.json")
    with pytest.raises(InputError) as found:
        load_scenario(used_up(documents(*wrong)), name="dump.json")
    assert found.value.problems == kept.value.problems
    assert found.value.problems[0].location is not None


def test_a_scenario_that_comes_as_a_stream_may_have_an_object_twice() -> None:
    scenario = {
        "apiVersion": "kueuelab/v1",
        "kind": "Scenario",
        "metadata": {"name": "twice"},
        "spec": {"manifests": [queue("a", "two")]},
    }
    text = "\n---\n".join(json.dumps(each) for each in (queue("a", "one"), scenario))
    found = load_scenario(io.StringIO(text))
    assert found == load_scenario(text + "\n")
    assert [each.cohort_name for each in found.manifests.cluster_queues] == ["two"]
