"""Why a workload is where it is, in plain sentences with the numbers.

Everything is read from the trace; nothing is decided here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from kueuelab.messages import Catalog
from kueuelab.trace import (
    explain_chance,
    explain_cycle,
    explain_dump,
    explain_evictions,
    explain_next_steps,
    explain_order,
    explain_preemption,
    explain_slices,
    explain_state,
    explain_variants,
    steps,
)
from kueuelab.trace.explain_evictions import needed_by
from kueuelab.trace.explanation import Explanation, Line, Section
from kueuelab.trace.merge_lines import merge_similar_lines
from kueuelab.trace.reading import State
from kueuelab.trace.search import Search
from kueuelab.trace.status_read import evictions_before
from kueuelab.trace.step import Step
from kueuelab.trace.step_text import step_text
from kueuelab.trace.trace import Trace
from kueuelab.trace.wording import amount_text, time_text, verdict_of
from kueuelab.trace.workload_moment import (
    WorkloadMoment,
    looks,
    workload_moment,
)

__all__ = [
    "Eviction",
    "Explanation",
    "Line",
    "Section",
    "explanation_of",
    "step_text",
    "who_evicted",
    "why",
    "why_in_clusters",
    "why_not",
]

#: The sections of an explanation, in order.
_SECTIONS: Final[tuple[tuple[str, Callable[[WorkloadMoment], Iterator[Line]]], ...]] = (
    ("dump", explain_dump.dump),
    ("status", explain_state.status),
    ("slices", explain_slices.slices),
    ("variants", explain_variants.variants),
    ("queue", explain_state.queue),
    ("places", explain_state.places),
    ("order", explain_order.order),
    ("flavors", explain_cycle.flavors),
    ("candidates", explain_preemption.candidates),
    ("attempts", explain_preemption.attempts),
    ("chance", explain_chance.chance),
    ("outcome", explain_cycle.outcome),
    ("checks", explain_state.checks),
    ("evictions", explain_evictions.evictions),
    ("next", explain_next_steps.next_steps),
)


def why(
    trace: Trace, workload: str, at: int | None = None, catalog: Catalog | None = None
) -> Explanation:
    """Tell why a workload is where it is.

    Parameters
    ----------
    trace
        The record of the run.
    workload
        ``namespace/name``.
    at
        The index of the step after which to look; the last one if omitted.
    catalog
        The language; English if omitted.

    Raises
    ------
    UnknownObjectError
        If no step of the trace is about such a workload.
    """
    return explanation_of(workload_moment(trace, workload, at, catalog))


def explanation_of(at: WorkloadMoment) -> Explanation:
    """Tell why a workload is where it is, at a step that is known already."""
    return _explanation(at, ((id_, write(at)) for id_, write in _SECTIONS))


def _explanation(at: WorkloadMoment, written: Iterable[tuple[str, Iterable[Line]]]) -> Explanation:
    sections = []
    cycle = 0 if at.cycle is None else at.cycle.number
    for id_, found in written:
        lines = tuple(found)
        if lines:
            title = _title(at, id_, cycle)
            sections.append(Section(id_, title, lines, merge_similar_lines(lines, at.words)))
    time = at.trace[at.at].time if at.at >= 0 else 0
    title = at.words("status.title", workload=at.workload, time=time_text(time))
    return Explanation(at.workload, at.at, time, at.phase, title, tuple(sections))


def _title(at: WorkloadMoment, id_: str, cycle: int) -> str:
    """Return a section's title; it says of what time numbers are that no longer hold."""
    then = f"section.{id_}.then"
    if id_ == "flavors" and at.moved_from:
        return at.words("section.flavors.moved", queue=at.moved_from, **at.looked_at)
    if at.phase == "Pending" and then in at.words.catalog and at.is_past:
        return at.words(then, **at.looked_at)
    return at.words(f"section.{id_}", cycle=cycle)


# --- one pair --------------------------------------------------------------------------


def why_in_clusters(
    trace: Trace,
    traces: Mapping[str, Trace],
    workload: str,
    at: int | None = None,
    catalog: Catalog | None = None,
) -> Iterator[tuple[str, Explanation]]:
    """Yield each cluster that has a workload after a step, and why it is where it is there.

    Parameters
    ----------
    trace, traces
        The record of several clusters, and that of each by itself.
    workload
        ``namespace/name``.
    at
        A step of all clusters. If omitted, those that had the workload at any time are in, too.
    catalog
        The language.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> run = scenarios.load("lost-worker").run()
    >>> [name for name, _ in why_in_clusters(run.trace, run.traces, "default/train", 40)]
    ['manager']
    """
    steps = Counter(step.cluster for step in trace.steps[: len(trace) if at is None else at + 1])
    for cluster, own in traces.items():
        last = steps[cluster] - 1
        if not own.index.knows(workload):
            continue
        if at is None or (last >= 0 and own.state_at(last).workload(workload)):
            yield cluster, why(own, workload, last, catalog)


