"""The feature gates of a release: what the lab makes of each, and what flipping one changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Literal

from kueuelab.errors import InputError, Problem
from kueuelab.manifests.scenario import ScenarioSpec
from kueuelab.messages import Catalog, Message
from kueuelab.model import FeatureGate, Release
from kueuelab.trace.diff import Diff, diff
from kueuelab.whatif.upgrade import played

__all__ = ["GATES_NOT_FLIPPED", "GATES_WITHOUT_EFFECT", "Flip", "flips", "treatment"]

Treatment = Literal["both", "default", "nothing"]

#: Gates that change nothing that the lab shows, each with the reason: ``metrics``, ``speed`` (the
#: same decisions, sooner), ``writes`` (how an object is written, not what it says), ``connection``
#: (TLS, files and clients of controllers), ``ray`` (finalizers of Ray's own objects), ``updates``
#: (of jobs that a scenario submits and never edits), ``names`` (two Workloads of one name),
#: ``served`` (what a RayService serves), ``custom`` (kinds of jobs without an integration),
#: ``stuck`` (pods that never stop).
GATES_WITHOUT_EFFECT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "VisibilityOnDemand": "connection",
        "LocalQueueMetrics": "metrics",
        "MultiKueueAllowInsecureKubeconfigs": "connection",
        "TLSOptions": "connection",
        "RemoveFinalizersWithStrictPatch": "writes",
        "CustomMetricLabels": "metrics",
        "MetricForWorkloadCreationLatency": "metrics",
        "MetricsForCohorts": "metrics",
        "CleanupProvisioningRequestsOnEviction": "writes",
        "DeferRayServiceFinalizationForRedisCleanup": "ray",
        "TASCachingRemainingResources": "speed",
        "TASCacheTopologyTree": "speed",
        "VectorizedResourceRequests": "speed",
        "SkipAncestorCheckForDeletedWorkloads": "writes",
        "SkipFinalizersForPodsSuspendedByParent": "writes",
        "AssignQueueLabelsForPods": "writes",
        "LWSImmutableGroupSize": "updates",
        "ValidateRayAndSparkJobUpdates": "updates",
        "PodIntegrationValidateGroupOwner": "names",
        "MultiKueueRemoteSpecSync": "served",
        "MultiKueueAdaptersForCustomJobs": "custom",
        "FailureRecoveryPolicy": "stuck",
    }
)

#: Gates whose default alone is modelled: with the other value, plugins of kube-scheduler decide.
GATES_NOT_FLIPPED: Final = frozenset(("SchedulerLibraryIntegration",))


@dataclass(frozen=True, slots=True)
class Flip:
    """What changes where one gate has its other value.

    Attributes
    ----------
    gate
        The gate.
    value
        The value that was tried.
    decisions
        What differs from the run with the value that the Configuration gives it; ``None`` if
        objects are refused with this value.
    refused
        The problems of the objects that are refused.
    """

    gate: FeatureGate
    value: bool
    decisions: Diff | None
    refused: tuple[Problem, ...] = ()


def treatment(gate: FeatureGate) -> Treatment:
    """Return what the lab makes of a gate: both values, its default alone, or nothing at all.

    Examples
    --------
    >>> treatment(FeatureGate("PartialAdmission", True, "Beta"))
    'both'
    >>> treatment(FeatureGate("LocalQueueMetrics", True, "Beta"))
    'nothing'
    """
    if gate.name in GATES_WITHOUT_EFFECT:
        return "nothing"
    return "default" if gate.locked or gate.name in GATES_NOT_FLIPPED else "both"


def why(gate: FeatureGate) -> str:
    """Return why a gate has one value only, or changes nothing here; ``""`` if both count."""
    match treatment(gate):
        case "nothing":
            return Message(f"whatif.gates.nothing.{GATES_WITHOUT_EFFECT[gate.name]}")
        case "default" if gate.locked:
            return Message("whatif.gates.locked")
        case "default":
            return Message("whatif.gates.default")
        case _:
            return ""


def flips(
    load: Callable[[Release], ScenarioSpec], release: Release, catalog: Catalog | None = None
) -> Iterator[Flip]:
    """Play the same once for each gate that the lab models, with its other value.

    Parameters
    ----------
    load
        Reads what is played, as a release reads it.
    release
        The release whose gates are flipped.

    Yields
    ------
    Flip
        For each gate that decides something, ends a workload elsewhere, or has objects refused;
        gates that do not matter here are left out.

    Examples
    --------
    >>> from kueuelab.model import RELEASE
    >>> list(flips(lambda release: ScenarioSpec(name="empty"), RELEASE))
    []
    """
    spec = load(release)
    run = played(spec)
    for gate in release.gates.values():
        if treatment(gate) != "both":
            continue
        value = not spec.configuration.gates[gate.name]
        try:
            flipped = load(release.with_gate(replace(gate, default=value)))
        except InputError as error:
            yield Flip(gate, value, None, tuple(error.problems))
            continue
        if gate.name in flipped.configuration.gates.overrides:
            flipped = _set(flipped, gate.name, value)
        found = diff(run, played(flipped), catalog)
        if found.decides_otherwise:
            yield Flip(gate, value, found)


def _set(spec: ScenarioSpec, gate: str, value: bool) -> ScenarioSpec:
    """Return a scenario whose Configuration sets a gate to a value."""
    configuration = spec.configuration
    gates = type(configuration.gates)(
        {**configuration.gates.overrides, gate: value}, configuration.release
    )
    return replace(spec, configuration=replace(configuration, gates=gates))
