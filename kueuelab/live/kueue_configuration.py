"""Whether Kueue in a cluster is configured as a scenario wants it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from kueuelab.live.api import ClusterApi
from kueuelab.live.errors import LiveError
from kueuelab.live.snapshot import read_configuration
from kueuelab.manifests import load
from kueuelab.manifests.decode import decode_configuration
from kueuelab.messages import Message
from kueuelab.model import RELEASE, Configuration, WaitForPodsReady

__all__ = ["INSTALLED", "configuration_of", "require_configuration"]

#: How Kueue is configured by a Configuration that names nothing.
INSTALLED: Final = decode_configuration(RELEASE.installed)
#: What of a Configuration decides while a scenario is played, under the names of its fields.
_DECIDES: Final[tuple[tuple[str, Callable[[Configuration], Any]], ...]] = (
    ("fairSharing", lambda c: c.fair_sharing),
    ("admissionFairSharing", lambda c: c.admission_fair_sharing),
    ("waitForPodsReady", lambda c: _named(c.wait_for_pods_ready)),
    ("resources", lambda c: c.resources),
    ("featureGates", lambda c: dict(c.gates)),
)


def _named(wait: WaitForPodsReady | None) -> WaitForPodsReady | None:
    """Return ``waitForPodsReady``, ``None`` if it is as Kueue has it where nothing names it."""
    return None if wait == INSTALLED.wait_for_pods_ready else wait


def configuration_of(api: ClusterApi, notes: list[str]) -> Configuration | None:
    """Return Kueue's Configuration in a cluster; ``None`` and a note if it cannot be read.

    Raises
    ------
    LiveError
        If the cluster does not answer.
    """
    found = read_configuration(api, notes)
    return load(found).configuration if found else None


def require_configuration(api: ClusterApi, wanted: Configuration) -> None:
    """Refuse a cluster whose Kueue would decide by other rules than a scenario's.

    Raises
    ------
    LiveError
        If its Configuration can be read, and differs in what decides.
    """
    there = configuration_of(api, [])
    if there is None:
        return
    for name, part in _DECIDES:
        if part(there) != part(wanted):
            has = part(wanted) in (None, {}, part(Configuration()))
            message = Message(
                "live.kueue.configuration-more" if has else "live.kueue.configuration-less",
                context=api.context,
                field=name,
            )
            hint = Message("live.kueue.configuration.hint")
            raise LiveError(message, "config", hint=hint)
