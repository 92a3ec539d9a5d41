"""What a release of Kueue is: the facts that belong to one version and change with the next."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final, Literal

__all__ = ["RULES", "FeatureGate", "Release", "other_gates"]

Stage = Literal["Alpha", "Beta", "GA", "Deprecated"]

_GROUP: Final = "kueue.x-k8s.io"

#: What releases decide otherwise without a gate for it: attributes of a Release, each with the pull
#: request of Kueue that changed it.
RULES: Final[Mapping[str, int]] = MappingProxyType(
    {
        "admin_access_counts_nothing": 13642,
        "follows_check_parameters": 10229,
        "layers_need_gate": 12880,
        "tells_of_missing_class": 13775,
        "topology_flavors_may_change": 13738,
        "topology_levels_may_change": 13910,
        "warns_of_negative_sub_groups": 13101,
    }
)


@dataclass(frozen=True, slots=True)
class FeatureGate:
    """A gate's default and stage. A locked gate can't be set to anything else.

    ``needs`` are the gates without which Kueue does not start when this one is enabled.
    """

    name: str
    default: bool
    stage: Stage
    locked: bool = False
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """A release of Kueue.

    Rooms above the model add what they know of it in a mapping from the release: tables of shapes,
    webhooks, kinds of jobs, hazards. A release is equal to itself only.

    Parameters
    ----------
    version : str
        The version, with its ``v``.
    kubernetes : str
        The Kubernetes version whose API server gives the verdicts.
    api_versions : tuple of str
        The versions in which the API server serves Kueue's kinds, the newest first.
    gates : mapping of str to FeatureGate
        Every feature gate by name.
    installed : mapping
        The sections that Kueue adds to a Configuration that does not name them, although they
        change what it decides.
    frameworks : tuple of str
        ``integrations.frameworks`` of the Configuration that comes with the release's manifests
        and chart.
    default_frameworks : tuple of str
        The frameworks of a Configuration that names none.
    decides_as_if : mapping of str to bool
        What holds in this release of gates that only other releases have.
    announced : tuple of FeatureGate
        Gates whose defaults the release itself changed after the source that was recorded: they
        are named, and not decided by.
    admin_access_counts_nothing : bool
        Whether a request for devices with ``adminAccess`` is accepted and counts nothing; before,
        Kueue refused it (kueue #13642).
    follows_check_parameters : bool
        Whether MultiKueue reconciles the Workloads of an AdmissionCheck that is new, or refers to
        another MultiKueueConfig (kueue #10229).
    layers_need_gate : bool
        Whether slices within slices count only with the gate ``TASMultiLayerTopology``; without
        it, the webhook alone asks for the gate (kueue #12880).
    tells_of_missing_class : bool
        Whether an Event on a job says that its WorkloadPriorityClass is missing (kueue #13775).
    topology_flavors_may_change : bool
        Whether node labels and tolerations of a flavor with a topology count as they are now, not
        as they were when it was new (kueue #13738 and #13622).
    topology_levels_may_change : bool
        Whether levels of a Topology count as they are now (kueue #13910).
    warns_of_negative_sub_groups : bool
        Whether the webhook warns of a Workload with a negative ``subGroupCount``; later the schema
        refuses it (kueue #13101).

    Examples
    --------
    >>> release = Release("v0.19.2", "1.36", ("v1beta2", "v1beta1"), {})
    >>> release, release.minor, release.api_version
    (<Release v0.19.2>, 'v0.19', 'kueue.x-k8s.io/v1beta2')
    """

    version: str
    kubernetes: str
    api_versions: tuple[str, ...]
    gates: Mapping[str, FeatureGate]
    installed: Mapping[str, Any] = field(default_factory=dict)
    frameworks: tuple[str, ...] = ()
    default_frameworks: tuple[str, ...] = ("batch/job",)
    decides_as_if: Mapping[str, bool] = field(default_factory=dict)
    announced: tuple[FeatureGate, ...] = ()
    admin_access_counts_nothing: bool = False
    follows_check_parameters: bool = False
    layers_need_gate: bool = False
    tells_of_missing_class: bool = False
    topology_flavors_may_change: bool = False
    topology_levels_may_change: bool = False
    warns_of_negative_sub_groups: bool = False

    def __repr__(self) -> str:
        return f"<Release {self.version}>"

    def __reduce__(self) -> tuple[Callable[[str], Release], tuple[str]]:
        # Another process has its own copy of the release, which is equal to itself only.
        return _release_of, (self.version,)

    def with_gate(self, gate: FeatureGate) -> Release:
        """Return this release with another gate of that name."""
        return replace(self, gates=MappingProxyType({**self.gates, gate.name: gate}))

    def can_set(self, gate: str, value: bool) -> bool:
        """Tell whether Kueue starts with this value of a gate, as far as this gate is concerned."""
        found = self.gates.get(gate)
        return found is not None and (not found.locked or value == found.default)

    def serves(self, api_version: str) -> bool:
        """Tell whether the API server serves Kueue's kinds in a group and version."""
        group, _, version = api_version.partition("/")
        return group == _GROUP and version in self.api_versions

    def default_of(self, gate: str) -> bool | None:
        """Return the default of a gate, or what holds without it; ``None`` of an unknown one."""
        found = self.gates.get(gate)
        return self.decides_as_if.get(gate) if found is None else found.default

    @property
    def minor(self) -> str:
        """The version without its patch: releases of one minor version read the same objects."""
        return ".".join(self.version.partition("-")[0].split(".")[:2])

    @property
    def api_version(self) -> str:
        """The group and version that Kueue itself works with."""
        return f"{_GROUP}/{self.api_versions[0]}"

    @property
    def older_api_versions(self) -> tuple[str, ...]:
        """The groups and versions that a webhook converts."""
        return tuple(f"{_GROUP}/{version}" for version in self.api_versions[1:])

    @property
    def configuration_version(self) -> str:
        """The group and version of Kueue's Configuration."""
        return f"config.{self.api_version}"


def other_gates(
    gates: Mapping[str, FeatureGate], without: Container[str], others: Iterable[FeatureGate]
) -> Mapping[str, FeatureGate]:
    """Return the gates of a release that lacks some of another's, and has others.

    Examples
    --------
    >>> gates = {name: FeatureGate(name, True, "Beta") for name in ("A", "B")}
    >>> found = other_gates(gates, ("A",), [FeatureGate("B", False, "Alpha")])
    >>> found["B"].default, "A" in found
    (False, False)
    """
    found = {name: gate for name, gate in gates.items() if name not in without}
    return MappingProxyType({**found, **{gate.name: gate for gate in others}})


def _release_of(version: str) -> Release:
    from kueuelab.model.releases import RELEASES

    return RELEASES[version]
