"""Merge patches: the examples of RFC 7386, and that a patch leads from one document to another."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuelab.views.merge_patch import apply_patch, merge_patch

_LEAVES = st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=2)
_VALUES = st.recursive(
    _LEAVES | st.lists(_LEAVES, max_size=3),
    lambda inner: st.dictionaries(st.text("abc", max_size=1), inner, max_size=4),
    max_leaves=12,
)
DOCUMENTS = st.dictionaries(st.text("abc", max_size=1), _VALUES, max_size=4)


# Those of appendix A whose target and result are objects.
@pytest.mark.parametrize(
    ("target", "patch", "result"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_the_examples_of_the_rfc(
    target: dict[str, Any], patch: dict[str, Any], result: dict[str, Any]
) -> None:
    assert apply_patch(target, patch) == result


@given(DOCUMENTS, DOCUMENTS)
def test_a_patch_leads_from_one_document_to_the_other(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    assert apply_patch(before, merge_patch(before, after)) == after


@given(DOCUMENTS)
def test_equal_documents_need_no_patch(document: dict[str, Any]) -> None:
    assert merge_patch(document, apply_patch({}, document)) == {}


@given(DOCUMENTS, DOCUMENTS)
def test_applying_changes_nothing_that_was_given(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    kept = repr(before)
    apply_patch(before, merge_patch(before, after))
    assert repr(before) == kept


def test_true_is_not_one() -> None:
    assert merge_patch({"a": 1}, {"a": True}) == {"a": True}
