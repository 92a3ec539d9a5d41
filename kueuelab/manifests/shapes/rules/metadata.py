"""The rules of names, labels, selectors and tolerations, in Kubernetes' words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from kueuelab.manifests.reading.paths import Path
from kueuelab.manifests.server.advice import advice
from kueuelab.manifests.server.names import (
    dns_label,
    dns_subdomain,
    label_key,
    label_value,
    selector_errors,
)
from kueuelab.manifests.shapes.mistake import Mistake, Rule
from kueuelab.messages import Message, verbatim

__all__ = ["METADATA_RULES"]

_key_errors = lru_cache(maxsize=4096)(label_key)
_value_errors = lru_cache(maxsize=4096)(label_value)


def _invalid(
    value: str, check: Callable[[str], list[str]], path: Path, *, at_name: bool = False
) -> Iterator[Mistake]:
    for words in check(value)[:1]:
        yield Mistake(path, f'Invalid value: "{value:.80}": {words}', at_name=at_name)


def _names(metadata: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    if metadata.get("name"):
        yield from _invalid(metadata["name"], dns_subdomain, (*path, "name"))
    yield from _labels(metadata.get("labels") or {}, (*path, "labels"))
    for key in metadata.get("annotations") or {}:
        yield from _invalid(key, _key_errors, (*path, "annotations", key), at_name=True)


def _namespace(metadata: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    if metadata.get("namespace"):
        yield from _invalid(metadata["namespace"], dns_label, (*path, "namespace"))


def _name_required(metadata: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    if not metadata.get("name") and not metadata.get("generateName"):
        words = "Required value: name or generateName is required"
        yield Mistake((*path, "name"), words, Message("manifests.jobs.no-name.hint"))


def _labels(labels: Mapping[str, str], path: Path) -> Iterator[Mistake]:
    for key, value in labels.items():
        yield from _invalid(key, _key_errors, (*path, key), at_name=True)
        yield from _invalid(value, _value_errors, (*path, key))


def _selector(selector: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    for error in selector_errors(selector, path):
        yield Mistake(error.path, error.message, advice(error))


def _toleration(toleration: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    operator = toleration.get("operator") or "Equal"
    if toleration.get("key") is None and operator != "Exists":
        words = verbatim(
            "operator must be Exists when 'key' is empty, which means 'match all values and all "
            "keys'"
        )
        yield Mistake((*path, "operator"), words)
    if operator == "Exists" and toleration.get("value"):
        words = verbatim("a value must be empty when 'operator' is 'Exists'")
        yield Mistake((*path, "value"), words)
    if toleration.get("tolerationSeconds") is not None and toleration.get("effect") != "NoExecute":
        words = verbatim("effect must be 'NoExecute' when 'tolerationSeconds' is set")
        yield Mistake((*path, "effect"), words)


METADATA_RULES: Final[Mapping[str, Rule]] = {
    "names": _names,
    "namespace": _namespace,
    "name-required": _name_required,
    "labels": _labels,
    "selector": _selector,
    "toleration": _toleration,
}
