"""A part of one run as text: what happened, one section of an explanation, an order, quotas."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any, Final

from kueuelab.messages import Message, english
from kueuelab.model.times import format_duration
from kueuelab.teaching.measures import AnyRun, placed, step_at
from kueuelab.trace.breakpoints import Breakpoint
from kueuelab.trace.names import short_name
from kueuelab.trace.text_table import text_table
from kueuelab.views import Document
from kueuelab.views.frame.domains_text import topology_text
from kueuelab.views.frame.text import picture_text

__all__ = [
    "domains",
    "events",
    "explain",
    "kind",
    "order",
    "placements",
    "quotas",
    "racks",
    "stories",
]

_SECOND: Final = 10**9
_WIDTH: Final = 96


def events(
    run: AnyRun,
    *jobs: str,
    what: tuple[str, ...] | str = (),
    since: float = 0,
    until: float = float("inf"),
) -> None:
    """Print what happened to jobs: the time, the cycle, the job, and what was decided.

    Parameters
    ----------
    run
        The run.
    jobs
        Their names; all jobs, if left out.
    what
        Which rows of the timeline: ``admittedAtOnce``, ``preempted``, ``pending``, ...; all rows
        but that a workload is tried again, if left out.
    since, until
        Only rows between these times, in seconds after the start.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> run = scenarios.load("reclaim-cohort-2-late").run()
    >>> events(run, "job-1", what="preempted")
    8m1s  cycle 4  job-1  preempted by default/job-2 (InCohortReclamation)
    """
    kinds = (what,) if isinstance(what, str) else what
    rows: list[tuple[str, ...]] = [
        (
            format_duration(row.since),
            Message("teaching.events.cycle", cycle=row.cycle) if row.cycle else "",
            short_name(row.subject),
            row.text,
        )
        for row in run.timeline
        if (row.what in kinds if kinds else row.what != "woken")
        and since * _SECOND <= row.since < until * _SECOND
        and (not jobs or short_name(row.subject) in jobs)
    ]
    _aligned(rows or [(english().text("teaching.events.none"),)])


def explain(run: AnyRun, job: str, *sections: str, at: Any = None) -> None:
    """Print some sections of `run.why`: with their titles, if there are several.

    Parameters
    ----------
    run
        The run.
    job
        The workload, by its name or that of its job.
    sections
        ``status``, ``flavors``, ``candidates``, ``attempts``, ``order``, ``outcome``, ``next``;
        those that the explanation does not have are left out.
    at
        The step: what `run.until` gives, or an index; the end of the run, if left out.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> run = scenarios.load("queues-1-flavors-and-namespaces").run()
    >>> explain(run, "lost", "status")  # doctest: +ELLIPSIS
    vision/lost ...
    """
    story = run.why(job, at=step_at(run, at))
    for name in sections:
        section = story.section(name)
        if section is None:
            continue
        if len(sections) > 1:
            print(section.title)
        for line in section.lines:
            print(line.text if len(sections) == 1 else f"  {line.text}")


def quotas(run: AnyRun, at: Any = None) -> None:
    """Print queues with their quota, usage and workloads, at a step or in the end.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> quotas(scenarios.load("within-cq-2-overtaken").run())
    ClusterQueue shared
      [....................] default/cpu, 0 of 4 used
      LocalQueue default/team: no pending workloads
    """
    print(picture_text(Document(run).frame(step_at(run, at))))


def order(run: AnyRun, cycle: int) -> None:
    """Print in which order the heads of a cycle were processed, and by which rule.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> order(scenarios.load("order-1-after-the-big-one").run(), cycle=6)
    job     borrows  priority  arrived  before the next by
    urgent  no       100       40s      priority
    lesson  no       0         30s      borrows-less
    vip     yes      1000      10s
    """
    start = run.trace[0].time
    facts = next(step.facts for step in run.trace.cycle(cycle) if step.kind == "EntriesOrdered")
    rows = [
        (
            short_name(job),
            "yes" if numbers["borrowing"] else "no",
            str(numbers["priority"]),
            format_duration(numbers["queuedAt"] - start),
            rule,
        )
        for job, numbers, rule in zip(facts.entries, facts.numbers, (*facts.why, ""), strict=True)
    ]
    print(
        text_table(("job", "borrows", "priority", "arrived", Message("teaching.order.rule")), rows)
    )


def stories(runs: Mapping[str, AnyRun]) -> None:
    """Print title, description and outcome of scenarios.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> stories({"first": scenarios.load("within-5-quotas-swapped").run()})  # doctest: +ELLIPSIS
    first: ...
    """
    for name, run in runs.items():
        print(f"{name}: {run.scenario.title}")
        spec = run.scenario.spec
        text = f"{spec.description} {spec.outcome}".rstrip()
        print(textwrap.fill(text, _WIDTH, initial_indent="  ", subsequent_indent="  "))


def domains(run: AnyRun, search: int = 0) -> None:
    """Print how a search for topology domains judged each domain.

    Parameters
    ----------
    run
        The run.
    search
        Which search of the run; they count from 0.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> domains(scenarios.load("racks-1-levels").run())  # doctest: +ELLIPSIS
    domain  room for  gets  verdict
    ...
    """
    facts = run.trace[run.trace.of_kind("DomainsSearched")[search]].facts
    rows = [
        (
            domain,
            Message("teaching.domains.pods", count=pods),
            str(given),
            Message(f"teaching.domains.verdict.{verdict}"),
        )
        for domain, pods, given, verdict in zip(
            facts.domains, facts.pods, facts.given, facts.verdicts, strict=True
        )
    ]
    print(text_table(("domain", Message("teaching.domains.room"), "gets", "verdict"), rows))


def kind(*kinds: str) -> Breakpoint:
    """Return the condition that a step is of a kind, for ``run.until``.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> scenarios.load("racks-1-levels").run().until(kind("DomainsSearched")).step.kind
    'DomainsSearched'
    """
    return Breakpoint.kind(*kinds)


def racks(run: AnyRun, at: Any = None) -> None:
    """Print the topology domains with what is free in them, at a step or in the end.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> racks(scenarios.load("racks-2-node-fails").run())  # doctest: +ELLIPSIS
    Flavor default, topology default
      rack r1: 24 cpu of 24 free; 3 hosts
    ...
    """
    print(topology_text(Document(run).frame(step_at(run, at)), english()))


def placements(run: AnyRun, job: str) -> None:
    """Print where a job's pods are after each step that has to do with nodes.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> placements(scenarios.load("racks-2-node-fails").run(), "train")  # doctest: +ELLIPSIS
    1s    QuotaReserved        2 on r1-h1, 2 on r1-h2
    ...
    """
    kinds = ("NodeMarkedUnhealthy", "PodsPlaced", "Evicted", "QuotaReserved")
    start = run.trace[0].time
    _aligned(
        [
            (format_duration(step.time - start), step.kind, placed(job, step.index)(run))
            for step in run.trace
            if step.kind in kinds
        ]
    )


def _aligned(rows: list[tuple[str, ...]]) -> None:
    if rows:
        header, *rest = rows
        print(text_table(header, rest))
