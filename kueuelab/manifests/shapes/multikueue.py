"""The ``multiKueue`` section of Kueue's Configuration, and its rules in Kueue's words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from kueuelab.manifests.jobs.kinds import JOB_KINDS
from kueuelab.manifests.reading.paths import Path
from kueuelab.manifests.shapes.names import label_value
from kueuelab.manifests.shapes.shape import (
    ANYTHING,
    DURATION,
    TEXT,
    Integer,
    ListOf,
    Mistake,
    Record,
    Text,
)
from kueuelab.model.times import parse_duration

__all__ = ["MULTI_KUEUE", "external_frameworks"]

_INCREMENTAL: Final = "kueue.x-k8s.io/multikueue-dispatcher-incremental"
_INTERACTIVE: Final = ("Never", "IfAvailable", "Always")
_NEEDED: Final = "Required value: must be specified"


class _NanosecondDuration:
    """A duration that Kueue, not the API, checks: it calls negative ones by their number."""

    def check(self, value: Any, path: Path, found: list[Mistake]) -> None:
        """Append what is wrong with ``value`` to ``found``."""
        before = len(found)
        DURATION.check(value, path, found)
        if len(found) == before or not isinstance(value, str) or not value.startswith("-"):
            return
        nanoseconds = parse_duration(value.removeprefix("-"))
        message = f"Invalid value: -{nanoseconds}: must be greater than or equal to 0"
        found[before:] = [Mistake(path, message, found[before].hint)]


class _StepSize:
    """A whole number from 1, in the words of Kueue's own check."""

    def check(self, value: Any, path: Path, found: list[Mistake]) -> None:
        """Append what is wrong with ``value`` to ``found``."""
        before = len(found)
        Integer(minimum=1).check(value, path, found)
        if len(found) > before and type(value) is int and value < 1:
            message = f"Invalid value: {value}: must be greater than or equal to 1"
            found[before:] = [Mistake(path, message)]


def _step_size_needs_dispatcher(multi_kueue: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    config = multi_kueue.get("incrementalDispatcherConfig")
    if config is None or multi_kueue.get("dispatcherName") == _INCREMENTAL:
        return
    given = json.dumps(config, sort_keys=True, separators=(",", ":"))
    message = (
        f"Invalid value: {given}: incrementalDispatcherConfig is only valid when "
        "dispatcherName is set to the incremental dispatcher"
    )
    hint = f"Set dispatcherName to {_INCREMENTAL}"
    yield Mistake((*path, "incrementalDispatcherConfig"), message, hint)


def _cluster_profile(multi_kueue: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    """Providers of access to ClusterProfiles; Kueue checks them without saying which."""
    profile = multi_kueue.get("clusterProfile") or {}
    new, old = profile.get("accessProviders") or (), profile.get("credentialsProviders") or ()
    if new and old:
        message = "Forbidden: must not be specified when accessProviders is specified"
        yield Mistake((*path, "clusterProfile", "credentialsProviders"), message)
    here = (*path, "clusterProfile", "accessProviders" if new else "credentialsProviders")
    for provider in new or old:
        if not provider.get("name"):
            yield Mistake((*here, "name"), _NEEDED)
        yield from _exec_config(provider.get("execConfig") or {}, (*here, "execConfig"))


def _exec_config(config: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    for name in ("command", "apiVersion"):
        if not config.get(name):
            yield Mistake((*path, name), _NEEDED)
    for variable in config.get("env") or ():
        if not variable.get("name"):
            yield Mistake((*path, "env", "name"), _NEEDED)
    mode = config.get("interactiveMode") or ""
    if not mode:
        yield Mistake((*path, "interactiveMode"), _NEEDED)
    elif mode not in _INTERACTIVE:
        supported = ", ".join(f'"{name}"' for name in sorted(_INTERACTIVE))
        message = f'Unsupported value: "{mode}": supported values: {supported}'
        yield Mistake((*path, "interactiveMode"), message)


def external_frameworks(configuration: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    """Yield what is wrong with the kinds of jobs that adapters are to be made for."""
    frameworks = (configuration.get("multiKueue") or {}).get("externalFrameworks") or ()
    integrations = configuration.get("integrations") or {}
    enabled = integrations.get("frameworks") or ("batch/job",)
    built_in = {
        (kind.kind, kind.version, kind.group)
        for kind in JOB_KINDS.values()
        if kind.framework in enabled
        and kind.multikueue is not None
        and kind.multikueue.delegation != "ThroughPods"
    }
    seen: set[tuple[str, ...]] = set()
    for index, framework in enumerate(frameworks):
        name = str(framework.get("name") or "")
        here = (*path, "multiKueue", "externalFrameworks", index, "name")
        parts = tuple(name.split(".", 2))
        if len(parts) < 3:
            message = f"Invalid value: \"{name}\": must be in 'kind.version.group' format"
            yield Mistake(here, message, "For instance PipelineRun.v1.tekton.dev")
            continue
        if parts in seen:
            yield Mistake(here, f'Duplicate value: "{name}"')
        seen.add(parts)
        if parts in built_in:
            message = f'Invalid value: "{name}": conflicts with a built-in MultiKueue adapter'
            yield Mistake(here, message, "Leave it out; Kueue has an adapter of its own")


_PROVIDERS: Final = ListOf(Record({"name": TEXT, "execConfig": ANYTHING}))

#: The section.
MULTI_KUEUE: Final = Record(
    {
        "gcInterval": _NanosecondDuration(),
        "origin": Text(valid=label_value),
        "workerLostTimeout": _NanosecondDuration(),
        "dispatcherName": TEXT,
        "externalFrameworks": ListOf(Record({"name": TEXT})),
        "clusterProfile": Record(
            {"accessProviders": _PROVIDERS, "credentialsProviders": _PROVIDERS}
        ),
        "incrementalDispatcherConfig": Record({"stepSize": _StepSize()}),
    },
    rules=(_step_size_needs_dispatcher, _cluster_profile),
)
