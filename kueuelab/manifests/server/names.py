"""Kubernetes' rules for names, label keys and label values, in Kubernetes' own words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, Final

from kueuelab.manifests.server.problems import (
    FieldError,
    FieldPath,
    forbidden,
    invalid,
    required,
    too_long,
)

__all__ = [
    "annotation_errors",
    "dns_label",
    "dns_subdomain",
    "domain_path_errors",
    "label_errors",
    "label_key",
    "label_key_errors",
    "label_value",
    "selector_errors",
]

_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN: Final = rf"{_LABEL}(\.{_LABEL})*"
_NAME: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_VALUE: Final = f"({_NAME})?"
_PATH: Final = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"

_SUBDOMAIN_WORDS: Final = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character"
)
_LABEL_WORDS: Final = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character"
)
_NAME_WORDS: Final = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character"
)
_VALUE_WORDS: Final = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character"
)
_MOST_ANNOTATIONS: Final = 256 * 1024


def _mismatch(words: str, pattern: str, *examples: str) -> str:
    shown = " or ".join(f"'{example}', " for example in examples)
    given = f"e.g. {shown}" if examples else ""
    return f"{words} ({given}regex used for validation is '{pattern}')"


def _check(
    text: str, most: int, pattern: str, words: str, *examples: str, unit: str = "bytes"
) -> list[str]:
    found = []
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    if size > most:
        found.append(f"must be no more than {most} {unit}")
    if not _compiled(pattern).fullmatch(text):
        found.append(_mismatch(words, pattern, *examples))
    return found


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


def dns_subdomain(text: str) -> list[str]:
    """Return what is wrong with a name such as ``team-a.research``.

    Examples
    --------
    >>> dns_subdomain("team-a"), len(dns_subdomain("Team_A"))
    ([], 1)
    """
    return _check(text, 253, _SUBDOMAIN, _SUBDOMAIN_WORDS, "example.com", unit="characters")


def dns_label(text: str) -> list[str]:
    """Return what is wrong with a name such as ``team-a``."""
    found = _check(text, 63, _LABEL, _LABEL_WORDS, "my-name", "123-abc", unit="characters")
    if found and _compiled(_SUBDOMAIN).fullmatch(text) and "." in text:
        found[-1] = "must not contain dots"
    return found


def label_value(text: str) -> list[str]:
    """Return what is wrong with the value of a label."""
    return _check(text, 63, _VALUE, _VALUE_WORDS, "MyValue", "my_value", "12345")


def label_key(text: str) -> list[str]:
    """Return what is wrong with the key of a label.

    Examples
    --------
    >>> label_key("example.com/rack")
    []
    >>> label_key("/rack")
    ['prefix part must be non-empty']
    """
    return list(_label_key(text))


@lru_cache(maxsize=4096)
def _label_key(text: str) -> tuple[str, ...]:
    examples = ("MyName", "my.name", "123-abc")
    prefix, slash, name = text.partition("/")
    if "/" in name:
        words = _mismatch(f"a valid label key {_NAME_WORDS}", _NAME, *examples)
        return (
            f"{words} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
        )
    found = []
    if not slash:
        name = prefix
    elif not prefix:
        found.append("prefix part must be non-empty")
    else:
        wrong = _check(prefix, 253, _SUBDOMAIN, _SUBDOMAIN_WORDS, "example.com")
        found += [f"prefix part {words}" for words in wrong]
    if not name:
        found.append("name part must be non-empty")
    elif len(name) > 63:
        found.append("name part must be no more than 63 bytes")
    if not _compiled(_NAME).fullmatch(name):
        found.append(f"name part {_mismatch(_NAME_WORDS, _NAME, *examples)}")
    return tuple(found)


def label_key_errors(text: str, path: FieldPath) -> Iterator[FieldError]:
    """Yield what is wrong with the key of a label."""
    for words in label_key(text):
        yield invalid(path, text, words)


def label_errors(labels: Mapping[str, str], path: FieldPath) -> Iterator[FieldError]:
    """Yield what is wrong with labels."""
    for key, value in labels.items():
        for words in _label_key(key):
            yield invalid(path, key, words)
        for words in label_value(value):
            yield invalid(path, value, words)


def annotation_errors(annotations: Mapping[str, str], path: FieldPath) -> Iterator[FieldError]:
    """Yield what is wrong with annotations."""
    size = 0
    for key, value in annotations.items():
        for words in _label_key(key.lower()):
            yield invalid(path, key, words)
        size += len(key.encode()) + len(value.encode())
    if size > _MOST_ANNOTATIONS:
        yield too_long(path, _MOST_ANNOTATIONS)


def selector_errors(selector: Mapping[str, Any] | None, path: FieldPath) -> Iterator[FieldError]:
    """Yield what is wrong with a label selector."""
    if selector is None:
        return
    yield from label_errors(selector.get("matchLabels") or {}, (*path, "matchLabels"))
    for index, requirement in enumerate(selector.get("matchExpressions") or ()):
        yield from _requirement_errors(requirement, (*path, "matchExpressions", index))


def _requirement_errors(requirement: Mapping[str, Any], path: FieldPath) -> Iterator[FieldError]:
    operator = requirement.get("operator", "")
    values: Sequence[str] = requirement.get("values") or ()
    match operator:
        case "In" | "NotIn":
            if not values:
                words = "must be specified when `operator` is 'In' or 'NotIn'"
                yield required((*path, "values"), words)
        case "Exists" | "DoesNotExist":
            if values:
                words = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
                yield forbidden((*path, "values"), words)
        case _:
            yield invalid((*path, "operator"), operator, "not a valid selector operator")
    yield from label_key_errors(requirement.get("key", ""), (*path, "key"))
    for index, value in enumerate(values):
        for words in label_value(value):
            yield invalid((*path, "values", index), value, words)


def domain_path_errors(text: str, path: FieldPath) -> Iterator[FieldError]:
    """Yield what is wrong with a path such as ``acme.io/foo``."""
    host, slash, rest = text.partition("/")
    if not slash or not host or not rest:
        words = 'must be a domain-prefixed path (such as "acme.io/foo")'
        yield invalid(path, text, words)
        return
    for words in dns_subdomain(host):
        yield invalid(path, host, words)
    if not _compiled(_PATH).fullmatch(rest):
        yield invalid(path, rest, _mismatch("Invalid path", _PATH))
