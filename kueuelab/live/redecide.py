"""Repeats each decision of Kueue in the lab, from the state just before it.

A watch shows the result of a decision, but not the other heads of the same cycle. The lab
first decides about the workload alone. If the result differs, it decides about it together
with the workloads that were decided about a moment earlier.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, islice, takewhile
from typing import Final

from kueuelab.live.assigned_flavors import assigned_flavors, flavors_text
from kueuelab.live.change_history import Ahead, ObjectKey
from kueuelab.live.decisions import Decision, DecisionInput, ObservedDecision
from kueuelab.live.kueue_memory import Remembered
from kueuelab.live.recent_state import NO_OUTCOME, NO_PROGRESS, Outcome, RecentState
from kueuelab.live.scan_progress import Progress
from kueuelab.messages import Message
from kueuelab.model import Configuration
from kueuelab.model.times import SECOND
from kueuelab.scheduler import Entry
from kueuelab.trace.attempt_message import PREEMPTS, was_skipped
from kueuelab.trace.steps import CohortsTied

__all__ = ["MOMENT", "Redecider"]

#: How long before or after a decision the others of its cycle may become visible.
MOMENT: Final = 2 * SECOND
#: How long after a cycle its preemptions may become visible: until the targets have stopped.
_PREEMPTION_PERIOD: Final = 5 * SECOND
#: How long a write takes at most until Kueue's own watch has it.
_WATCH_DELAY: Final = SECOND // 10
#: How many states of the last moment are tried.
_MOST_ATTEMPTS: Final = 40
#: How many waiting workloads of other queues are tried as a further head, in how many states.
_MOST_SILENT: Final = 64
_MOST_SILENT_STATES: Final = 8
#: How many outcomes of what Kueue leaves to chance are tried.
_MOST_CHANCES: Final = 24


@dataclass(frozen=True, slots=True, eq=False)
class _Cycle:
    time: int
    mark: int
    heads: tuple[str, ...]
    outcome: Outcome
    tree: str = ""
    queues: frozenset[str] = frozenset()
    ahead: Ahead | None = None
    decided_from: DecisionInput | None = None
    #: Where the search for the flavors of heads had ended before.
    progress: Mapping[str, Progress] = field(default_factory=dict)
    #: A head that is assumed: its message stayed the same, so that Kueue wrote nothing.
    silent_head: str = ""
    #: The seed of what Kueue leaves to chance; ``None``: the order of names.
    chance: int | None = None
    #: Its decisions that were seen in the cluster; seen again, they are of a later cycle.
    seen: set[tuple[str, str]] = field(default_factory=set)

    def contains(self, observed: ObservedDecision) -> bool:
        """Tell whether it made this decision, and the cluster had not shown it yet."""
        entry = self.outcome.entries.get(observed.workload)
        return entry is not None and observed.subject not in self.seen and observed.matches(entry)

    @property
    def has_skipped(self) -> bool:
        """Whether an entry was skipped because of another one: then the order matters."""
        return any(entry.status == "skipped" for entry in self.outcome.entries.values())


class Redecider:
    """Repeats decisions in the lab, and keeps the states of the last moments.

    Parameters
    ----------
    configuration
        Kueue's Configuration.
    start
        The time, in nanoseconds since 1970.
    keep
        Whether decisions keep the state that they were made from.

    Attributes
    ----------
    state
        The state of the cluster, now or a moment ago.
    """

    def __init__(self, configuration: Configuration, start: int, *, keep: bool = False) -> None:
        self.state = RecentState(configuration, start)
        self._keep = keep
        self._cycles: deque[_Cycle] = deque()
        #: Those of a cohort tree that can matter to other workloads in it.
        self._by_tree: defaultdict[str, deque[_Cycle]] = defaultdict(deque)
        self._by_workload: dict[str, list[_Cycle]] = {}
        #: Pending workloads that wait for their targets to stop, as far as is written.
        self._preemptors: dict[str, None] = {}
        #: Where Kueue's search for a workload's flavors ended, after the last decision seen.
        self._progress: dict[str, Progress] = {}
        #: Workloads that Kueue set aside, and when: the time of the last decision about each.
        self._set_aside: dict[str, int] = {}
        #: The mark of the last message about a workload of a ClusterQueue.
        self._last_message: dict[str, int] = {}
        #: The earliest mark that a decision can be of, by workload, target and time.
        self._earliest: dict[tuple[str, str, int], int] = {}

    def decide(self, observed: ObservedDecision) -> Decision:
        """Return what the lab decides from the state just before Kueue decided ``observed``."""
        self.forget(observed.time)
        queue = self.state.queue_of(observed.workload)
        self._earliest[_key(observed)] = self._last_message.get(queue, 0)
        found = self._decide(observed)
        if observed.message:
            self._last_message[queue] = self.state.mark_at(observed.time - _WATCH_DELAY)
        if not observed.target:
            if PREEMPTS in observed.message:
                self._preemptors[observed.workload] = None
            else:
                self._preemptors.pop(observed.workload, None)
            if self.state.sets_aside(observed.workload, observed.message):
                self._set_aside[observed.workload] = observed.time
            else:
                self._set_aside.pop(observed.workload, None)
        return found

    def memory(self, workload: str) -> Remembered:
        """Return what Kueue remembers of a workload, as far as the decisions that were seen tell.

        Parameters
        ----------
        workload
            ``namespace/name``.
        """
        state, progress = self.state, self._progress.get(workload)
        return Remembered(
            workload,
            self._set_aside[workload] if self._is_set_aside(workload) else 0,
            () if progress is None else state.flavors_before(workload, progress),
            workload in self._preemptors,
            state.is_charged(workload),
        )

    def _is_set_aside(self, workload: str) -> bool:
        time = self._set_aside.get(workload)
        # The attempt may have been made on any state of the last moment.
        return time is not None and not self.state.was_woken(workload, time - MOMENT)

    def _decide(self, observed: ObservedDecision) -> Decision:
        match = self._recent_match(observed)
        if match is not None:
            return self._agreement(match, observed, seen_before=True)
        now = self.state.mark
        for progress in self._possible_progress(observed):
            attempts = chain(
                [self._cycle((observed.workload,), now, observed.time, progress=progress)],
                self._with_recent_heads(observed, progress),
                self._in_earlier_states(observed, progress),
                self._with_waiting_preemptors(observed, progress),
            )
            for cycle in attempts:
                if cycle.contains(observed):
                    return self._agreement(self._recorded(cycle), observed)
        with_silent = next(self._with_silent_head(observed), None)
        if with_silent is not None:
            return self._agreement(self._recorded(with_silent), observed)
        first = self._possible_progress(observed)[0]
        alone = self._cycle((observed.workload,), now, observed.time, progress=first)
        alone = self._recorded(alone)
        if any(isinstance(step.facts, CohortsTied) for step in alone.outcome.steps):
            for cycle in self._by_chance(observed, first):
                if cycle.contains(observed):
                    return self._agreement(self._recorded(cycle), observed)
        text = _lab_text(alone.outcome.entries.get(observed.workload))
        return Decision(observed, False, text, alone.outcome.steps, alone.decided_from)

    def _possible_progress(self, observed: ObservedDecision) -> list[Mapping[str, Progress]]:
        """Return where the search may have ended in the last attempt, the most likely first.

        What the decisions that were seen tell comes first, then that the search begins anew:
        attempts that write nothing, and quota that is released, can be the reason.
        """
        workload = observed.workload
        possible = self.state.possible_progress(workload, observed.previous)
        known = self._progress.get(workload) if possible else None
        found: list[Mapping[str, Progress]] = [] if known is None else [{workload: known}]
        found.append(NO_PROGRESS)
        return found + [{workload: each} for each in possible if each != known]

    def decide_late(self, observed: ObservedDecision, changed: str, time: int) -> Decision | None:
        """Return a late agreement: a cause may become visible after its effect.

        Parameters
        ----------
        observed
            A decision that the lab did not make so far.
        changed
            The workload that has just changed. In another cohort tree it does not matter.
        time
            The time of that change.
        """
        state = self.state
        if state.tree_of(changed) != state.tree_of(observed.workload):
            return None
        match = self._recent_match(observed)
        if match is not None:
            return self._agreement(match, observed, seen_before=True)
        for progress in self._possible_progress(observed):
            attempts = self._with_recent_heads(observed, progress, since=time)
            if state.moved_quota or changed == observed.workload:
                # Otherwise the decision about it alone has the same result as before.
                heads = (observed.workload,)
                alone = [self._cycle(heads, state.mark, time, progress=progress)]
                after = self._after_admission(observed, changed, progress)
                joint = self._with_waiting_preemptors(observed, progress)
                attempts = chain(alone, attempts, after, joint)
            for cycle in attempts:
                if cycle.contains(observed):
                    return self._agreement(self._recorded(cycle), observed)
        return None

    def decide_with(self, observed: ObservedDecision, changed: ObjectKey) -> Decision | None:
        """Return a late agreement where Kueue knew an object's change before a watch reported it.

        Parameters
        ----------
        observed
            A decision that the lab did not make so far.
        changed
            Kind and key of the object that has just changed.
        """
        workload, ahead = observed.workload, Ahead(object=changed)
        marks = self._marks(observed)
        for progress in self._possible_progress(observed):
            for mark in marks:
                cycle = self._cycle((workload,), mark, observed.time, ahead, progress)
                if cycle.contains(observed):
                    return self._agreement(self._recorded(cycle), observed)
        return None

    def forget(self, now: int) -> None:
        """Forget what no longer counts for a decision at a time."""
        while self._cycles and now - self._cycles[0].time > _PREEMPTION_PERIOD:
            old = self._cycles.popleft()
            if old.outcome.matters:
                self._by_tree[old.tree].popleft()
            for workload in old.outcome.entries:
                left = self._by_workload[workload]
                left.remove(old)
                if not left:
                    del self._by_workload[workload]
        for key in tuple(takewhile(lambda key: now - key[2] > _PREEMPTION_PERIOD, self._earliest)):
            del self._earliest[key]
        self.state.forget(now - MOMENT)

    def forget_workload(self, workload: str) -> None:
        """Forget what Kueue remembered of a workload that was deleted."""
        self._progress.pop(workload, None)
        self._preemptors.pop(workload, None)
        self._set_aside.pop(workload, None)

    def _recent_match(self, observed: ObservedDecision) -> _Cycle | None:
        """Return a recent cycle that contains the decision; ``None`` if there is none."""
        for cycle in reversed(self._by_workload.get(observed.workload, ())):
            # Targets become visible one by one; other decisions are made once per cycle.
            limit = _PREEMPTION_PERIOD if observed.target else MOMENT
            if abs(observed.time - cycle.time) <= limit and cycle.contains(observed):
                return cycle
        return None

    def _with_recent_heads(
        self,
        observed: ObservedDecision,
        progress: Mapping[str, Progress],
        since: int | None = None,
    ) -> Iterator[_Cycle]:
        """Yield cycles with the heads of each recent cycle and the workload, the latest first.

        Kueue's order of equal heads is random, so both orders are tried.
        """
        state, workload = self.state, observed.workload
        queue = state.queue_of(workload)
        first = observed.time - MOMENT if since is None else since
        cycles = reversed(self._by_tree[state.tree_of(workload)])
        latest = takewhile(lambda cycle: cycle.time >= first, cycles)
        earliest = self._earliest.get(_key(observed), 0)
        others = (cycle for cycle in latest if queue not in cycle.queues and cycle.mark >= earliest)
        for earlier in list(islice(others, _MOST_ATTEMPTS)):
            heads = earlier.heads
            mark, time, ended = earlier.mark, observed.time, {**earlier.progress, **progress}
            joint = self._cycle((*heads, workload), mark, time, progress=ended)
            yield joint
            if joint.has_skipped:
                yield self._cycle((workload, *heads), mark, time, progress=ended)

    def _in_earlier_states(
        self, observed: ObservedDecision, progress: Mapping[str, Progress]
    ) -> Iterator[_Cycle]:
        """Yield cycles about the workload alone in the recent states, the latest first.

        Kueue counts an admission at once, and writes it a little later. Changes that are
        written in between were not known to that cycle.
        """
        marks = self._marks(observed)
        for mark in marks:
            yield self._cycle((observed.workload,), mark, observed.time, progress=progress)
        ahead = Ahead(but=observed.workload)
        for mark in marks:
            yield self._cycle((observed.workload,), mark, observed.time, ahead, progress)

    def _after_admission(
        self, observed: ObservedDecision, admitted: str, progress: Mapping[str, Progress]
    ) -> Iterator[_Cycle]:
        """Yield cycles in recent states that knew an admission before it was written.

        Either it was made in the same cycle, or in an earlier one.
        """
        state, workload = self.state, observed.workload
        marks = self._marks(observed)
        if state.queue_of(admitted) != state.queue_of(workload):
            for mark in marks:
                yield self._cycle((admitted, workload), mark, observed.time, progress=progress)
        for mark in marks:
            ahead = Ahead(only=admitted)
            yield self._cycle((workload,), mark, observed.time, ahead, progress)

    def _with_waiting_preemptors(
        self, observed: ObservedDecision, progress: Mapping[str, Progress]
    ) -> Iterator[_Cycle]:
        """Yield cycles with the preemptors that wait for their targets, the latest first.

        Such a preemptor is a head again in each cycle, and reserves the quota that it waits
        for. As long as that goes on, nothing is written about it.
        """
        workload = observed.workload
        waiting = self._waiting_preemptors(workload)
        if not waiting:
            return
        heads = (*waiting, workload)
        yield self._cycle(heads, self.state.mark, observed.time, progress=progress)
        for mark in self._marks(observed):
            yield self._cycle(heads, mark, observed.time, progress=progress)

    def _with_silent_head(self, observed: ObservedDecision) -> Iterator[_Cycle]:
        """Yield cycles in which a head was skipped because of one that Kueue wrote nothing about.

        A message that stays the same is not written. It must be what the lab says of that head.
        """
        if not was_skipped(observed.message):
            return
        state, workload = self.state, observed.workload
        marks = [state.mark, *islice(self._marks(observed), _MOST_SILENT_STATES)]
        tried = (each for each in state.waiting_beside(workload) if not self._is_set_aside(each[0]))
        for other, message in islice(tried, _MOST_SILENT):
            for mark in marks:
                cycle = self._cycle((other, workload), mark, observed.time)
                entry = cycle.outcome.entries.get(other)
                silent = entry is not None and entry.message == message
                if silent and cycle.contains(observed):
                    yield replace(cycle, silent_head=other)

    def _by_chance(
        self, observed: ObservedDecision, progress: Mapping[str, Progress]
    ) -> Iterator[_Cycle]:
        """Yield cycles about the workload alone, with other outcomes of what is left to chance."""
        for seed in range(_MOST_CHANCES):
            heads, mark = (observed.workload,), self.state.mark
            yield self._cycle(heads, mark, observed.time, progress=progress, chance=seed)

    def _marks(self, observed: ObservedDecision) -> list[int]:
        """Return the marks of recent states that a decision can be of, the latest first.

        Kueue writes the messages of a cycle before the next one begins, and a cycle has one head
        of each ClusterQueue: states before the last message of the same queue are left out.
        """
        earliest = self._earliest.get(_key(observed), 0)
        marks = self.state.marks(observed.workload, _MOST_ATTEMPTS)
        return list(takewhile(lambda mark: mark >= earliest, marks))

    def _waiting_preemptors(self, workload: str) -> tuple[str, ...]:
        """Return the waiting preemptors in a workload's cohort tree, the last of each queue."""
        state, tree = self.state, self.state.tree_of(workload)
        found: dict[str, str] = {}
        for preemptor in tuple(self._preemptors):
            if not state.has(preemptor):
                del self._preemptors[preemptor]
            elif state.tree_of(preemptor) == tree:
                found[state.queue_of(preemptor)] = preemptor
        found.pop(state.queue_of(workload), None)
        return tuple(found.values())

    def _cycle(
        self,
        heads: tuple[str, ...],
        mark: int,
        time: int,
        ahead: Ahead | None = None,
        progress: Mapping[str, Progress] = NO_PROGRESS,
        chance: int | None = None,
    ) -> _Cycle:
        """Run one cycle with these heads alone, on the state at a mark."""
        state = self.state
        with state.at(mark, heads, ahead) as another:
            if ahead is not None and not another:
                return _Cycle(time, mark, heads, NO_OUTCOME)
            outcome = state.cycle(heads, time, progress=progress, chance=chance)
            return _Cycle(time, mark, heads, outcome, ahead=ahead, progress=progress, chance=chance)

    def _recorded(self, cycle: _Cycle) -> _Cycle:
        """Run a cycle again to record its steps, and keep it; most cycles are only attempts."""
        state, heads, time = self.state, cycle.heads, cycle.time
        with state.at(cycle.mark, heads, cycle.ahead):
            outcome = state.cycle(
                heads, time, recorded=True, progress=cycle.progress, chance=cycle.chance
            )
        tree, made_from = state.tree_of(heads[-1]), None
        if self._keep:
            made_from = DecisionInput(state.frozen(time, cycle.mark, tree, cycle.ahead), heads)
        recorded = replace(
            cycle,
            outcome=outcome,
            tree=tree,
            queues=frozenset(map(state.queue_of, heads)),
            decided_from=made_from,
        )
        self._cycles.append(recorded)
        if outcome.matters:
            self._by_tree[tree].append(recorded)
        for workload in outcome.entries:
            self._by_workload.setdefault(workload, []).append(recorded)
        return recorded

    def _agreement(
        self, cycle: _Cycle, observed: ObservedDecision, *, seen_before: bool = False
    ) -> Decision:
        """Return that the lab makes the observed decision in a cycle."""
        workload = observed.workload
        cycle.seen.add(observed.subject)
        ended, known = cycle.progress.get(workload), self._progress.get(workload)
        after = () if ended is None else self.state.flavors_before(workload, ended)
        self._progress.pop(workload, None)
        if workload in cycle.outcome.progress:
            self._progress[workload] = cycle.outcome.progress[workload]
        return Decision(
            observed,
            True,
            "",
            () if seen_before else cycle.outcome.steps,
            cycle.decided_from,
            inadmissible=workload in cycle.outcome.inadmissible,
            resumed_after=after,
            silent_head=cycle.silent_head,
            by_chance=cycle.chance is not None,
            is_certain=(ended is None or ended == known) and not cycle.silent_head,
        )


def _key(observed: ObservedDecision) -> tuple[str, str, int]:
    return observed.workload, observed.target, observed.time


def _lab_text(entry: Entry | None) -> str:
    if entry is None:
        return Message("live.decision.not-now")
    if entry.status == "assumed":
        flavors = flavors_text(assigned_flavors(entry))
        return Message(
            "live.decision.would-admit", cluster_queue=entry.cluster_queue, flavors=flavors
        )
    if entry.targets:
        targets = ", ".join(f"{t.workload.key} ({t.reason})" for t in entry.targets)
        return Message("live.decision.would-preempt", targets=targets)
    return Message("live.decision.says", reason=entry.message)
