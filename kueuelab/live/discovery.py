"""Which kinds of Kueue a cluster serves, and in which versions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kueuelab.live.api import ClusterApi
from kueuelab.live.errors import LiveError
from kueuelab.live.resources import KUEUE_GROUP, READ, Resource
from kueuelab.messages import Message
from kueuelab.model import RELEASE

__all__ = ["served"]

#: The versions that the lab reads, the best first.
VERSIONS: Final = (*RELEASE.api_versions, "v1alpha1")


def served(api: ClusterApi, wanted: Iterable[Resource] = READ) -> tuple[Resource, ...]:
    """Return the kinds that are served, each in the best version that the lab can read.

    Raises
    ------
    LiveError
        If Kueue is not installed, or serves only versions that the lab doesn't know.
    """
    try:
        group = api.get(f"/apis/{KUEUE_GROUP}")
    except LiveError as error:
        if error.trouble != "missing":
            raise
        message = Message("live.kueue.not-installed", context=api.context)
        raise LiveError(message, "kueue", hint=Message("live.kueue.not-installed.hint")) from error
    offered = [str(entry["version"]) for entry in group.get("versions") or ()]
    known = [version for version in VERSIONS if version in offered]
    if not known:
        message = Message(
            "live.kueue.other-versions" if offered else "live.kueue.no-version",
            context=api.context,
            offered=", ".join(offered),
        )
        hint = Message("live.kueue.other-versions.hint", versions=", ".join(VERSIONS))
        raise LiveError(message, "kueue", hint=hint)
    best: dict[str, str] = {}
    for version in known:
        document = api.get(f"/apis/{KUEUE_GROUP}/{version}")
        for entry in document.get("resources") or ():
            best.setdefault(str(entry["name"]), version)
    found = []
    for resource in wanted:
        if resource.group != KUEUE_GROUP:
            found.append(resource)
        elif resource.plural in best:
            found.append(resource.served_in(best[resource.plural]))
    return tuple(found)
