"""`judge`: what the API server of a cluster with Kueue would say of a manifest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kueuelab.manifests.server.custom import judge_custom
from kueuelab.manifests.server.tables import shape_of
from kueuelab.manifests.server.verdict import Verdict, World, already_exists

__all__ = ["is_judged", "judge"]


_ANYWHERE: Final = World()


def is_judged(api_version: str, kind: str) -> bool:
    """Tell whether the rules of a kind are known.

    Examples
    --------
    >>> is_judged("batch/v1", "Job"), is_judged("v1", "ConfigMap")
    (True, False)
    """
    return shape_of(api_version, kind) is not None


def judge(
    manifest: Mapping[str, Any],
    *,
    existing: Mapping[str, Any] | None = None,
    subresource: str = "",
    world: World = _ANYWHERE,
) -> Verdict:
    """Return what the API server says of a manifest.

    Parameters
    ----------
    manifest : mapping
        The manifest of an object of Kueue, a Job or a Pod.
    existing : mapping, optional
        The object that it would update, as it is stored; it is created if left out.
    subresource : str, optional
        ``status`` for an update of the status alone; ``*`` for an object of Kueue as it is in a
        cluster already, with its status.
    world : World, optional
        What else there is.

    Returns
    -------
    Verdict
        Kubernetes 1.36 with Kueue v0.19.2 is meant, its feature gates as they are by default.

    Examples
    --------
    >>> queue = {
    ...     "apiVersion": "kueue.x-k8s.io/v1beta2",
    ...     "kind": "LocalQueue",
    ...     "metadata": {"name": "team-a"},
    ...     "spec": {"clusterQueue": "Research"},
    ... }
    >>> verdict = judge(queue)
    >>> verdict.code, verdict.causes[0].field
    (422, 'spec.clusterQueue')
    """
    api_version, kind = manifest.get("apiVersion"), manifest.get("kind")
    if not isinstance(api_version, str) or not isinstance(kind, str):
        return Verdict(400, "BadRequest", "Object 'Kind' is missing")
    if not is_judged(api_version, kind):
        return Verdict(404, "", "404 page not found\n")
    if api_version.startswith("kueue.x-k8s.io/"):
        verdict = judge_custom(manifest, existing, subresource, world)
    else:
        from kueuelab.manifests.server.builtin import judge_builtin  # most manifests are no jobs

        verdict = judge_builtin(manifest, existing, world)
    if existing is None and verdict.is_accepted and world.taken:
        metadata = verdict.object["metadata"]
        key = (kind, metadata.get("namespace", ""), metadata.get("name", ""))
        if key in world.taken:
            return already_exists(verdict.object)
    return verdict
