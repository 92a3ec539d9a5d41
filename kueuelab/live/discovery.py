"""Which kinds of Kueue a cluster serves, and in which versions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kueuelab.live.api import ClusterApi
from kueuelab.live.errors import LiveError
from kueuelab.live.resources import KUEUE_GROUP, READ, Resource
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
        message = f"Kueue is not installed in '{api.context}'"
        raise LiveError(message, "kueue", hint="Install it, or choose another context") from error
    offered = [str(entry["version"]) for entry in group.get("versions") or ()]
    known = [version for version in VERSIONS if version in offered]
    if not known:
        message = f"Kueue in '{api.context}' serves only {', '.join(offered) or 'no version'}"
        hint = f"The lab reads {', '.join(VERSIONS)}"
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
