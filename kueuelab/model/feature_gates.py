"""The values of Kueue's feature gates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kueuelab.frozen import FrozenDict
from kueuelab.model.release import Release
from kueuelab.model.releases import RELEASE

__all__ = ["FeatureGates"]


class FeatureGates(FrozenDict[str, bool]):
    """Gate values: what a Configuration sets, and the defaults of a release for everything else.

    Unknown names are the manifests' business to reject; here they are a ``KeyError``.

    Examples
    --------
    >>> gates = FeatureGates({"PartialAdmission": False})
    >>> gates["PartialAdmission"], gates["FlavorFungibility"]
    (False, True)
    """

    __slots__ = ("overrides", "release")

    def __init__(
        self, overrides: Mapping[str, bool] | None = None, release: Release = RELEASE
    ) -> None:
        self.release: Final = release
        self.overrides: Mapping[str, bool] = dict(overrides or {})
        for name in self.overrides:
            if name not in release.gates:
                raise KeyError(name)
        defaults = {name: gate.default for name, gate in release.gates.items()}
        super().__init__({**defaults, **self.overrides})

    def __reduce__(self) -> tuple[Any, ...]:
        return FeatureGates, (self.overrides, self.release)

    def __repr__(self) -> str:
        return f"FeatureGates({dict(self.overrides)!r})"
