"""What a release of Kueue is: the facts that belong to one version and change with the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

__all__ = ["FeatureGate", "Release"]

Stage = Literal["Alpha", "Beta", "GA", "Deprecated"]

_GROUP: Final = "kueue.x-k8s.io"


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

    def __repr__(self) -> str:
        return f"<Release {self.version}>"

    def __reduce__(self) -> tuple[Callable[[str], Release], tuple[str]]:
        # Another process has its own copy of the release, which is equal to itself only.
        return _release_of, (self.version,)

    @property
    def minor(self) -> str:
        """The version without its patch: releases of one minor version read the same objects."""
        return self.version.rpartition(".")[0]

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


def _release_of(version: str) -> Release:
    from kueuelab.model import releases

    known = (each for each in vars(releases).values() if isinstance(each, Release))
    return next(each for each in known if each.version == version)