def why_not(
    trace: Trace,
    workload: str,
    victim: str,
    at: int | None = None,
    catalog: Catalog | None = None,
) -> Explanation:
    """Tell why a workload does not preempt another one, or that it does.

    It is the last cycle that searched for targets for the workload; if there is none,
    the last one that considered the workload at all.

    Raises
    ------
    UnknownObjectError
        If no step of the trace is about one of the two.
    """
    found = workload_moment(trace, workload, at, catalog)
    workload_moment(trace, victim, at, catalog)
    for cycle, look in looks(trace, workload, found.at):
        # The search for targets counts more than trying out a flavor before it.
        made = sorted(look.searches, key=lambda search: search.started.purpose == "flavor")
        chosen = look.decisive
        for search in made if chosen is None else [chosen, *made]:
            line = _pair_line(found, search, victim, decided=search is chosen)
            if line is not None:
                return _explanation(found, [("candidates", [line])])
        if made:
            reason = _unseen(found, victim, trace.state_at(cycle.first))
            return _explanation(found, [("candidates", [_no(found, victim, reason)])])
    line = _no(found, victim, _without_search(found))
    return _explanation(found, [("candidates", [line])])


def _pair_line(at: WorkloadMoment, search: Search, victim: str, *, decided: bool) -> Line | None:
    verdict = search.verdict_on(victim)
    if verdict is not None:
        line = explain_preemption.verdict_line(search, verdict, at.words, decided=decided)
        because = explain_preemption.verdict_why(search, verdict, at.words)
        text = at.words(
            f"whynot.{line.verdict if line.verdict in ('target', 'possible') else 'not'}",
            workload=at.workload,
            victim=victim,
            why=because,
        )
        return Line(text, victim, line.verdict, line.rule, line.numbers, line.step)
    state = at.trace.state_at(search.first)
    queue = state.workload(victim).cluster_queue
    if not state.workload(victim).holds_quota:
        return None
    above = {queue, *state.cohort_path(queue)}
    for skipped in search.skipped:
        if skipped.queue in above:
            because = explain_preemption.queue_why(search, skipped, at.words)
            line = _no(at, victim, (skipped.rule, because))
            return replace(line, numbers=dict(skipped.numbers), step=skipped.step)
    return None


def _no(at: WorkloadMoment, victim: str, reason: tuple[str, str]) -> Line:
    rule, because = reason
    text = at.words("whynot.not", workload=at.workload, victim=victim, why=because)
    return Line(text, victim, "excluded", rule)


def _unseen(at: WorkloadMoment, victim: str, state: State) -> tuple[str, str]:
    words = at.words
    if not state.workload(victim).holds_quota:
        return "no-quota", words("whynot.noQuota", victim=victim)
    queue = state.workload(victim).cluster_queue
    own_path, other_path = state.cohort_path(at.queue), state.cohort_path(queue)
    if queue != at.queue and (not own_path or own_path[-1:] != other_path[-1:]):
        text = words("whynot.otherTree", victimQueue=queue, queue=at.queue)
        return "other-cohort", text
    return "not-looked-at", words("whynot.unknown", victim=victim)


def _without_search(at: WorkloadMoment) -> tuple[str, str]:
    form = "never"
    for step in at.own:
        facts = step.facts
        if isinstance(facts, steps.FlavorConsidered):
            form = {"ExceedsMaximum": "exceeds", "NoPreemption": "borrow"}.get(
                verdict_of(facts), "fits"
            )
        elif isinstance(facts, steps.FlavorRejected) and form == "never":
            form = "flavor"
    return f"no-search-{form}", at.words(f"whynot.noSearch.{form}", workload=at.workload)


# --- evictions -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Eviction:
    """The eviction of a workload, and what made it necessary.

    Attributes
    ----------
    workload
        The evicted workload.
    step, time, cycle
        When. Of an eviction before the run, that a dump has: the step that says so, the time (0
        if it is not known), and no cycle.
    reason, message
        Of the condition ``Evicted``.
    preemptor
        The workload that it made room for; ``""`` unless it was preempted, or if a dump names
        one that it doesn't have.
    preemption_reason
        ``InClusterQueue``, ``InCohortReclamation``, ...
    preemptor_path, preempted_path
        ``/root/.../cohort/queue`` of both.
    lowest_common_ancestor
        The lowest common ancestor of both queues; ``""`` within one ClusterQueue.
    needed
        What lacked: flavor, resource, requested, available, used and nominal.
    explanation
        All that in sentences.
    """

    workload: str
    step: int
    time: int
    cycle: int
    reason: str
    message: str
    preemptor: str
    preemption_reason: str
    preemptor_path: str
    preempted_path: str
    lowest_common_ancestor: str
    needed: tuple[tuple[str, str, int, int, int, int], ...]
    explanation: Explanation

    def __repr__(self) -> str:
        by = f" by {self.preemptor}" if self.preemptor else ""
        return f"<Eviction of {self.workload}{by}: {self.preemption_reason or self.reason}>"

    def as_text(self) -> str:
        """Return it as plain text."""
        return self.explanation.as_text()


