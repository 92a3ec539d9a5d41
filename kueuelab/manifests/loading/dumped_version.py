"""Which version of Kueue a dump is of: its controller's image, or the labels of its definitions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

__all__ = ["version_in", "version_of_image"]

_IMAGE: Final = re.compile(r"(?:.*/)?kueue:v?\d+\.\d+.*")
_LABEL: Final = "app.kubernetes.io/version"


def version_in(values: Iterable[Any]) -> str:
    """Return the version of Kueue that documents tell of, ``""`` if they tell of none.

    Examples
    --------
    >>> crd = {
    ...     "kind": "CustomResourceDefinition",
    ...     "metadata": {"labels": {"app.kubernetes.io/version": "v0.18.6"}},
    ...     "spec": {"group": "kueue.x-k8s.io"},
    ... }
    >>> version_in([{"kind": "List", "items": [crd]}])
    'v0.18.6'
    """
    return next((found for value in values for found in _versions(value) if found), "")


def version_of_image(image: str) -> str:
    """Return the tag of an image, ``""`` if it has none.

    Examples
    --------
    >>> version_of_image("registry.k8s.io/kueue/kueue:v0.19.2@sha256:0a1b")
    'v0.19.2'
    >>> version_of_image("registry.example:5000/kueue")
    ''
    """
    name = image.partition("@")[0].rpartition("/")[2]
    return name.partition(":")[2]


def _versions(value: Any) -> Iterator[str]:
    if not isinstance(value, Mapping):
        return
    kind, spec = value.get("kind"), value.get("spec")
    if isinstance(items := value.get("items"), list) and str(kind).endswith("List"):
        for item in items:
            yield from _versions(item)
    elif kind == "CustomResourceDefinition" and isinstance(spec, Mapping):
        if spec.get("group") == "kueue.x-k8s.io":
            yield str(_within(value, "metadata", "labels").get(_LABEL) or "")
    elif kind == "Deployment":
        containers = _within(value, "spec", "template", "spec").get("containers")
        for each in containers if isinstance(containers, list) else ():
            image = str(each.get("image")) if isinstance(each, Mapping) else ""
            if _IMAGE.fullmatch(image):
                yield version_of_image(image)


def _within(value: Mapping[str, Any], *path: str) -> Mapping[str, Any]:
    """Return the mapping at a path, an empty one if there is none."""
    for name in path:
        inner = value.get(name)
        if not isinstance(inner, Mapping):
            return {}
        value = inner
    return value
