"""Objects by the names that people type, and what is said where there is none of a name."""

from __future__ import annotations

import pytest

from kueuelab.errors import UnknownObjectError
from kueuelab.model import ClusterQueue, LocalQueue, ObjectMeta
from kueuelab.whatif.references import ObjectIndex, Reference

INDEX = ObjectIndex(
    [
        ClusterQueue(ObjectMeta("a")),
        *(LocalQueue(ObjectMeta("q", namespace), "a") for namespace in ("one", "two")),
        *(LocalQueue(ObjectMeta("r", namespace), "a") for namespace in ("default", "two")),
        LocalQueue(ObjectMeta("only", "two"), "a"),
    ]
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("cq/a", Reference("ClusterQueue", "", "a")),
        ("lq/one/q", Reference("LocalQueue", "one", "q")),
        ("lq/r", Reference("LocalQueue", "default", "r")),
        ("lq/only", Reference("LocalQueue", "two", "only")),
    ],
)
def test_a_name_is_enough_where_it_is_clear(text: str, found: Reference) -> None:
    assert INDEX.find(text) == found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cq/b", "there is no ClusterQueue named 'b'. There are: 'a'"),
        ("lq/b", "there is no LocalQueue named 'b'. There are: 'q', 'r', 'only'"),
        ("lq/one/r", "there is no LocalQueue named 'one/r'. Did you mean 'one/q'?"),
        ("lq/q", "there is no single LocalQueue named 'q'. There are: 'one/q', 'two/q'"),
    ],
)
def test_otherwise_it_is_said_what_there_is(text: str, said: str) -> None:
    with pytest.raises(UnknownObjectError) as caught:
        INDEX.find(text)
    assert str(caught.value) == said
