"""Which entries were processed before a workload in its cycle, why, and with what result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any, Final

from kueuelab.trace import steps
from kueuelab.trace.explanation import Line
from kueuelab.trace.reading import State
from kueuelab.trace.step import Step
from kueuelab.trace.workload_moment import WorkloadMoment

__all__ = ["order", "processed_before"]

#: The rules that order entries, the one that counts most first.
_RANK: Final = (
    "quota-already-reserved",
    "preemptor",
    "borrows-less",
    "priority",
    "queued-earlier",
    "as-taken",
)


def order(at: WorkloadMoment) -> Iterator[Line]:
    """Say which workloads of the same cohort were processed before this one, and why.

    Those that took nothing made no difference; they are only named.
    """
    before = processed_before(at)
    took = {key for key, (_, held) in before.items() if held}
    shown: set[str] = set()
    for step in () if at.look is None else at.look.single_steps():
        facts = step.facts
        if isinstance(facts, steps.EntriesOrdered) and at.workload in facts.entries:
            found = _sorted_before(at, step, facts, took)
        elif isinstance(facts, steps.TournamentWon):
            found = _won_before(at, step, facts)
        elif isinstance(facts, steps.EntryProcessed) and step.workload == at.workload:
            break
        else:
            continue
        for line in found:
            if line.about in took and line.about not in shown:
                shown.add(line.about)
                yield line
    idle = [key for key in before if key not in took]
    if idle:
        text = at.words("order.idle", others=at.words.several(idle))
        yield Line(text, numbers={"others": idle})


def processed_before(at: WorkloadMoment) -> dict[str, tuple[Step, bool]]:
    """Return the workloads of the same cohort tree that were processed before this one.

    With the step that says what came of each, and whether that left less quota to those
    after it: a workload that gets its quota, preempts, or has quota kept for it.
    """
    near = _queues_of_tree(at)
    found: dict[str, tuple[Step, bool]] = {}
    held: set[str] = set()
    for step in () if at.look is None else at.look.single_steps():
        facts = step.facts
        if isinstance(facts, steps.QuotaHeld) and any(amount for _, _, amount in facts.usage):
            held.add(step.workload)
        elif isinstance(facts, steps.EntryProcessed):
            if step.workload == at.workload:
                return found
            if step.cluster_queue in near:
                found[step.workload] = step, step.workload in held
    return {}


def _sorted_before(
    at: WorkloadMoment, step: Step, facts: steps.EntriesOrdered, took: set[str]
) -> Iterator[Line]:
    place = facts.entries.index(at.workload)
    numbers = dict(zip(facts.entries, facts.numbers, strict=False))
    # Entries are sorted by one rule after the other: what tells two apart is the
    # rule that counts most among those between neighbours on the way.
    rules = list(accumulate(reversed(facts.why[:place]), _stronger))
    for index, other in enumerate(facts.entries[:place]):
        rule = rules[-1 - index] if index < len(rules) else ""
        if not rule or other not in took:
            continue  # A damaged record has no rule for this place.
        why = at.words.precedence(rule, other, at.workload, numbers)
        both = {
            "first": dict(numbers.get(other, {})),
            "second": dict(numbers.get(at.workload, {})),
        }
        yield _line(at, step, other, rule, why, both)


def _stronger(behind: str, rule: str) -> str:
    """Return which of two rules counts more; of equals the one in front."""
    return rule if _rank(rule) <= _rank(behind) else behind


def _rank(rule: str) -> int:
    return _RANK.index(rule) if rule in _RANK else len(_RANK)


def _won_before(at: WorkloadMoment, step: Step, facts: steps.TournamentWon) -> Iterator[Line]:
    """Say how the winner of a tournament came before the workload, if it took part."""
    lost = {each[0]: each for each in facts.lost}
    through, way = at.workload, lost.get(at.workload)
    while way is not None and way[1] != facts.winner:
        through, way = way[1], lost.get(way[1])
    if way is None:
        return
    state = at.trace.state_at(step.index)
    loser, winner, cohort, rule, winner_share, loser_share = way
    shares = {winner: winner_share, loser: loser_share}
    nodes = {
        "firstNode": _node(at, state, winner, cohort),
        "secondNode": _node(at, state, loser, cohort),
        "cohort": cohort,
    }
    why = at.words.precedence(
        rule,
        winner,
        loser,
        {key: _compared(state, key) for key in shares},
        shares,
        **(nodes if rule == "smaller-share" else {}),
    )
    if through != at.workload:
        why = at.words("order.through", through=through, why=why)
    plain = {key: "+Inf" if share == float("inf") else share for key, share in shares.items()}
    yield _line(at, step, winner, rule, why, {"shares": plain, "cohort": cohort})


def _compared(state: State, key: str) -> Mapping[str, Any]:
    view = state.workload(key)
    return {"priority": view.priority, "queuedAt": view.queued_at}


def _node(at: WorkloadMoment, state: State, key: str, cohort: str) -> str:
    """Return the child of a cohort on the way to a workload's ClusterQueue."""
    queue = state.workload(key).cluster_queue
    path = state.cohort_path(queue)
    below = path.index(cohort) - 1 if cohort in path else -1
    return at.words.node(f"Cohort/{path[below]}" if below >= 0 else f"ClusterQueue/{queue}")


def _line(
    at: WorkloadMoment, step: Step, other: str, rule: str, why: str, numbers: Mapping[str, Any]
) -> Line:
    text = at.words("order.before", first=other, second=at.workload, why=why)
    return Line(text, about=other, rule=rule, numbers=numbers, step=step.index)


def _queues_of_tree(at: WorkloadMoment) -> set[str]:
    """Return the ClusterQueues of the same cohort tree."""
    if not at.has_cohort:
        return {at.queue}
    roots, root = at.instant.roots, at.state.root_of(at.queue)
    return {name for name, each in roots.items() if each == root}
