"""The shape of a step: what happened, when, to which workload, and what it changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from kueuelab.frozen import fast_init

__all__ = ["Change", "Facts", "Path", "Step"]

#: ``("workloads", "default/a", "conditions", "Evicted")``: a place in the state.
Path = tuple[str, ...]


class Change(NamedTuple):
    """One value of the state that a step changed; ``None`` stands for absent.

    Values are plain JSON values.
    """

    path: Path
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Facts:
    """What a step states. Each subclass is one kind of step."""

    kind: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        cls.kind = cls.__name__


@fast_init
@dataclass(frozen=True, slots=True)
class Step:
    """One step of a trace.

    Attributes
    ----------
    index
        Position in the trace, from 0.
    time
        Virtual time in nanoseconds since 1970.
    cycle
        Number of the scheduling cycle it belongs to; 0 outside of cycles.
    workload
        Key of the workload that it is about, or ``""``.
    cluster_queue
        Name of the ClusterQueue that it is about, or ``""``.
    facts
        What happened, with the numbers.
    changes
        What it changed in the visible state of its cluster.
    cluster
        The cluster in which it happened; ``""`` where there is only one.
    """

    index: int
    time: int
    cycle: int
    workload: str
    cluster_queue: str
    facts: Facts
    changes: Sequence[Change] = ()
    cluster: str = ""

    @property
    def kind(self) -> str:
        """The name of the kind of step, for instance ``"CandidateConsidered"``."""
        return type(self.facts).__name__
