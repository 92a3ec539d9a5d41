"""Labels, taints and selectors in forms: as ``kubectl`` writes them, and nothing is lost."""

from __future__ import annotations

from typing import Any

import pytest

from kueuelab.errors import InputError
from kueuelab.session.building import label_texts

SELECTOR: dict[str, Any] = {
    "matchLabels": {"team": "a"},
    "matchExpressions": [
        {"key": "env", "operator": "In", "values": ["dev", "test"]},
        {"key": "env", "operator": "NotIn", "values": ["prod"]},
        {"key": "new", "operator": "Exists"},
        {"key": "old", "operator": "DoesNotExist"},
    ],
}
TEXTS: list[tuple[str, Any, str]] = [
    ("labels", None, ""),
    ("labels", {"pool": "a", "example.com/spot": "true"}, "pool=a, example.com/spot=true"),
    ("taints", [{"key": "a", "value": "b", "effect": "NoSchedule"}], "a=b:NoSchedule"),
    ("taints", [{"key": "a", "effect": "NoExecute"}, {"key": "b"}], "a:NoExecute, b"),
    ("selector", None, ""),
    ("selector", {}, "*"),
    ("selector", SELECTOR, "team=a, env in (dev, test), env notin (prod), new, !old"),
    # What the short form does not say is YAML.
    ("labels", {"a": True}, "{a: true}"),
    ("labels", {"a": "b, c=d"}, "{a: 'b, c=d'}"),
    ("taints", [{"key": "a", "timeAdded": "x"}], "[{key: a, timeAdded: x}]"),
    ("selector", {"matchLabels": {}}, "{matchLabels: {}}"),
    (
        "selector",
        {"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]},
        "{matchExpressions: [{key: a, operator: Gt, values: ['1']}]}",
    ),
]


@pytest.mark.parametrize(("form", "value", "text"), TEXTS)
def test_a_text_says_all_of_a_value(form: str, value: Any, text: str) -> None:
    assert label_texts.shown(form, value) == text
    assert label_texts.read(form, text) == value


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a!=b", "a notin (b)"),
        ("a == b", "a=b"),
        ("! a,b", "!a, b"),
        ("a notin(b,c)", "a notin (b, c)"),
    ],
)
def test_what_kubectl_takes_is_taken(text: str, same: str) -> None:
    assert label_texts.shown("selector", label_texts.read("selector", text)) == same


@pytest.mark.parametrize(("form", "text"), [("selector", "a in b"), ("labels", "{a: [")])
def test_what_is_none_is_refused(form: str, text: str) -> None:
    with pytest.raises(InputError, match="is not a requirement for labels"):
        label_texts.read(form, text)
