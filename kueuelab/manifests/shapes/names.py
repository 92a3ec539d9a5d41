"""Kubernetes' rules for names, label keys and label values, in Kubernetes' words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

__all__ = ["dns_label", "dns_subdomain", "label_key", "label_value", "resource_name"]

_LABEL: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?\Z")
_SUBDOMAIN: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\Z")
_NAME_PART: Final = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]\Z")

_SUBDOMAIN_WORDS: Final = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
    "'-' or '.', and must start and end with an alphanumeric character"
)
_LABEL_WORDS: Final = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
    "and must start and end with an alphanumeric character"
)
_NAME_PART_WORDS: Final = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character"
)
_VALUE_WORDS: Final = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character"
)


def dns_subdomain(text: str) -> str:
    """Return what is wrong with a name such as ``team-a.research``, ``""`` if nothing is.

    Examples
    --------
    >>> dns_subdomain("team-a")
    ''
    >>> dns_subdomain("Team_A")[:39]
    'a lowercase RFC 1123 subdomain must con'
    """
    if len(text) > 253:
        return "must be no more than 253 bytes"
    return "" if _SUBDOMAIN.match(text) else _SUBDOMAIN_WORDS


def dns_label(text: str) -> str:
    """Return what is wrong with a name such as ``team-a``, ``""`` if nothing is."""
    if len(text) > 63:
        return "must be no more than 63 bytes"
    return "" if _LABEL.match(text) else _LABEL_WORDS


@lru_cache(maxsize=4096)
def label_key(text: str) -> str:
    """Return what is wrong with the key of a label, ``""`` if nothing is."""
    prefix, slash, name = text.rpartition("/")
    if slash and (not prefix or "/" in prefix or dns_subdomain(prefix)):
        return f"prefix part {_SUBDOMAIN_WORDS}"
    if len(name) > 63:
        return "name part must be no more than 63 bytes"
    return "" if _NAME_PART.match(name) else _NAME_PART_WORDS


def label_value(text: str) -> str:
    """Return what is wrong with the value of a label, ``""`` if nothing is."""
    if len(text) > 63:
        return "must be no more than 63 bytes"
    return "" if not text or _NAME_PART.match(text) else _VALUE_WORDS


def resource_name(text: str) -> str:
    """Return what is wrong with the name of a resource, ``""`` if nothing is."""
    return label_key(text)
