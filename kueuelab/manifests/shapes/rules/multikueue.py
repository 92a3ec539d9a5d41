"""The rules of the ``multiKueue`` section of Kueue's Configuration, in Kueue's words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kueuelab.manifests.jobs.kinds import JOB_KINDS
from kueuelab.manifests.reading.paths import Path
from kueuelab.manifests.shapes.mistake import Mistake, Rule, as_json
from kueuelab.messages import Message
from kueuelab.model.times import parse_duration

__all__ = ["MULTI_KUEUE_RULES"]

_INCREMENTAL: Final = "kueue.x-k8s.io/multikueue-dispatcher-incremental"
_INTERACTIVE: Final = ("Never", "IfAvailable", "Always")
_NEEDED: Final = "Required value: must be specified"


def _not_negative(multi_kueue: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    """Yield durations below zero; Kueue prints them in nanoseconds."""
    for name in ("gcInterval", "workerLostTimeout"):
        value = str(multi_kueue.get(name) or "")
        if value.startswith("-"):
            nanoseconds = parse_duration(value.removeprefix("-"))
            words = f"Invalid value: -{nanoseconds}: must be greater than or equal to 0"
            yield Mistake((*path, name), words)


def _step_size(multi_kueue: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    config = multi_kueue.get("incrementalDispatcherConfig")
    if config is None:
        return
    size = config.get("stepSize")
    if size is not None and size < 1:
        words = f"Invalid value: {size}: must be greater than or equal to 1"
        yield Mistake((*path, "incrementalDispatcherConfig", "stepSize"), words)
    elif multi_kueue.get("dispatcherName") != _INCREMENTAL:
        words = (
            f"Invalid value: {as_json(config)}: incrementalDispatcherConfig is only valid when "
            "dispatcherName is set to the incremental dispatcher"
        )
        hint = Message("manifests.multikueue.not-incremental.hint", incremental=_INCREMENTAL)
        yield Mistake((*path, "incrementalDispatcherConfig"), words, hint)


def _cluster_profile(multi_kueue: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
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


def _exec_config(config: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
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


def _external_frameworks(configuration: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
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
            yield Mistake(here, message, Message("manifests.configuration.external-framework.hint"))
            continue
        if parts in seen:
            yield Mistake(here, f'Duplicate value: "{name}"')
        seen.add(parts)
        if parts in built_in:
            message = f'Invalid value: "{name}": conflicts with a built-in MultiKueue adapter'
            yield Mistake(here, message, Message("manifests.multikueue.own-adapter.hint"))


MULTI_KUEUE_RULES: Final[Mapping[str, Rule]] = {
    "not-negative": _not_negative,
    "step-size": _step_size,
    "cluster-profile": _cluster_profile,
    "multikueue-frameworks": _external_frameworks,
}
