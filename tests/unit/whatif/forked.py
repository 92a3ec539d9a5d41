"""What comes of changes, read from the record of a fork that is played to its end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from kueuelab.errors import KueueLabError
from kueuelab.trace.steps import Evicted, Step
from kueuelab.whatif.changes import Change
from kueuelab.whatif.lab import LabRun

NEVER = 2**62


@dataclass(frozen=True)
class Outcome:
    """When the workload gets the quota that it keeps, and which others are evicted for it."""

    time: int = NEVER
    evicted: frozenset[str] = frozenset()


class Forks:
    """Forks of a run at its end, and what becomes of one workload in them."""

    def __init__(self, run: LabRun, workload: str) -> None:
        self._run = run
        self._workload = workload
        self._held = list(self._holders(run.fork().run()))
        self.unchanged = self.outcome(())

    def helps(self, outcome: Outcome) -> bool:
        return outcome.time < self.unchanged.time

    def outcome(self, changes: tuple[Change, ...]) -> Outcome:
        key = self._workload
        try:
            forked = self._run.fork().change(*changes).run()
        except (KueueLabError, LookupError):
            return Outcome()
        since, evicted, left = NEVER, [], False
        for time, steps in self._instants(forked):
            state = forked.trace.state_at(steps[-1].index).workload(key)
            holds = state.phase in ("QuotaReserved", "Admitted")
            mine = [step.facts for step in steps if step.workload == key]
            preempted = [f.reason == "Preempted" for f in mine if isinstance(f, Evicted)]
            if holds:
                since = min(since, time)
            elif since < NEVER and preempted and preempted[-1]:
                since = NEVER
            evicted += [
                step.workload
                for step in steps
                if step.kind == "Evicted" and self._holds(step.workload, time)
            ]
            if (since < NEVER or not state) and not holds:
                left = True
                break
        loop = forked.loop
        if not left and loop is not None and key in loop.workloads:
            since = NEVER
        return Outcome(
            since - (0 if since == NEVER else self._run.start), frozenset(evicted) - {key}
        )

    def _instants(self, run: LabRun) -> Iterator[tuple[int, list[Step]]]:
        later = run.trace.steps[len(self._run.trace) :]
        for time, steps in groupby(later, key=lambda step: step.time):
            yield time, list(steps)

    def _holders(self, run: LabRun) -> Iterator[tuple[int, set[str]]]:
        """Yield which workloads hold quota, from the time at which the changes are made on."""
        states = self._run.cluster.workloads.items()
        yield 0, {key for key, s in states if s.has_quota_reservation and not s.is_evicted}
        for time, steps in self._instants(run):
            states_then = run.trace.state_at(steps[-1].index).workloads.items()
            yield time, {k for k, s in states_then if s.phase in ("QuotaReserved", "Admitted")}

    def _holds(self, key: str, time: int) -> bool:
        return key in [held for since, held in self._held if since <= time][-1]
