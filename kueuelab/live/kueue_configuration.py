"""Whether Kueue in a cluster is configured as a scenario wants it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import yaml

from kueuelab.live.api import ClusterApi
from kueuelab.live.clusters.layout import configuration_map
from kueuelab.live.errors import NotPlayableError
from kueuelab.live.snapshot import read_configuration, read_configuration_text
from kueuelab.manifests import load_scenario
from kueuelab.manifests.decode import decode_configuration
from kueuelab.manifests.encode import encode_configuration
from kueuelab.manifests.writing import write_yaml
from kueuelab.messages import Message
from kueuelab.model import RELEASE, Configuration, Release, WaitForPodsReady

__all__ = [
    "configuration_of",
    "configuration_text",
    "installed_configuration",
    "is_configured",
    "require_configuration",
]

#: What of a Configuration decides while a scenario is played, under the names of its fields.
_DECIDES: Final[tuple[tuple[str, Callable[[Configuration], Any]], ...]] = (
    ("fairSharing", lambda c: c.fair_sharing),
    ("admissionFairSharing", lambda c: c.admission_fair_sharing),
    ("waitForPodsReady", lambda c: _named_wait(c)),
    ("resources", lambda c: c.resources),
    ("featureGates", lambda c: dict(c.gates)),
)


def installed_configuration(release: Release) -> Configuration:
    """Return how Kueue is configured by a Configuration that names nothing."""
    return decode_configuration(release.installed).of_release(release)


def _named_wait(configuration: Configuration) -> WaitForPodsReady | None:
    """Return ``waitForPodsReady``, ``None`` if it is as Kueue has it where nothing names it."""
    wait = configuration.wait_for_pods_ready
    as_installed = installed_configuration(configuration.release).wait_for_pods_ready
    return None if wait == as_installed else wait


def configuration_of(
    api: ClusterApi, notes: list[str], release: Release = RELEASE
) -> Configuration | None:
    """Return Kueue's Configuration in a cluster; ``None`` and a note if it cannot be read.

    Raises
    ------
    LiveError
        If the cluster does not answer.
    """
    found = read_configuration(api, notes, release)
    return load_scenario(found, release=release).configuration if found else None


def _difference(there: Configuration, wanted: Configuration) -> str:
    """Return the first field that decides and is another one; ``""`` if there is none."""
    return next((name for name, part in _DECIDES if part(there) != part(wanted)), "")


def is_configured(api: ClusterApi, wanted: Configuration) -> bool:
    """Tell whether Kueue in a cluster decides as a Configuration says, as far as it can be read."""
    there = configuration_of(api, [], wanted.release)
    return there is None or not _difference(there, wanted)


def configuration_text(text: str, wanted: Configuration) -> str:
    r"""Return a Configuration with what decides as another one has it, and all else as it is.

    Raises
    ------
    NotPlayableError
        If the text is no Configuration, or one of an older version.

    Examples
    --------
    >>> from kueuelab.model import FairSharing
    >>> text = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nhealth: {}\n"
    >>> print(configuration_text(text, Configuration(fair_sharing=FairSharing())), end="")
    apiVersion: config.kueue.x-k8s.io/v1beta2
    kind: Configuration
    health: {}
    fairSharing:
      preemptionStrategies:
      - LessThanOrEqualToFinalShare
      - LessThanInitialShare
    """
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError:
        document = None
    version = document.get("apiVersion") if isinstance(document, dict) else None
    if not isinstance(document, dict) or version != RELEASE.configuration_version:
        message = Message("live.kueue.configuration-version", version=RELEASE.configuration_version)
        raise NotPlayableError(message, "config")
    encoded = encode_configuration(wanted)
    for name, part in _DECIDES:
        document.pop(name, None)
        if name in encoded and part(wanted) not in (None, {}):
            document[name] = encoded[name]
    return write_yaml([document])


def require_configuration(api: ClusterApi, wanted: Configuration) -> None:
    """Refuse a cluster whose Kueue would decide by other rules than a scenario's.

    Raises
    ------
    NotPlayableError
        If its Configuration can be read, and differs in what decides. The hint has the ConfigMap
        to apply.
    """
    there = configuration_of(api, [], wanted.release)
    field = "" if there is None else _difference(there, wanted)
    if not field:
        return
    part = dict(_DECIDES)[field]
    has = part(wanted) in (None, {}, part(Configuration()))
    message = Message(
        "live.kueue.configuration-more" if has else "live.kueue.configuration-less",
        context=api.context,
        field=field,
    )
    hint = Message("live.kueue.configuration.hint", context=api.context, map=_map_with(api, wanted))
    raise NotPlayableError(message, "config", hint=hint)


def _map_with(api: ClusterApi, wanted: Configuration) -> str:
    """Return the ConfigMap that gives Kueue what a scenario wants, and keeps all else."""
    try:
        return configuration_map(configuration_text(read_configuration_text(api), wanted))
    except NotPlayableError:
        return configuration_map(write_yaml([encode_configuration(wanted)]))
