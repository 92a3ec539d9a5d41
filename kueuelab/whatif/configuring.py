"""Other values in Kueue's Configuration, and the levers that they are.

See https://kueue.sigs.k8s.io/docs/reference/kueue-config.v1beta2/.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from kueuelab.errors import NotModelledError
from kueuelab.messages import Message
from kueuelab.model import Configuration

__all__ = ["BLOCK_ADMISSION", "EXCLUDE", "STRATEGY", "Configure", "configured", "nested"]

EXCLUDE: Final = "resources.excludeResourcePrefixes"
STRATEGY: Final = "resources.quotaCheckStrategy"
BLOCK_ADMISSION: Final = "waitForPodsReady.blockAdmission"


@dataclass(frozen=True, slots=True)
class Configure:
    """Kueue is started again with other values in its Configuration: path to value."""

    values: Mapping[str, Any]


def configured(configuration: Configuration, values: Mapping[str, Any]) -> Configuration:
    """Return a Configuration with other values.

    Raises
    ------
    NotModelledError
        If it is a field that can't be another one in a run.

    Examples
    --------
    >>> configured(Configuration(), {STRATEGY: "IgnoreUndeclared"}).resources.quota_check_strategy
    'IgnoreUndeclared'
    """
    for path, value in values.items():
        if path not in _SETTERS:
            raise NotModelledError(Message("whatif.change.configure.not-modelled", path=path))
        configuration = _SETTERS[path](configuration, value)
    return configuration


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by path as YAML has them.

    Examples
    --------
    >>> nested({STRATEGY: "IgnoreUndeclared", EXCLUDE: ["example.com/"]})
    {'resources': {'quotaCheckStrategy': 'IgnoreUndeclared', \
'excludeResourcePrefixes': ['example.com/']}}
    """
    found: dict[str, Any] = {}
    for path, value in values.items():
        *way, last = path.split(".")
        place = found
        for step in way:
            place = place.setdefault(step, {})
        place[last] = value
    return found


def _with_prefixes(configuration: Configuration, value: Any) -> Configuration:
    resources = replace(configuration.resources, exclude_resource_prefixes=tuple(value))
    return replace(configuration, resources=resources)


def _with_strategy(configuration: Configuration, value: Any) -> Configuration:
    resources = replace(configuration.resources, quota_check_strategy=value)
    return replace(configuration, resources=resources)


def _with_blocking(configuration: Configuration, value: Any) -> Configuration:
    wait = configuration.wait_for_pods_ready
    if wait is None:
        return configuration
    return replace(configuration, wait_for_pods_ready=replace(wait, block_admission=value))


_SETTERS: Final[Mapping[str, Callable[[Configuration, Any], Configuration]]] = MappingProxyType(
    {EXCLUDE: _with_prefixes, STRATEGY: _with_strategy, BLOCK_ADMISSION: _with_blocking}
)
