"""`judge`: what the API server of a cluster with Kueue would say of a manifest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from kueuelab.manifests.server.custom import judge_custom
from kueuelab.manifests.server.verdict import ClusterContents, Verdict, already_exists
from kueuelab.manifests.shapes.tables import shape_of
from kueuelab.model import RELEASE, Release, default_gates

__all__ = ["is_judged", "judge"]


#: So much of a body the server quotes a second time.
_QUOTED: Final = 30


def is_judged(api_version: str, kind: str, release: Release = RELEASE) -> bool:
    """Tell whether the rules of a kind are known, and a release serves its version.

    Examples
    --------
    >>> is_judged("batch/v1", "Job"), is_judged("v1", "ConfigMap")
    (True, False)
    """
    return shape_of(api_version, kind, release) is not None


def judge(
    manifest: Mapping[str, Any],
    *,
    existing: Mapping[str, Any] | None = None,
    subresource: str = "",
    cluster: ClusterContents | None = None,
    sent_to: tuple[str, str] | None = None,
    release: Release = RELEASE,
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
    cluster : ClusterContents, optional
        What else there is.
    sent_to : tuple of str, optional
        The API version and kind of the resource that it is sent to; its own if left out. The
        server answers for them where the manifest itself names none.
    release : Release, optional
        The release of Kueue, with its default feature gates.

    Returns
    -------
    Verdict
        The answer, with the feature gates of the cluster.

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
    if sent_to is not None and (undecodable := _undecodable(manifest, *sent_to)) is not None:
        return undecodable
    api_version, kind = manifest.get("apiVersion"), manifest.get("kind")
    if not isinstance(api_version, str) or not isinstance(kind, str):
        return Verdict(400, "BadRequest", "Object 'Kind' is missing")
    if not is_judged(api_version, kind, release):
        return Verdict(404, "", "404 page not found\n")
    cluster = cluster or ClusterContents(gates=default_gates(release))
    if api_version.startswith("kueue.x-k8s.io/"):
        verdict = judge_custom(manifest, existing, subresource, cluster, release)
    else:
        from kueuelab.manifests.server.builtin import judge_builtin  # most manifests are no jobs

        verdict = judge_builtin(manifest, existing, cluster, release)
    if existing is None and verdict.is_accepted and cluster.objects:
        metadata = verdict.object["metadata"]
        key = (kind, metadata.get("namespace", ""), metadata.get("name", ""))
        if key in cluster.objects:
            return already_exists(verdict.object)
    return verdict


def _undecodable(manifest: Mapping[str, Any], api_version: str, kind: str) -> Verdict | None:
    """Return the verdict on a manifest of a Kueue resource that names no kind or no version."""
    if not manifest.get("kind"):
        body = json.dumps(manifest)
        start = body if len(body) <= _QUOTED else f"{body[:_QUOTED]} ..."
        text = f"the object provided is unrecognized (must be of type {kind}): "
        return Verdict(400, "BadRequest", f"{text}Object 'Kind' is missing in '{body}' ({start})")
    if not manifest.get("apiVersion"):
        text = "the API version in the data () does not match the expected API version"
        return Verdict(400, "BadRequest", f"{text} ({api_version})")
    return None
