"""The values of Kueue's feature gates."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from kueuelab.frozen import FrozenDict
from kueuelab.model.release import Release
from kueuelab.model.releases import RELEASE, RELEASES

__all__ = ["FeatureGates", "default_gates"]


class FeatureGates(FrozenDict[str, bool]):
    """Gate values: what a Configuration sets, and the defaults of a release for everything else.

    What a Configuration sets although this release has no such gate, or has it locked, is
    ``left_out`` if another release has it. Other names are the manifests' business to reject; here
    they are a ``KeyError``.

    Examples
    --------
    >>> gates = FeatureGates({"PartialAdmission": False})
    >>> gates["PartialAdmission"], gates["FlavorFungibility"]
    (False, True)
    """

    __slots__ = ("left_out", "overrides", "release")

    def __init__(
        self, overrides: Mapping[str, bool] | None = None, release: Release = RELEASE
    ) -> None:
        self.release: Final = release
        written = dict(overrides or {})
        self.overrides: Mapping[str, bool] = {
            name: value for name, value in written.items() if release.can_set(name, value)
        }
        self.left_out: Mapping[str, bool] = {
            name: value for name, value in written.items() if name not in self.overrides
        }
        for name in self.left_out:
            if not any(name in each.gates for each in (release, *RELEASES.values())):
                raise KeyError(name)
        defaults = {name: gate.default for name, gate in release.gates.items()}
        super().__init__({**release.decides_as_if, **defaults, **self.overrides})

    def __reduce__(self) -> tuple[Any, ...]:
        return FeatureGates, ({**self.overrides, **self.left_out}, self.release)

    def __repr__(self) -> str:
        return f"FeatureGates({dict(self.overrides)!r})"


@cache
def default_gates(release: Release) -> FeatureGates:
    """Return the gates of a release, each at its default.

    Examples
    --------
    >>> from kueuelab.model.releases import release_named
    >>> default_gates(release_named("v0.18"))["AdmissionGatedBy"]
    False
    """
    return FeatureGates(release=release)
