"""The frameworks of a Configuration, and whether clusters serve their kinds.

A manager is connected with a worker once it watches every kind there that MultiKueue can
delegate and ``integrations.frameworks`` of the manager names, used or not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import yaml

from kueuelab.live.clusters.layout import NAMESPACE
from kueuelab.live.errors import LiveError
from kueuelab.manifests.jobs.kinds import JOB_KINDS, JobKind
from kueuelab.manifests.writing import write_yaml
from kueuelab.messages import Message
from kueuelab.multikueue.adapters import has_adapter

__all__ = ["FIELD", "kind_in", "not_served", "trimmed", "unwatchable"]

FIELD: Final = "integrations.frameworks"
_NO_MATCH: Final = re.compile(r'no matches for kind "(\w+)"')
_KINDS: Final = {kind.framework: kind for kind in JOB_KINDS.values()}
#: What Kueue takes where a Configuration names none.
_DEFAULT: Final = ("batch/job",)


def _frameworks(configuration: Mapping[str, Any]) -> list[str]:
    integrations = configuration.get("integrations")
    listed = integrations.get("frameworks") if isinstance(integrations, Mapping) else None
    return [str(name) for name in listed] if isinstance(listed, list) else list(_DEFAULT)


def _parsed(configuration: str) -> dict[str, Any]:
    try:
        found = yaml.safe_load(configuration)
    except yaml.YAMLError:
        return {}  # Kueue says what is wrong with it
    return found if isinstance(found, dict) else {}


def not_served(configuration: str, serves: Callable[[JobKind], bool]) -> tuple[JobKind, ...]:
    """Return the kinds that a manager watches on a worker that does not serve them.

    Parameters
    ----------
    configuration
        The manager's Configuration, as text.
    serves
        Tells whether the worker serves a kind.

    Examples
    --------
    >>> text = "integrations: {frameworks: [batch/job, kubeflow.org/mpijob]}"
    >>> [kind.kind for kind in not_served(text, lambda kind: kind.kind == "Job")]
    ['MPIJob']
    """
    named = [_KINDS[name] for name in _frameworks(_parsed(configuration)) if name in _KINDS]
    return tuple(kind for kind in named if has_adapter(kind) and not serves(kind))


def kind_in(message: str) -> tuple[JobKind, ...]:
    """Return the kind that a MultiKueueCluster misses on its worker, by its message.

    Examples
    --------
    >>> (kind,) = kind_in('no matches for kind "MPIJob" in version "kubeflow.org/v2beta1"')
    >>> kind.framework
    'kubeflow.org/mpijob'
    """
    found = _NO_MATCH.search(message)
    return tuple(kind for kind in _KINDS.values() if found and kind.kind == found[1])


def trimmed(configuration: str, serves: Callable[[JobKind], bool]) -> str:
    """Return a Configuration without the frameworks that are not served; as it was if all are.

    Examples
    --------
    >>> text = "integrations: {frameworks: [batch/job, kubeflow.org/mpijob]}"
    >>> print(trimmed(text, lambda kind: kind.kind == "Job"), end="")
    integrations:
      frameworks:
      - batch/job
    """
    parsed = _parsed(configuration)
    named = _frameworks(parsed)
    kept = [name for name in named if name not in _KINDS or serves(_KINDS[name])]
    if kept == named:
        return configuration
    integrations = {**(parsed.get("integrations") or {}), "frameworks": kept}
    return write_yaml([{**parsed, "integrations": integrations}])


def unwatchable(manager: str, worker: str, kinds: Sequence[JobKind]) -> LiveError:
    """Return the error for kinds that a manager watches and a worker does not serve."""
    names = ", ".join(f"{kind.kind} ({kind.framework})" for kind in kinds)
    message = Message(
        "live.connect.kind-not-served", worker=worker, names=names, manager=manager, field=FIELD
    )
    hint = Message(
        "live.connect.kind-not-served.hint",
        count=len(kinds),
        field=FIELD,
        namespace=NAMESPACE,
        manager=manager,
        worker=worker,
    )
    return LiveError(message, "missing", hint=hint)