def who_evicted(
    trace: Trace, workload: str, at: int | None = None, catalog: Catalog | None = None
) -> Eviction | None:
    """Return the last eviction of a workload, ``None`` if it was not evicted.

    Raises
    ------
    UnknownObjectError
        If no step of the trace is about such a workload.
    """
    found = workload_moment(trace, workload, at, catalog)
    own = trace.index.single_steps(workload)
    evicted = [i for i in own if i <= found.at and trace[i].kind == "Evicted"]
    if not evicted:
        before = evictions_before(trace, workload, found.at)
        return _evicted_before(found, before[-1]) if before else None
    step = trace[evicted[-1]]
    facts = step.facts
    assert isinstance(facts, steps.Evicted)
    needed = tuple(needed_by(trace, step, facts.preemptor)) if facts.preemptor else ()
    ancestor = _lowest_common_ancestor(facts.preemptor_path, facts.preemptee_path)
    lines = [] if facts.preemptor else [Line(found.words("evictions.no-preemptor"), workload)]
    lines += explain_evictions.eviction_lines(found, step)
    lines += _numbers_lines(found, facts, ancestor, needed)
    return _eviction(found, step, facts, lines, needed)


def _evicted_before(at: WorkloadMoment, step: Step) -> Eviction:
    """Return an eviction that a dump has; the numbers that led to it are unknown."""
    facts = step.facts
    assert isinstance(facts, steps.EvictedBefore)
    ancestor = _lowest_common_ancestor(facts.preemptor_path, facts.preemptee_path)
    lines = [] if facts.preemptor_uid else [Line(at.words("evictions.no-preemptor"), at.workload)]
    lines += explain_evictions.eviction_before_lines(at, step)
    if ancestor:
        lines.append(Line(at.words("evictions.meet", cohort=ancestor), about=ancestor))
    return _eviction(at, step, facts, lines)


def _eviction(
    at: WorkloadMoment,
    step: Step,
    facts: steps.Evicted | steps.EvictedBefore,
    lines: list[Line],
    needed: Iterable[steps.FlavorConsidered] = (),
) -> Eviction:
    time, cycle = step.time, step.cycle
    if isinstance(facts, steps.EvictedBefore):
        time, cycle = facts.when, 0
    return Eviction(
        at.workload,
        step.index,
        time,
        cycle,
        facts.reason,
        facts.message,
        facts.preemptor,
        facts.preemption_reason,
        facts.preemptor_path,
        facts.preemptee_path,
        _lowest_common_ancestor(facts.preemptor_path, facts.preemptee_path),
        tuple((f.flavor, f.resource, f.requested, f.available, f.used, f.nominal) for f in needed),
        _explanation(at, [("evictions", lines)]),
    )


def _lowest_common_ancestor(one: str, other: str) -> str:
    names, others = one.split("/")[1:], other.split("/")[1:]
    if not one or names == others:
        return ""
    common = ""
    for name, same in zip(names[:-1], others[:-1], strict=False):
        if name != same:
            break
        common = name
    return common


def _numbers_lines(
    at: WorkloadMoment,
    facts: steps.Evicted,
    ancestor: str,
    needed: Iterable[steps.FlavorConsidered],
) -> Iterator[Line]:
    if not facts.preemptor:
        return
    queue = facts.preemptor_path.rpartition("/")[2]
    if ancestor:
        yield Line(at.words("evictions.meet", cohort=ancestor), about=ancestor)
    for each in needed:
        yield Line(
            at.words(
                "evictions.numbers",
                preemptor=facts.preemptor,
                queue=queue,
                resource=each.resource,
                flavor=each.flavor,
                requested=amount_text(each.resource, each.requested),
                available=amount_text(each.resource, each.available),
                used=amount_text(each.resource, each.used),
                nominal=amount_text(each.resource, each.nominal),
            ),
            about=each.flavor,
            verdict=verdict_of(each),
            numbers={
                "requested": each.requested,
                "available": each.available,
                "used": each.used,
                "nominal": each.nominal,
            },
        )
