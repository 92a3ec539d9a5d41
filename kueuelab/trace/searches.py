"""Searches for preemption targets, read from the steps that they recorded.

A search is everything between ``PreemptionStarted`` and ``TargetsChosen``. A finished search has
one verdict for each workload that it considered, with the rule that decided. Of a search in
progress, and of the steps that carry it out, :func:`search_at` returns each candidate with its
status at that step.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from kueuelab.trace import steps
from kueuelab.trace.search import Candidate, Search, SearchProgress
from kueuelab.trace.search_reader import SearchReader, read_search
from kueuelab.trace.step import Step

__all__ = ["decisive", "search_at", "searches"]


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


def decisive(found: Iterable[Step], workload: str) -> Search | None:
    """Return the search whose targets the workload ended up with, ``None`` if it has none.

    Flavors that are tried out, fewer pods and overlapping targets make for more than one.
    """
    own = [step for step in found if step.workload == workload]
    targets: tuple[tuple[str, str], ...] = ()
    for step in own:
        if isinstance(step.facts, steps.Nominated | steps.Recomputed | steps.EntryProcessed):
            targets = step.facts.targets
    for search in reversed(searches(own, workload)):
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


def search_at(found: Sequence[Step], index: int) -> SearchProgress:
    """Return the search that a step belongs to, as it is after that step.

    A step after the search (the entry is processed, a target is evicted) has the whole search
    with the targets of the step.
    """
    if not 0 <= index < len(found):
        return SearchProgress()
    step = found[index]
    if isinstance(step.facts, _BOUNDARIES) and not isinstance(step.facts, steps.NominationStarted):
        return SearchProgress()
    start = _start_of_search(found, index)
    if start is not None:
        return read_search(found[start : index + 1]).progress()
    return _carried_out(found, step)


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


def _carried_out(found: Sequence[Step], step: Step) -> SearchProgress:
    """Return the search whose targets a later step carries out."""
    facts = step.facts
    preemptor = step.workload
    targets: tuple[tuple[str, str], ...] = getattr(facts, "targets", ())
    if isinstance(facts, steps.Evicted) and facts.preemptor:
        preemptor, targets = facts.preemptor, ((step.workload, facts.preemption_reason),)
    if targets or isinstance(facts, steps.EntryProcessed):
        search = _last_search(found, step, preemptor)
        if search and search.has_targets(targets):
            return replace(search.progress(), preempting=bool(targets))
    chosen = tuple(
        Candidate(key, "", "target", "", step.index, rank, reason)
        for rank, (key, reason) in enumerate(targets, 1)
    )
    return SearchProgress(preemptor, bool(targets), chosen)


def _last_search(found: Sequence[Step], step: Step, preemptor: str) -> SearchReader | None:
    """Return the last search by a workload in the cycle of a step and before that step."""
    end = step.index
    for at in range(step.index - 1, -1, -1):
        each = found[at]
        if each.cycle != step.cycle or isinstance(each.facts, steps.CycleStarted):
            break
        if each.workload != preemptor:
            continue
        if isinstance(each.facts, steps.TargetsChosen):
            end = at
        if isinstance(each.facts, steps.PreemptionStarted):
            return read_search(each for each in found[at : end + 1] if each.workload == preemptor)
    return None
