"""The releases of Kueue that the lab models, one module each.

``docs/kueue-versions.md`` says what differs between them, and how a release is added. A module that
is not there takes nothing from the others but v0.19.2, the default, from which they differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Final

from kueuelab.errors import UnknownObjectError
from kueuelab.messages import Message
from kueuelab.model.release import Release
from kueuelab.model.releases.v0_19_2 import V0_19_2

__all__ = ["RELEASE", "RELEASES", "V0_19_2", "nearest_release", "release_named"]


def _modelled() -> Iterator[Release]:
    for module in iter_modules(__path__):
        found = vars(import_module(f"{__name__}.{module.name}"))
        yield found[module.name.upper()]


#: Every release by its version, in order.
RELEASES: Final[Mapping[str, Release]] = MappingProxyType(
    {release.version: release for release in _modelled()}
)
#: The release whose decisions the lab takes, where nothing else is said.
RELEASE: Final = V0_19_2


def nearest_release(version: str) -> Release:
    """Return the release that is nearest to what a cluster runs; the default for what says nothing.

    Of two that are as near, it is the later one.

    Examples
    --------
    >>> nearest_release("v0.18.1"), nearest_release("v0.21.0"), nearest_release("v0.12.0")
    (<Release v0.18.6>, <Release v0.20-dev>, <Release v0.18.6>)
    >>> nearest_release("latest")
    <Release v0.19.2>
    """
    wanted = _numbers(version)
    if wanted is None:
        return RELEASE
    distances = {
        release: (abs(known[0] - wanted[0]), abs(known[1] - wanted[1]))
        for release in reversed(tuple(RELEASES.values()))
        if (known := _numbers(release.version)) is not None
    }
    return min(distances, key=distances.__getitem__)


def _numbers(version: str) -> tuple[int, int] | None:
    """Return the minor version and the patch; 0 where no patch is named."""
    found = re.match(r"v?0\.(\d{1,4})(?:\.(\d{1,4}))?\b", version)
    return None if found is None else (int(found[1]), int(found[2] or 0))


def release_named(version: str) -> Release:
    """Return the release of a version, with or without its ``v``; a minor version is enough.

    A minor version is the last of its patches that the lab models.

    Raises
    ------
    UnknownObjectError
        If the lab models no such release.

    Examples
    --------
    >>> release_named("0.18"), release_named("v0.19.2")
    (<Release v0.18.6>, <Release v0.19.2>)
    >>> release_named("v0.17.0")
    Traceback (most recent call last):
    ...
    kueuelab.errors.UnknownObjectError: there is no release of Kueue ... 'v0.18.6', ...
    """
    wanted = f"v{version.removeprefix('v')}"
    for release in reversed(tuple(RELEASES.values())):
        if wanted in (release.version, release.minor):
            return release
    raise UnknownObjectError(Message("model.release"), version, RELEASES)
