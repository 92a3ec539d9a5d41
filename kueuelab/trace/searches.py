"""Searches for preemption targets, read from the steps that they recorded.

A search is everything between ``PreemptionStarted`` and ``TargetsChosen``. A finished search has
one verdict for each workload that it considered, with the rule that decided. Of a search in
progress, and of the steps that carry it out, :func:`search_at` returns each candidate with its
status at that step.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from kueuelab.trace import steps
from kueuelab.trace.search import Candidate, Search, SearchProgress
from kueuelab.trace.search_reader import SearchReader, read_search
from kueuelab.trace.step import Step
from kueuelab.trace.trace import Trace

__all__ = ["SearchFollower", "decisive", "search_at", "searches"]


def searches(found: Iterable[Step], workload: str) -> list[Search]:
    """Return the searches by a workload among some consecutive steps, in order."""
    result = []
    reader: SearchReader | None = None
    for step in found:
        if step.workload != workload:
            continue
        if isinstance(step.facts, steps.PreemptionStarted):
            reader = SearchReader(step, step.facts)
        elif reader is not None:
            reader.take(step)
            if isinstance(step.facts, steps.TargetsChosen):
                result.append(reader.built(step, step.facts))
                reader = None
    return result


def decisive(own: Iterable[Step], made: Sequence[Search]) -> Search | None:
    """Return the search whose targets a workload ended up with, ``None`` if it has none.

    Flavors that are tried out, fewer pods and overlapping targets make for more than one.

    Parameters
    ----------
    own
        The workload's own steps in a cycle.
    made
        Its searches in that cycle, in order.
    """
    targets: tuple[tuple[str, str], ...] = ()
    for step in own:
        if isinstance(step.facts, steps.Nominated | steps.Recomputed | steps.EntryProcessed):
            targets = step.facts.targets
    for search in reversed(made):
        if targets and search.started.purpose == "targets" and search.targets == targets:
            return search
    return None


#: Steps at which no search of the same cycle goes on.
_BOUNDARIES: Final = (
    steps.CycleStarted,
    steps.NominationStarted,
    steps.EntriesOrdered,
    steps.CycleEnded,
)


def search_at(trace: Trace, index: int) -> SearchProgress:
    """Return the search that a step belongs to, as it is after that step.

    A step after the search (the entry is processed, a target is evicted) has the whole search
    with the targets of the step.
    """
    return SearchFollower(trace).at(index) if 0 <= index < len(trace) else SearchProgress()


def _start_of_search(found: Sequence[Step], index: int) -> int | None:
    """Return where the search began that a step belongs to, ``None`` if it belongs to none."""
    workload, cycle = found[index].workload, found[index].cycle
    if not workload or not cycle:
        return None
    for at in range(index, -1, -1):
        step = found[at]
        if step.cycle != cycle or step.workload != workload:
            return None
        if isinstance(step.facts, steps.PreemptionStarted):
            return at
        if isinstance(step.facts, _BOUNDARIES):
            return None
    return None


def _carried_out(found: Sequence[Step], step: Step, starts: Sequence[int]) -> SearchProgress:
    """Return the search whose targets a later step carries out."""
    facts = step.facts
    preemptor = step.workload
    targets: tuple[tuple[str, str], ...] = getattr(facts, "targets", ())
    if isinstance(facts, steps.Evicted) and facts.preemptor:
        preemptor, targets = facts.preemptor, ((step.workload, facts.preemption_reason),)
    if targets or isinstance(facts, steps.EntryProcessed):
        search = _last_search(found, step, preemptor, starts)
        if search and search.has_targets(targets):
            return replace(search.progress(), preempting=bool(targets))
    chosen = tuple(
        Candidate(key, "", "target", "", step.index, rank, reason)
        for rank, (key, reason) in enumerate(targets, 1)
    )
    return SearchProgress(preemptor, bool(targets), chosen)


def _last_search(
    found: Sequence[Step], step: Step, preemptor: str, starts: Sequence[int]
) -> SearchReader | None:
    """Return the last search by a workload in the cycle of a step and before that step.

    ``starts`` has the steps at which searches begin.
    """
    for place in range(bisect_left(starts, step.index) - 1, -1, -1):
        at = starts[place]
        if found[at].cycle != step.cycle:
            break
        if found[at].workload == preemptor:
            own = (each for each in found[at : step.index] if each.workload == preemptor)
            return read_search(_until_targets(own))
    return None


def _until_targets(found: Iterable[Step]) -> Iterator[Step]:
    """Yield steps up to the one that has the targets of their search."""
    for step in found:
        yield step
        if isinstance(step.facts, steps.TargetsChosen):
            return


class SearchFollower:
    """What :func:`search_at` returns, for one step after another without reading it anew.

    Parameters
    ----------
    trace
        The record of a run.
    """

    __slots__ = ("_at", "_reader", "_starts", "_steps")

    def __init__(self, trace: Trace) -> None:
        self._steps = trace.steps
        self._starts = trace.of_kind("PreemptionStarted")
        self._at = -1
        self._reader: SearchReader | None = None

    def at(self, index: int) -> SearchProgress:
        """Return the search that a step belongs to, as it is after that step."""
        before, self._at = self._at, index
        step = self._steps[index]
        if self._goes_on(before, step):
            assert self._reader is not None
            self._reader.take(step)
            return self._reader.progress()
        self._reader = None
        if isinstance(step.facts, _BOUNDARIES):
            is_nomination = isinstance(step.facts, steps.NominationStarted)
            return SearchProgress(step.workload) if is_nomination else SearchProgress()
        start = _start_of_search(self._steps, index)
        if start is None:
            return _carried_out(self._steps, step, self._starts)
        self._reader = read_search(self._steps[start : index + 1])
        return self._reader.progress()

    def _goes_on(self, before: int, step: Step) -> bool:
        """Tell whether a step belongs to the search of the step before it."""
        if self._reader is None or step.index != before + 1:
            return False
        last = self._steps[before]
        return (
            (step.cycle, step.workload) == (last.cycle, last.workload)
            and not isinstance(step.facts, _BOUNDARIES)
            and not isinstance(step.facts, steps.PreemptionStarted)
        )
