"""What a page can ask about other quotas for a pending workload, and what it gets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from kueuelab.session.answers import Amount, CostPart, Opened

__all__ = [
    "ANSWERS",
    "KeepQuotas",
    "QuotaBar",
    "QuotaOutcome",
    "QuotaSetting",
    "QuotaSlider",
    "QuotaSliders",
    "Quotas",
    "TryQuotas",
]


@dataclass(frozen=True, slots=True)
class QuotaSetting:
    """Another value of a quota or limit.

    Attributes
    ----------
    object, field
        ``ClusterQueue/team-a``, and the path of the field.
    value
        The amount as in a manifest; ``None`` takes a limit away.
    """

    object: str
    field: str
    value: str | None


@dataclass(frozen=True, slots=True)
class Quotas:
    """Ask which quotas and limits could let a pending workload in, and how far each may go."""

    workload: str
    branch: str = ""


@dataclass(frozen=True, slots=True)
class TryQuotas:
    """Ask what other quotas would do at the end of a branch; the run is not kept."""

    workload: str
    settings: tuple[QuotaSetting, ...]
    branch: str = ""


@dataclass(frozen=True, slots=True)
class KeepQuotas:
    """Make a branch in which quotas have other values at its end."""

    workload: str
    settings: tuple[QuotaSetting, ...]
    branch: str = ""


@dataclass(frozen=True, slots=True)
class QuotaSlider:
    """A quota or limit that can be moved.

    Attributes
    ----------
    kind
        ``nominalQuota``, ``borrowingLimit`` or ``lendingLimit``.
    label
        What it is, as text.
    own
        Whether it is of the ClusterQueue of the workload.
    stops
        The values that it can have, the smallest first; the last one of a limit is no limit, and
        its value is -1.
    at
        Which of these it has.
    """

    object: str
    field: str
    kind: str
    name: str
    label: str
    own: bool
    stops: tuple[Amount, ...]
    at: int


@dataclass(frozen=True, slots=True)
class QuotaBar:
    """The quota of a ClusterQueue for one resource of one flavor, and its use."""

    name: str
    flavor: str
    resource: str
    nominal: Amount
    own: Amount
    borrowed: Amount
    text: str


@dataclass(frozen=True, slots=True)
class QuotaOutcome:
    """The answer to ``tryQuotas``.

    Attributes
    ----------
    sentence, tone
        Whether the workload is admitted; ``ok`` or ``warn``.
    bars
        Quotas and their use in the end.
    parts
        Which workloads are evicted, and which others are admitted.
    note
        That it costs no other workload anything; ``""`` if it does.
    """

    sentence: str
    tone: str
    bars: tuple[QuotaBar, ...]
    parts: tuple[CostPart, ...]
    note: str


@dataclass(frozen=True, slots=True)
class QuotaSliders:
    """The answer to ``quotas``.

    Attributes
    ----------
    note
        Why there is none to move; ``""`` if there are any.
    outcome
        What is so without moving any.
    """

    sliders: tuple[QuotaSlider, ...]
    note: str
    outcome: QuotaOutcome


#: The answer to each of these commands.
ANSWERS: Final[Mapping[str, type[Any]]] = MappingProxyType(
    {"quotas": QuotaSliders, "tryQuotas": QuotaOutcome, "keepQuotas": Opened}
)
