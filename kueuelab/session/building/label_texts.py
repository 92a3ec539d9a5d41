"""Labels, taints and label selectors as one line of text, as ``kubectl`` writes them.

What the short form cannot say is shown as YAML on one line, and may be typed so: nothing is lost.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import yaml

from kueuelab.errors import InputError, Problem
from kueuelab.manifests.writing import write_inline
from kueuelab.messages import Message

__all__ = [
    "FORMS",
    "labels",
    "labels_text",
    "read",
    "selector",
    "selector_text",
    "shown",
    "taints",
    "taints_text",
]

#: What selects everything; no text selects nothing.
_ALL: Final = "*"
_COMMA: Final = re.compile(r",(?![^()]*\))")
_SET: Final = re.compile(r"(\S+)\s+(in|notin)\s*\(([^()]*)\)")
_EQUAL: Final = re.compile(r"([^\s=!]+)\s*(!=|==|=)\s*(\S*)")
_KEY: Final = re.compile(r"(!?)\s*([^\s=!()]+)")
_OPERATORS: Final = {"in": "In", "notin": "NotIn"}


def labels(text: str) -> Any:
    """Return the labels of a text.

    Examples
    --------
    >>> labels("pool=a, example.com/spot=true, fast")
    {'pool': 'a', 'example.com/spot': 'true', 'fast': ''}
    """
    found = {}
    for term in _terms(text):
        key, _, value = term.partition("=")
        found[key.strip()] = value.strip()
    return found or None


def labels_text(value: Any) -> str:
    """Return labels as text.

    Examples
    --------
    >>> labels_text({"pool": "a", "fast": ""})
    'pool=a, fast='
    """
    return ", ".join(f"{key}={each}" for key, each in _pairs(value))


def taints(text: str) -> Any:
    """Return the taints of a text: ``key=value:Effect``, with commas between them.

    Examples
    --------
    >>> taints("spot=true:NoSchedule, gpu:NoExecute")[1]
    {'key': 'gpu', 'effect': 'NoExecute'}
    """
    return [_taint(term) for term in _terms(text)] or None


def _taint(term: str) -> dict[str, str]:
    left, colon, effect = term.rpartition(":") if ":" in term else (term, "", "")
    key, equal, value = left.partition("=")
    found = {"key": key.strip()}
    if equal:
        found["value"] = value.strip()
    if colon:
        found["effect"] = effect.strip()
    return found


def taints_text(value: Any) -> str:
    """Return taints as text.

    Examples
    --------
    >>> taints_text([{"key": "spot", "value": "true", "effect": "NoSchedule"}])
    'spot=true:NoSchedule'
    """
    parts = []
    for each in _mappings(value):
        of_value = f"={each['value']}" if "value" in each else ""
        effect = f":{each['effect']}" if "effect" in each else ""
        parts.append(f"{each.get('key', '')}{of_value}{effect}")
    return ", ".join(parts)


def selector(text: str) -> Any:
    """Return the label selector of a text; ``*`` selects everything.

    Raises
    ------
    InputError
        If a part of it is no requirement.

    Examples
    --------
    >>> selector("*"), selector("team=a")
    ({}, {'matchLabels': {'team': 'a'}})
    >>> selector("env in (dev, test)")
    {'matchExpressions': [{'key': 'env', 'operator': 'In', 'values': ['dev', 'test']}]}
    """
    if text == _ALL:
        return {}
    equal: dict[str, str] = {}
    others: list[dict[str, Any]] = []
    for term in _terms(text):
        if found := _SET.fullmatch(term):
            values = [each.strip() for each in found[3].split(",") if each.strip()]
            others.append({"key": found[1], "operator": _OPERATORS[found[2]], "values": values})
        elif found := _EQUAL.fullmatch(term):
            if found[2] == "!=":
                others.append({"key": found[1], "operator": "NotIn", "values": [found[3]]})
            else:
                equal[found[1]] = found[3]
        elif found := _KEY.fullmatch(term):
            others.append({"key": found[2], "operator": "DoesNotExist" if found[1] else "Exists"})
        else:
            message = Message("session.build.no-requirement", text=term)
            raise InputError(Problem(message, hint=Message("session.build.no-requirement.hint")))
    parts = {"matchLabels": equal, "matchExpressions": others}
    return {name: part for name, part in parts.items() if part} or None


def selector_text(value: Any) -> str:
    """Return a label selector as text.

    Examples
    --------
    >>> selector_text({"matchLabels": {"team": "a"}, "matchExpressions": [
    ...     {"key": "env", "operator": "In", "values": ["dev", "test"]},
    ...     {"key": "old", "operator": "DoesNotExist"}]})
    'team=a, env in (dev, test), !old'
    """
    if value == {}:
        return _ALL
    if not isinstance(value, Mapping):
        return ""
    parts = [f"{key}={each}" for key, each in _pairs(value.get("matchLabels"))]
    for each in _mappings(value.get("matchExpressions")):
        key, values = each.get("key", ""), each.get("values", ())
        listed = ", ".join(map(str, values)) if isinstance(values, list) else ""
        match each.get("operator"):
            case "In":
                parts.append(f"{key} in ({listed})")
            case "NotIn":
                parts.append(f"{key} notin ({listed})")
            case "Exists":
                parts.append(f"{key}")
            case "DoesNotExist":
                parts.append(f"!{key}")
    return ", ".join(parts)


#: How the forms that are lines of text are read and shown.
FORMS: Final = {
    "labels": (labels, labels_text),
    "taints": (taints, taints_text),
    "selector": (selector, selector_text),
}


def read(form: str, text: str) -> Any:
    """Return the value of a text, which may be YAML on one line.

    Raises
    ------
    InputError
        If it is neither.

    Examples
    --------
    >>> read("labels", "{a: '1'}"), read("labels", "")
    ({'a': '1'}, None)
    """
    if text.startswith(("{", "[")):
        try:
            return yaml.safe_load(text)
        except yaml.YAMLError:
            message = Message("session.build.no-requirement", text=text)
            hint = Message("session.build.no-requirement.hint")
            raise InputError(Problem(message, hint=hint)) from None
    return FORMS[form][0](text) if text else None


def shown(form: str, value: Any) -> str:
    """Return the text of a value: YAML on one line where the short form does not say all of it.

    Examples
    --------
    >>> shown("labels", {"a": "1"}), shown("labels", {"a": True})
    ('a=1', '{a: true}')
    """
    if value is None:
        return ""
    text = FORMS[form][1](value)
    try:
        is_whole = read(form, text) == value
    except InputError:
        is_whole = False
    return text if is_whole else write_inline(value)


def _terms(text: str) -> list[str]:
    return [term for part in _COMMA.split(text) if (term := part.strip())]


def _pairs(value: Any) -> list[tuple[Any, Any]]:
    return [*value.items()] if isinstance(value, Mapping) else []


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []
