"""The shape of Kueue's Configuration, and its rules in Kueue's words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from kueuelab.manifests.jobs.kinds import JOB_KINDS
from kueuelab.manifests.reading.paths import Path
from kueuelab.manifests.shapes.core import LABEL_SELECTOR
from kueuelab.manifests.shapes.golang import as_json
from kueuelab.manifests.shapes.multikueue import MULTI_KUEUE, external_frameworks
from kueuelab.manifests.shapes.operation import OPERATION
from kueuelab.manifests.shapes.shape import (
    ANYTHING,
    BOOLEAN,
    DURATION,
    TEXT,
    Integer,
    ListOf,
    MapOf,
    Mistake,
    Number,
    OneOf,
    QuantityShape,
    Record,
    Shape,
    Text,
)
from kueuelab.model import FEATURE_GATES

__all__ = ["CONFIGURATION", "OLD_CONFIGURATION"]

_COUNT: Final = Integer(minimum=0)
_FRAMEWORKS: Final = tuple(dict.fromkeys(kind.framework for kind in JOB_KINDS.values()))
_STRATEGIES: Final = ("LessThanOrEqualToFinalShare", "LessThanInitialShare")

#: What Kueue calls the field, whichever gate is wrong.
_GATES: Final = "featureGates"
#: In the order in which Go prints them.
_SELECTOR_FIELDS: Final = ("matchLabels", "matchExpressions", "key", "operator", "values")

#: Gates that need others: each has no effect unless these are enabled, too.
_NEEDS: Final = {
    "TASHandleOverlappingFlavors": ("TopologyAwareScheduling",),
    "TASFailedNodeReplacement": ("TopologyAwareScheduling",),
    "TASFailedNodeReplacementFailFast": ("TopologyAwareScheduling", "TASFailedNodeReplacement"),
    "TASReplaceNodeOnPodTermination": ("TopologyAwareScheduling", "TASFailedNodeReplacement"),
    "TASReplaceNodeDueToNotReadyOverFixedTime": (
        "TopologyAwareScheduling",
        "TASFailedNodeReplacement",
    ),
    "TASBalancedPlacement": ("TopologyAwareScheduling",),
    "TASReplaceNodeOnNodeTaints": ("TopologyAwareScheduling",),
    "TASMultiLayerTopology": ("TopologyAwareScheduling",),
    "TASRespectNodeAffinityPreferred": ("TopologyAwareScheduling",),
    "TASRecomputeAssignmentWithinSchedulingCycle": ("TopologyAwareScheduling",),
    "UnadmittedWorkloadsExplicitStatus": ("UnadmittedWorkloadsObservability",),
    "ElasticJobsViaWorkloadSlicesWithTAS": (
        "ElasticJobsViaWorkloadSlices",
        "TopologyAwareScheduling",
    ),
    "KueueDRAIntegrationExtendedResource": ("KueueDRAIntegration",),
    "KueueDRAIntegrationPartitionableDevices": ("KueueDRAIntegration",),
    "KueueDRAIntegrationConsumableCapacity": ("KueueDRAIntegration",),
}


class _FeatureGates:
    """Known gates with booleans; locked ones at their default."""

    def check(self, value: Any, path: Path, found: list[Mistake]) -> None:
        """Append what is wrong with ``value`` to ``found``."""
        before = len(found)
        MapOf(BOOLEAN).check(value, path, found)
        if len(found) > before:
            return
        for name, wanted in value.items():
            gate = FEATURE_GATES.get(name)
            if gate is None:
                message = f"Invalid value: {as_json(value)}: unrecognized feature gate: {name}"
                hint = _closest_gate(name)
                where = (*path, name)
                found.append(Mistake(where, message, hint, at_name=True, field=_GATES))
            elif gate.locked and wanted != gate.default:
                default = str(gate.default).lower()
                message = (
                    f"Invalid value: {as_json(value)}: cannot set feature gate {name} "
                    f"to {str(wanted).lower()}, feature is locked to {default}"
                )
                found.append(Mistake(path, message, f"Leave {name} out"))
        if len(found) == before:
            found.extend(_needed_gates(value, path))


def _closest_gate(name: str) -> str:
    from difflib import get_close_matches  # only a mistake needs it

    close = get_close_matches(name[:80], list(FEATURE_GATES), n=1)
    return f"Did you mean '{close[0]}'?" if close else "Kueue v0.19 has no such gate"


def _needed_gates(value: Mapping[str, bool], path: Path) -> Iterable[Mistake]:
    def enabled(name: str) -> bool:
        return value.get(name, FEATURE_GATES[name].default)

    if not enabled("TopologyAwareScheduling") and enabled("TASProfileMixed"):
        message = "Invalid value: 1: cannot use a TAS profile with TAS disabled"
        hint = "Set TASProfileMixed to false, too"
        yield Mistake((*path, "TopologyAwareScheduling"), message, hint, field=_GATES)
    for name, needed in _NEEDS.items():
        for other in needed:
            if enabled(name) and not enabled(other):
                where = name if name in value else other
                message = f'Invalid value: "{name}": {name} requires {other} to be enabled'
                yield Mistake((*path, where), message, f"Set {name} to false, too", field=_GATES)


def _needed_strategies(fair_sharing: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    if not fair_sharing.get("preemptionStrategies"):
        hint = f"Write preemptionStrategies: [{', '.join(_STRATEGIES)}]"
        message = "Required value: must be specified"
        yield Mistake((*path, "preemptionStrategies"), message, hint)


def _known_strategies(fair_sharing: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    strategies = list(fair_sharing.get("preemptionStrategies") or ())
    allowed = [[_STRATEGIES[0]], [_STRATEGIES[1]], list(_STRATEGIES)]
    if strategies and strategies not in allowed:
        supported = ", ".join(f'"{",".join(names)}"' for names in allowed)
        message = f"Unsupported value: {as_json(strategies)}: supported values: {supported}"
        yield Mistake((*path, "preemptionStrategies"), message)


def _prefixes_or_strategy(resources: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    ignore = resources.get("quotaCheckStrategy") == "IgnoreUndeclared"
    if ignore and resources.get("excludeResourcePrefixes"):
        message = (
            'Invalid value: "IgnoreUndeclared": excludeResourcePrefixes is not allowed when '
            "quotaCheckStrategy is IgnoreUndeclared"
        )
        yield Mistake((*path, "quotaCheckStrategy"), message)


def _not_kueues_own_namespaces(configuration: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
    from kueuelab.manifests.decode.meta import label_selector  # only where there is a selector

    selector = label_selector(configuration.get("managedJobsNamespaceSelector"))
    if selector is None:
        return
    for namespace in ("kube-system", configuration.get("namespace") or "kueue-system"):
        if selector.matches({"kubernetes.io/metadata.name": namespace}):
            shown = as_json(configuration["managedJobsNamespaceSelector"], _SELECTOR_FIELDS)
            message = f'Invalid value: {shown}: should not match the "{namespace}" namespace'
            yield Mistake((*path, "managedJobsNamespaceSelector"), message)


class _Weights:
    """Weights of resources, of which none is negative."""

    def check(self, value: Any, path: Path, found: list[Mistake]) -> None:
        """Append what is wrong with ``value`` to ``found``."""
        before = len(found)
        MapOf(Number()).check(value, path, found)
        if len(found) > before:
            return
        for name, weight in value.items():
            if weight < 0:
                message = f"Invalid value: {as_json(value)}: must be greater than or equal to 0"
                found.append(Mistake((*path, name), message))


def _external_job_kinds(configuration: Mapping[str, Any], path: Path) -> Iterable[Mistake]:
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
            yield Mistake(here, message, "For instance PipelineRun.v1.tekton.dev")
        elif name in managed:
            yield Mistake(here, f'Duplicate value: "{name}"')
        managed.add(name)


_REQUEUING: Final = Record(
    {
        "timestamp": OneOf(("Creation", "Eviction")),
        "backoffLimitCount": _COUNT,
        "backoffBaseSeconds": _COUNT,
        "backoffMaxSeconds": _COUNT,
    }
)
_WAIT_FOR_PODS_READY: Final = Record(
    {
        "timeout": DURATION,
        "blockAdmission": BOOLEAN,
        "recoveryTimeout": DURATION,
        "requeuingStrategy": _REQUEUING,
    },
)
_FAIR_SHARING: Final = Record(
    {"preemptionStrategies": ListOf(TEXT)}, rules=(_needed_strategies, _known_strategies)
)
#: The older one has both strategies where none is written.
_OLD_FAIR_SHARING: Final = Record(
    {"enable": BOOLEAN, "preemptionStrategies": ListOf(TEXT)}, rules=(_known_strategies,)
)
_TRANSFORMATION: Final = Record(
    {
        "input": Text(shortest=1),
        "strategy": OneOf(("Retain", "Replace")),
        "multiplyBy": TEXT,
        "outputs": MapOf(QuantityShape()),
    },
    required=("input",),
)
_RESOURCES: Final = Record(
    {
        "quotaCheckStrategy": OneOf(("BlockUndeclared", "IgnoreUndeclared")),
        "excludeResourcePrefixes": ListOf(TEXT),
        "transformations": ListOf(_TRANSFORMATION, unique_by="input"),
        "deviceClassMappings": ListOf(
            Record(
                {
                    "name": Text(shortest=1),
                    "deviceClassNames": ListOf(TEXT, most=8, least=1),
                    "sources": ANYTHING,
                },
                required=("name", "deviceClassNames"),
            ),
            most=16,
            unique_by="name",
        ),
    },
    rules=(_prefixes_or_strategy,),
)

_FIELDS: Final[Mapping[str, Shape]] = {
    "apiVersion": TEXT,
    "kind": TEXT,
    "metadata": ANYTHING,
    "namespace": TEXT,
    "manageJobsWithoutQueueName": BOOLEAN,
    "managedJobsNamespaceSelector": LABEL_SELECTOR,
    "waitForPodsReady": _WAIT_FOR_PODS_READY,
    "fairSharing": _FAIR_SHARING,
    "admissionFairSharing": Record(
        {
            "usageHalfLifeTime": DURATION,
            "usageSamplingInterval": DURATION,
            "resourceWeights": _Weights(),
        },
    ),
    "multiKueue": MULTI_KUEUE,
    "resources": _RESOURCES,
    "featureGates": _FeatureGates(),
    "objectRetentionPolicies": Record(
        {"workloads": Record({"afterFinished": DURATION, "afterDeactivatedByKueue": DURATION})}
    ),
    "integrations": Record(
        {
            "frameworks": ListOf(OneOf(_FRAMEWORKS), unique_by=""),
            "externalFrameworks": ListOf(TEXT),
            "labelKeysToCopy": ListOf(TEXT),
        }
    ),
    **OPERATION,
}
_RULES: Final = (_not_kueues_own_namespaces, external_frameworks, _external_job_kinds)

#: Kueue's Configuration, v1beta2.
CONFIGURATION: Final = Record(_FIELDS, rules=_RULES)

#: Kueue's Configuration, v1beta1: fair sharing and ready pods had switches of their own.
OLD_CONFIGURATION: Final = Record(
    {
        **_FIELDS,
        "waitForPodsReady": _WAIT_FOR_PODS_READY.with_fields({"enable": BOOLEAN}),
        "fairSharing": _OLD_FAIR_SHARING,
        "integrations": Record(
            {
                "frameworks": ListOf(OneOf(_FRAMEWORKS), unique_by=""),
                "externalFrameworks": ListOf(TEXT),
                "labelKeysToCopy": ListOf(TEXT),
                "podOptions": ANYTHING,
            }
        ),
        "queueVisibility": ANYTHING,
    },
    rules=_RULES,
)
