"""API versions: how a manifest of an older one converts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from kueuelab.manifests.versions import v1alpha1, v1beta1
from kueuelab.model import RELEASE

__all__ = ["convert"]

_CONVERTERS: Final = {
    "kueue.x-k8s.io/v1beta1": v1beta1.CONVERTERS,
    "kueue.x-k8s.io/v1alpha2": v1alpha1.CONVERTERS,
    "kueue.x-k8s.io/v1alpha1": v1alpha1.CONVERTERS,
}


@dataclass(frozen=True, slots=True)
class Conversion:
    """A manifest in the current version, and what was changed for that."""

    obj: Mapping[str, Any]
    changes: tuple[str, ...] = ()


def convert(obj: Mapping[str, Any]) -> Conversion:
    """Return a checked manifest in the version that the model has.

    Examples
    --------
    >>> conversion = convert(
    ...     {
    ...         "apiVersion": "kueue.x-k8s.io/v1beta1",
    ...         "kind": "ClusterQueue",
    ...         "spec": {"cohort": "research"},
    ...     }
    ... )
    >>> conversion.obj["spec"], conversion.changes
    ({'cohortName': 'research'}, ('spec.cohort -> spec.cohortName',))
    """
    converters = _CONVERTERS.get(obj["apiVersion"])
    if converters is None:
        return Conversion(obj)
    converter = converters.get(obj["kind"])
    if converter is None:
        return Conversion({**obj, "apiVersion": RELEASE.api_version})
    converted, changes = converter(obj)
    return Conversion({**converted, "apiVersion": RELEASE.api_version}, tuple(changes))
