"""The rules of Kueue's Configuration, in Kueue's words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from kueuelab.manifests.jobs.kinds import JOB_KINDS
from kueuelab.manifests.reading.paths import Path
from kueuelab.manifests.shapes.mistake import Mistake, Rule, as_json, closest, unsupported
from kueuelab.manifests.shapes.rules.device_classes import device_class_mappings
from kueuelab.messages import Message
from kueuelab.model.releases import RELEASE, RELEASES

__all__ = ["CONFIGURATION_RULES"]

_FRAMEWORKS: Final = tuple(dict.fromkeys(kind.framework for kind in JOB_KINDS.values()))
_STRATEGIES: Final = ("LessThanOrEqualToFinalShare", "LessThanInitialShare")

#: What Kueue calls the field, whichever gate is wrong.
_GATES: Final = "featureGates"
#: In the order in which Go prints them.
_SELECTOR_FIELDS: Final = ("matchLabels", "matchExpressions", "key", "operator", "values")


def _feature_gates(value: Mapping[str, bool], path: Path) -> Iterator[Mistake]:
    """Yield unknown gates, and locked ones that are not at their default."""
    sound = True
    for name, wanted in value.items():
        gate = RELEASE.gates.get(name)
        if gate is None and any(name in each.gates for each in RELEASES.values()):
            continue  # Where it is used, it is said that this release has no such gate.
        if gate is None:
            words = f"Invalid value: {as_json(value)}: unrecognized feature gate: {name}"
            hint = _closest_gate(name)
            yield Mistake((*path, name), words, hint, at_name=True, field=_GATES)
        elif gate.locked and wanted != gate.default:
            default = str(gate.default).lower()
            words = (
                f"Invalid value: {as_json(value)}: cannot set feature gate {name} "
                f"to {str(wanted).lower()}, feature is locked to {default}"
            )
            yield Mistake(
                path, words, Message("manifests.configuration.unknown-gate.hint", name=name)
            )
        else:
            continue
        sound = False
    if sound:
        yield from _needed_gates(value, path)


def _closest_gate(name: str) -> str:
    return closest(name, tuple(RELEASE.gates)) or Message(
        "manifests.configuration.unknown-gate", minor=RELEASE.minor
    )


def _needed_gates(value: Mapping[str, bool], path: Path) -> Iterator[Mistake]:
    def enabled(name: str) -> bool:
        return value.get(name, RELEASE.gates[name].default)

    if not enabled("TopologyAwareScheduling") and enabled("TASProfileMixed"):
        message = "Invalid value: 1: cannot use a TAS profile with TAS disabled"
        hint = Message("manifests.configuration.needs-profile-off.hint")
        yield Mistake((*path, "TopologyAwareScheduling"), message, hint, field=_GATES)
    for name, gate in RELEASE.gates.items():
        for other in gate.needs:
            if enabled(name) and not enabled(other):
                where = name if name in value else other
                message = f'Invalid value: "{name}": {name} requires {other} to be enabled'
                yield Mistake(
                    (*path, where),
                    message,
                    Message("manifests.configuration.needs-gate-off.hint", name=name),
                    field=_GATES,
                )


def _needed_strategies(fair_sharing: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    if not fair_sharing.get("preemptionStrategies"):
        hint = Message("manifests.shapes.write-strategies", strategies=", ".join(_STRATEGIES))
        message = "Required value: must be specified"
        yield Mistake((*path, "preemptionStrategies"), message, hint)


def _known_strategies(fair_sharing: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    strategies = list(fair_sharing.get("preemptionStrategies") or ())
    allowed = [[_STRATEGIES[0]], [_STRATEGIES[1]], list(_STRATEGIES)]
    if strategies and strategies not in allowed:
        supported = ", ".join(f'"{",".join(names)}"' for names in allowed)
        message = f"Unsupported value: {as_json(strategies)}: supported values: {supported}"
        yield Mistake((*path, "preemptionStrategies"), message)


def _prefixes_or_strategy(resources: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    ignore = resources.get("quotaCheckStrategy") == "IgnoreUndeclared"
    if ignore and resources.get("excludeResourcePrefixes"):
        message = (
            'Invalid value: "IgnoreUndeclared": excludeResourcePrefixes is not allowed when '
            "quotaCheckStrategy is IgnoreUndeclared"
        )
        yield Mistake((*path, "quotaCheckStrategy"), message)


def _not_kueues_own_namespaces(configuration: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    from kueuelab.manifests.decode.meta import label_selector  # only where there is a selector

    selector = label_selector(configuration.get("managedJobsNamespaceSelector"))
    if selector is None:
        return
    for namespace in ("kube-system", configuration.get("namespace") or "kueue-system"):
        if selector.matches({"kubernetes.io/metadata.name": namespace}):
            shown = as_json(configuration["managedJobsNamespaceSelector"], _SELECTOR_FIELDS)
            message = f'Invalid value: {shown}: should not match the "{namespace}" namespace'
            yield Mistake((*path, "managedJobsNamespaceSelector"), message)


def _weights(value: Mapping[str, float], path: Path) -> Iterator[Mistake]:
    for name, weight in value.items():
        if weight < 0:
            words = f"Invalid value: {as_json(value)}: must be greater than or equal to 0"
            yield Mistake((*path, name), words)


def _frameworks(names: Sequence[str], path: Path) -> Iterator[Mistake]:
    for index, name in enumerate(names):
        yield from unsupported(name, _FRAMEWORKS, (*path, index))


def _external_job_kinds(configuration: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    """Yield what is wrong with the kinds of jobs that others integrate."""
    integrations = configuration.get("integrations") or {}
    enabled = integrations.get("frameworks") or ("batch/job",)
    managed = {
        f"{kind.kind}.{kind.version}.{kind.group}"
        for kind in JOB_KINDS.values()
        if kind.framework in enabled
    }
    for index, name in enumerate(integrations.get("externalFrameworks") or ()):
        here = (*path, "integrations", "externalFrameworks", index)
        if name.count(".") < 2:
            message = f"Invalid value: \"{name}\": must be format, 'Kind.version.group.com'"
            yield Mistake(here, message, Message("manifests.configuration.external-framework.hint"))
        elif name in managed:
            yield Mistake(here, f'Duplicate value: "{name}"')
        managed.add(name)


CONFIGURATION_RULES: Final[Mapping[str, Rule]] = {
    "managed-namespaces": _not_kueues_own_namespaces,
    "external-frameworks": _external_job_kinds,
    "device-classes": device_class_mappings,
    "strategies-required": _needed_strategies,
    "strategies-known": _known_strategies,
    "prefixes-or-strategy": _prefixes_or_strategy,
    "feature-gates": _feature_gates,
    "weights": _weights,
    "frameworks": _frameworks,
}
