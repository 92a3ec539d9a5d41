"""Proof that the API server accepts a new object, in one pass over it.

The verdict on an object goes over it once for each stage that may refuse it. Nearly all objects
of a dump are accepted by all stages. `proven` decodes an object and checks it for all of them at
once. It never refuses one: what is not certainly accepted is left to
`kueuelab.manifests.server.judge.judge`, which says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from kueuelab.manifests.server.conversion import CURRENT
from kueuelab.manifests.server.custom import (
    DEFAULTING,
    FINALIZER,
    NAMESPACED,
    VALIDATING,
    as_go_sees_it,
    patched,
)
from kueuelab.manifests.server.golang import go_error
from kueuelab.manifests.server.metadata import finalizer_warnings, metadata_errors
from kueuelab.manifests.server.rules import RULES
from kueuelab.manifests.server.strict import metadata_shape
from kueuelab.manifests.server.structural import check_lists, check_structure
from kueuelab.manifests.server.webhooks.workloads import workload_warnings
from kueuelab.manifests.shapes.readers import Standard, UncertainError, reader
from kueuelab.manifests.shapes.shape import Shape
from kueuelab.manifests.shapes.tables import shape_of
from kueuelab.model import RELEASE, FeatureGates, Release, default_gates

__all__ = ["proven"]


def proven(
    manifest: Mapping[str, Any], release: Release = RELEASE, gates: FeatureGates | None = None
) -> dict[str, Any] | None:
    """Return a new object with its defaults if it is certainly accepted without a warning.

    Parameters
    ----------
    manifest : mapping
        An object of Kueue in the version that it works with.
    release : Release, optional
        The release of Kueue.

    Returns
    -------
    dict or None
        The object as it would be stored, with its metadata as given and without its status.
        ``None`` if nothing is certain.

    Examples
    --------
    >>> queue = {
    ...     "apiVersion": "kueue.x-k8s.io/v1beta2",
    ...     "kind": "LocalQueue",
    ...     "metadata": {"name": "team-a"},
    ...     "spec": {"clusterQueue": "research"},
    ... }
    >>> proven(queue)["spec"]
    {'clusterQueue': 'research', 'stopPolicy': 'None'}
    >>> proven({**queue, "spec": {"clusterQueue": "Research"}})
    """
    if manifest.get("apiVersion") != CURRENT:
        return None
    try:
        return _proven(manifest, manifest["kind"], release, gates or default_gates(release))
    except (UncertainError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return None


def _proven(
    manifest: Mapping[str, Any], kind: str, release: Release, gates: FeatureGates
) -> dict[str, Any] | None:
    shape = shape_of(CURRENT, kind, release)
    if shape is None:
        return None
    is_namespaced = kind in NAMESPACED
    metadata = reader(metadata_shape(), _SERVER)(manifest["metadata"])
    if is_namespaced and "namespace" not in metadata:
        metadata = {**metadata, "namespace": "default"}
    elif not is_namespaced and "namespace" in metadata:
        metadata = {name: part for name, part in metadata.items() if name != "namespace"}
    wrong = metadata_errors(metadata, namespaced=is_namespaced)
    if next(wrong, None) is not None or finalizer_warnings(metadata):
        return None
    head = {"apiVersion": CURRENT, "kind": kind}
    body = {name: part for name, part in manifest.items() if name not in head}
    body["metadata"] = {}
    if "status" in shape.fields and (status := body.pop("status", None)) is not None:
        # Nothing of it is stored, but Go must be able to read it.
        reader(shape.fields["status"].shape, _SERVER)(status)
    read = reader(shape, _SERVER)
    obj = head | read(body)
    if (
        kind in DEFAULTING
        and kind != "Workload"
        and FINALIZER not in metadata.get("finalizers", ())
    ):
        # The webhook that adds the finalizer writes the whole object anew.
        obj = head | read({**patched(obj, shape), "metadata": {}})
    obj["metadata"] = metadata
    if kind == "Workload" and workload_warnings(obj, gates):
        return None
    webhook = VALIDATING.get(kind)
    if webhook is not None:
        # Nothing that Go writes otherwise in a Workload matters to its webhook.
        seen = obj if kind == "Workload" else as_go_sees_it(obj, release)
        if next(webhook(seen, None, gates), None) is not None:
            return None
    return {**obj, "metadata": manifest["metadata"]}


def _accepts(value: Any, shape: Shape) -> bool:
    return next(check_structure(value, shape), None) is None and not go_error(value, shape)


def _rules(name: str) -> list[Callable[[Any], bool]]:
    return [rule.holds for rule in RULES[name] if rule.holds is not None]


def _differ(items: list[Any], shape: Shape) -> bool:
    return next(check_lists(items, _alone(shape)), None) is None


@cache
def _alone(shape: Shape) -> Shape:
    """Return the shape of a list without that of its items."""
    return Shape("list", shape.go, Shape("any", ""), keys=shape.keys, distinct=shape.distinct)


_SERVER: Final = Standard(_accepts, _rules, _differ, fills_in=True)
