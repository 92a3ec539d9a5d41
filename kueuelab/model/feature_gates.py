"""The values of Kueue's feature gates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from kueuelab.model.release import Release
from kueuelab.model.releases import RELEASE

__all__ = ["FeatureGates"]


class FeatureGates(Mapping[str, bool]):
    """Gate values: what a Configuration sets, and the defaults of a release for everything else.

    Unknown names are the manifests' business to reject; here they are a ``KeyError``.

    Examples
    --------
    >>> gates = FeatureGates({"PartialAdmission": False})
    >>> gates["PartialAdmission"], gates["FlavorFungibility"]
    (False, True)
    """

    __slots__ = ("_values", "overrides", "release")

    def __init__(
        self, overrides: Mapping[str, bool] | None = None, release: Release = RELEASE
    ) -> None:
        self.release: Final = release
        self.overrides: Mapping[str, bool] = dict(overrides or {})
        self._values = {name: gate.default for name, gate in release.gates.items()}
        for name, value in self.overrides.items():
            if name not in release.gates:
                raise KeyError(name)
            self._values[name] = value

    def __getitem__(self, name: str) -> bool:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"FeatureGates({dict(self.overrides)!r})"
