"""What the manager did with each job up to a step: rounds, copies, the chosen worker."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kueuelab.messages import Message
from kueuelab.model.times import SECOND, format_duration, to_seconds
from kueuelab.trace.multikueue_facts import (
    ClustersNominated,
    CopyCreated,
    CopyRemoved,
    RaceDrawn,
    StatusRefused,
    WorkerChosen,
    WorkerConnectionChanged,
)
from kueuelab.trace.reading import State

if TYPE_CHECKING:
    from kueuelab.multikueue.cluster_set import ClusterSet
    from kueuelab.trace.step import Step
    from kueuelab.trace.trace import Trace

__all__ = [
    "Connection",
    "Dispatch",
    "Dispatches",
    "Round",
    "seconds_text",
]

_KINDS: Final = (
    "ClustersNominated",
    "CopyCreated",
    "CopyRemoved",
    "Evicted",
    "StatusRefused",
    "WorkerChosen",
    "WorkloadDeleted",
)


def seconds_text(nanoseconds: int) -> str:
    """Return a time since the start, to a tenth of a second.

    Examples
    --------
    >>> seconds_text(1_059_000_000), seconds_text(300_057_000_000)
    ('1.1s', '5m0.1s')
    """
    tenth = SECOND // 10
    return format_duration((nanoseconds + tenth // 2) // tenth * tenth)


@dataclass(frozen=True, slots=True)
class Round:
    """One nomination.

    Attributes
    ----------
    number
        Counted from 1 in each attempt.
    attempt
        Counted from 1; another one begins when the job is dispatched again.
    time
        Nanoseconds since 1970.
    at
        The time since the start of the run, in words.
    clusters
        The workers nominated in this round, without those of earlier ones.
    length
        Nanoseconds until the dispatcher nominates again, ``None`` if it waits for something.
    """

    number: int
    attempt: int
    time: int
    at: str
    clusters: tuple[str, ...]
    length: int | None = None

    @property
    def title(self) -> str:
        """Its number, with that of the attempt if it isn't the first."""
        if self.attempt == 1:
            return Message("multikueue.round.first-attempt", number=self.number)
        return Message("multikueue.round.attempt", attempt=self.attempt, number=self.number)

    def as_text(self) -> str:
        """Return the round on one line.

        Examples
        --------
        >>> Round(2, 1, 0, "5m0s", ("w2",)).as_text()
        'round 2 at 5m0s: w2'
        """
        clusters = ", ".join(self.clusters) or Message("list.none")
        return Message("multikueue.round.line", round=self.title, at=self.at, clusters=clusters)


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Where the dispatch of one job stands.

    ``removed`` are the workers whose copy was removed and not created again, ``refused`` those
    whose status Kubernetes refused.
    """

    rounds: tuple[Round, ...] = ()
    nominated: tuple[str, ...] = ()
    chosen: str = ""
    removed: frozenset[str] = frozenset()
    refused: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Connection:
    """What a MultiKueueCluster says about a worker: its condition ``Active``, and in words.

    ``missing_crd`` is a kind that the manager watches and the worker lacks.
    """

    active: bool
    words: str
    reason: str = ""
    missing_crd: str = ""


class Dispatches:
    """Reads the dispatches of a run once, so that stepping through it is fast.

    Attributes
    ----------
    manager
        The name of the manager.
    copies
        Worker and workload of each copy that was ever made.
    all_at_once
        Whether the manager nominates all workers at once.
    """

    def __init__(self, trace: Trace, cluster_set: ClusterSet) -> None:
        self._start = trace[0].time if len(trace) else 0
        self.manager = cluster_set.manager.member.name
        self._by_workload: dict[str, list[Any]] = {}
        self._connections: dict[str, list[Any]] = {}
        self._races: list[Any] = []
        self._created: dict[str, int] = {}
        self._touched: dict[str, list[int]] = {}
        self._admitted: dict[tuple[str, str], list[Step]] = {}
        self.all_at_once = cluster_set.manager.dispatches_all_at_once
        self.copies: set[tuple[str, str]] = set()
        self._cached: tuple[int, dict[str, Dispatch]] = -1, {}
        for step in trace:
            facts = step.facts
            cluster, key = step.cluster, step.workload
            self._touched.setdefault(key, []).append(step.index)
            if isinstance(facts, WorkerConnectionChanged):
                self._connections.setdefault(facts.worker, []).append(step)
            elif isinstance(facts, RaceDrawn):
                self._races.append(step)
            elif cluster != self.manager and step.kind == "Admitted":
                self._admitted.setdefault((cluster, key), []).append(step)
            elif cluster == self.manager and step.kind == "WorkloadCreated":
                self._created.setdefault(key, step.index)
            elif cluster == self.manager and step.kind in _KINDS:
                self._by_workload.setdefault(key, []).append(step)
                if isinstance(facts, CopyCreated):
                    self.copies.add((facts.worker, key))

    def was_created(self, workload: str, index: int) -> bool:
        """Tell whether the manager has, or had, a job after a step."""
        return self._created.get(workload, index + 1) <= index

    def is_dispatched(self, workload: str) -> bool:
        """Tell whether the manager ever dispatched a job."""
        return workload in self._by_workload

    def clusters_of(self, manager: State, workload: str) -> tuple[str, ...]:
        """Return the workers of the MultiKueueConfig that is in force for a job."""
        checks = [check.name for check in manager.workload(workload).checks]
        for name in checks or manager.names("AdmissionCheck"):
            config = manager.multi_kueue_config(manager.admission_check(name).parameters_name)
            if config:
                return config.clusters
        return ()

    def of(self, workload: str, index: int) -> Dispatch:
        """Return where a job's dispatch stands after a step."""
        if self._cached[0] != index:
            self._cached = index, {}
        known = self._cached[1].get(workload)
        if known is None:
            known = self._cached[1][workload] = self._read(workload, index)
        return known

    def _read(self, workload: str, index: int) -> Dispatch:
        rounds: list[Round] = []
        nominated: tuple[str, ...] = ()
        chosen, attempt, number = "", 1, 0
        removed: dict[str, None] = {}
        refused: dict[str, None] = {}
        for step in self._by_workload.get(workload, ()):
            if step.index > index:
                break
            match step.facts:
                case ClustersNominated(clusters=clusters, before=before):
                    if not before and rounds:
                        attempt, number = attempt + 1, 0
                    number += 1
                    new = tuple(name for name in clusters if name not in before)
                    at = seconds_text(step.time - self._start)
                    length = step.facts.round_length
                    rounds.append(Round(number, attempt, step.time, at, new, length))
                    nominated = clusters
                case CopyCreated(worker=worker):
                    removed.pop(worker, None)
                case CopyRemoved(worker=worker):
                    removed[worker] = None
                    refused.pop(worker, None)
                case WorkerChosen(worker=worker):
                    chosen, nominated = worker, ()
                case StatusRefused(worker=worker):
                    refused[worker] = None
                case _:  # evicted or deleted: Kueue resets what it wrote
                    chosen, nominated = "", ()
                    refused.clear()
        sets = (frozenset(removed), frozenset(refused))
        return Dispatch(tuple(rounds), nominated, chosen, *sets)

    def connection(self, worker: str, index: int) -> Connection:
        """Return the connection to a worker after a step."""
        steps = self._connections.get(worker, [])
        at = bisect_right(steps, index, key=lambda step: step.index)
        if not at:
            return Connection(False, Message("multikueue.connection.none"))
        facts = steps[at - 1].facts
        if facts.active:
            return Connection(True, Message("multikueue.connection.active"), facts.reason)
        words = Message(
            "multikueue.connection.inactive", reason=facts.reason, message=facts.message
        )
        return Connection(False, words, facts.reason, facts.missing_crd)

    def is_overlooked(self, worker: str, workload: str, index: int) -> bool:
        """Tell whether nothing happened to a job since the manager was connected to a worker."""
        steps = self._connections.get(worker, [])
        at = bisect_right(steps, index, key=lambda step: step.index)
        if not at or not steps[at - 1].facts.active:
            return False
        touched = self._touched.get(workload, [])
        last = bisect_right(touched, index)
        return last > 0 and touched[last - 1] < steps[at - 1].index

    def is_older(self, worker: str, chosen: str, workload: str, index: int) -> bool:
        """Tell whether a copy was admitted no later than the one on the chosen worker.

        Kueue compares whole seconds; where they tie, either may count as the admitted one.
        """
        here, there = (self._admitted_at(name, workload, index) for name in (worker, chosen))
        return there is None or (here is not None and here <= there)

    def _admitted_at(self, worker: str, workload: str, index: int) -> int | None:
        """Return at which second a copy was admitted last."""
        steps = self._admitted.get((worker, workload), [])
        at = bisect_right(steps, index, key=lambda step: step.index)
        return to_seconds(steps[at - 1].time) if at else None

    def reaches(self, manager: State, worker: str, index: int) -> bool:
        """Tell whether the manager reaches a worker after a step."""
        known = manager.has("MultiKueueCluster", worker)
        return known and self.connection(worker, index).active

    def clock(self, round_: Round, now: int) -> str:
        """Return how much of a round is over, and when the next one begins."""
        passed = seconds_text(now - round_.time)
        if round_.length is None:
            return Message("multikueue.round.open", passed=passed)
        end = round_.time + round_.length - self._start
        length = format_duration(round_.length)
        at = seconds_text(end)
        return Message("multikueue.round.clock", passed=passed, length=length, end=at)

    def clock_share(self, round_: Round, now: int) -> float | None:
        """Return how much of a round is over, from 0 to 1; ``None`` if it has no end."""
        if not round_.length:
            return None
        return min(max((now - round_.time) / round_.length, 0.0), 1.0)

    def races(self, index: int) -> list[tuple[str, RaceDrawn]]:
        """Return the races drawn up to a step, each with its workload."""
        return [(step.workload, step.facts) for step in self._races if step.index <= index]
