"""What a lever costs: which workloads it evicts, which wait longer, whose quota shrinks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from kueuelab.errors import InputError, Problem
from kueuelab.messages import Message
from kueuelab.model import ModelObject
from kueuelab.session.answers import CostItem, CostPart, LeverCost
from kueuelab.session.member_run import MemberRun
from kueuelab.session.run_facts import RunFacts
from kueuelab.session.set_forks import set_lever_fork
from kueuelab.trace.wording import amount_text
from kueuelab.whatif.quotas import QuotaName, quotas_of
from kueuelab.whatif.report import Suggestion

__all__ = ["lever_cost", "levers_at"]

#: So many workloads or quotas of a part are named; of more, only how many.
_MOST_ITEMS: Final = 6


def levers_at(facts: RunFacts, workload: str, numbers: Sequence[int]) -> Suggestion:
    """Return a lever that can be tried, or several as one.

    Raises
    ------
    InputError
        If there is none with one of these numbers, or they change different clusters.
    """
    report = facts.levers(facts.run.key_of(workload))
    for number in numbers:
        if not 0 <= number < len(report) or not report[number].changes:
            raise InputError(Problem(Message("session.no-lever", number=number)))
    chosen = [report[number] for number in dict.fromkeys(numbers)]
    if len(chosen) == 1:
        return chosen[0]
    if len({each.cluster for each in chosen}) > 1:
        raise InputError(Problem(Message("session.levers.clusters")))
    return Suggestion(
        kind="levers",
        text=facts.words.separated([facts.words.render(each.text) for each in chosen]),
        changes=tuple(change for each in chosen for change in each.changes),
        time=max(each.time for each in chosen),
        cluster=chosen[0].cluster,
    )


def lever_cost(facts: RunFacts, workload: str, numbers: Sequence[int]) -> LeverCost:
    """Run a branch with a lever, or with several, and return what it costs.

    Parameters
    ----------
    facts
        The run that the lever was found for.
    workload
        The workload that it admits.
    numbers
        The numbers of the levers.

    Raises
    ------
    InputError
        If there is none with this number.
    """
    key, lever = facts.run.key_of(workload), levers_at(facts, workload, numbers)
    after, old, new = _with_lever(facts, lever)
    evicts = lever.evicts if len(numbers) == 1 else tuple(_evicted_since(facts, after))
    parts = (
        _part(facts, "evicts", list(_evicted(after, evicts))),
        _part(facts, "waits", list(_waiting(facts, after, {key, *evicts}))),
        *_quota_parts(facts, old, new),
        _part(facts, "gains", list(_gaining(facts, after, {key, *evicts}))),
    )
    found = tuple(part for part in parts if part.count)
    is_free = not any(part.kind in ("evicts", "waits", "shrinks") for part in found)
    note = facts.words.text("session.cost.none") if is_free else ""
    outcome = _end_of(after, key)
    return LeverCost(numbers[0], found, note, facts.words.text("session.cost.end", end=outcome))


def _with_lever(
    facts: RunFacts, lever: Suggestion
) -> tuple[RunFacts, Iterable[ModelObject], Iterable[ModelObject]]:
    """Run with a lever; return the facts of that run, and the objects without and with the lever.

    Of several clusters, these are the objects of the one that the lever changes.
    """
    run = facts.run
    if isinstance(run, MemberRun):
        fork, plain = set_lever_fork(run, lever), set_lever_fork(run, replace(lever, changes=()))
        after = MemberRun(fork.run(), run.name)
        before, changed = plain.objects(lever.cluster), fork.objects(lever.cluster)
        return RunFacts(after, facts.words), before, changed
    with_it = run.fork().change(*lever.changes)
    return RunFacts(with_it.run(), facts.words), run.fork().objects(), with_it.objects()


def _evicted_since(before: RunFacts, after: RunFacts) -> Iterator[str]:
    """Yield the workloads that are evicted after a run ended, and held quota then."""
    known = before.run.cluster.workloads
    events = after.run.cluster.events[len(before.run.cluster.events) :]
    for key in dict.fromkeys(e.object for e in events if e.reason.startswith("EvictedDueTo")):
        if key in known and known[key].has_quota_reservation:
            yield key


def _part(facts: RunFacts, kind: str, items: list[CostItem]) -> CostPart:
    title = facts.words.text(f"session.cost.{kind}", count=len(items))
    return CostPart(kind, title, len(items), tuple(items[:_MOST_ITEMS]))


def _evicted(after: RunFacts, workloads: Iterable[str]) -> Iterator[CostItem]:
    """Yield the workloads that are evicted, and where each of them ends."""
    for workload in workloads:
        yield CostItem(workload, workload, _end_of(after, workload, again=True))


def _waiting(before: RunFacts, after: RunFacts, others: set[str]) -> Iterator[CostItem]:
    """Yield the workloads that end further back in their queue, or pending and were not."""
    was = {each.workload: each for each in before.pending}
    for each in after.pending:
        if each.workload in others:
            continue
        old = was.get(each.workload)
        if old is None or old.position < each.position:
            yield CostItem(each.workload, each.workload, _end_of(after, each.workload))


def _gaining(before: RunFacts, after: RunFacts, others: set[str]) -> Iterator[CostItem]:
    """Yield the other workloads that are pending without the lever, and not with it."""
    waiting = {each.workload for each in after.pending}
    for each in before.pending:
        if each.workload not in waiting and each.workload not in others:
            yield CostItem(each.workload, each.workload, _end_of(after, each.workload))


def _end_of(facts: RunFacts, workload: str, *, again: bool = False) -> str:
    """Return where a workload is at the end of a run."""
    words = facts.words
    row = next((each for each in facts.pending if each.workload == workload), None)
    if row is not None and row.position:
        values = {"position": row.position, "queue": row.cluster_queue}
        return words.text("session.cost.position", **values)
    view = facts.state.workloads.get(workload)
    phase = "Finished" if view is None else view.phase or "Finished"
    form = "cost.again" if phase == "Admitted" and again else f"phase.{phase.lower()}"
    return words.text(f"session.{form}")


def _quota_parts(
    facts: RunFacts, before: Iterable[ModelObject], after: Iterable[ModelObject]
) -> Iterator[CostPart]:
    """Yield the quotas that are smaller, and those that are larger: they need machines."""
    old, new = quotas_of(before), quotas_of(after)
    changed = [name for name in {**old, **new} if old.get(name, 0) != new.get(name, 0)]
    for kind, sign in (("shrinks", -1), ("grows", 1)):
        items = [
            _quota_item(facts, name, old.get(name, 0), new.get(name, 0))
            for name in sorted(changed)
            if (new.get(name, 0) - old.get(name, 0)) * sign > 0
        ]
        yield _part(facts, kind, items)


def _quota_item(facts: RunFacts, name: QuotaName, before: int, after: int) -> CostItem:
    kind, owner, flavor, resource = name
    text = facts.words.text(
        "session.cost.quota",
        before=amount_text(resource, before),
        after=amount_text(resource, after),
        resource=resource,
        flavor=flavor,
    )
    return CostItem("", f"{kind} {owner}", text)
