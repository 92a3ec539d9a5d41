"""Several clusters: what they are, where a workload is in each, faults that make branches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from kueuelab.errors import UnknownObjectError
from kueuelab.messages import Catalog, Message
from kueuelab.model.times import MILLISECOND
from kueuelab.multikueue import ClusterSetRun
from kueuelab.multikueue.dispatches import seconds_text
from kueuelab.multikueue.hazards import Hazard, hazards
from kueuelab.multikueue.why import placement_at
from kueuelab.session.answers import BranchInfo, Comparison, QueueFigures, WorkloadChange
from kueuelab.session.cluster_protocol import (
    AddFault,
    ClusterInfo,
    ClusterLine,
    ClustersFound,
    FaultInfo,
    Faults,
    FaultsFound,
    HazardInfo,
    PlacementFound,
)
from kueuelab.session.figures import queue_figures
from kueuelab.session.run_facts import RunFacts
from kueuelab.session.session import ClusterSetBranch, Session
from kueuelab.trace.diff import queue_diffs
from kueuelab.views.comparison import JobComparison, compared
from kueuelab.views.faults import Offer, offers_at
from kueuelab.views.frame.domains import has_topologies
from kueuelab.views.rerun import branched, end_of, just_after

__all__ = [
    "cluster_set_info",
    "clusters_compared",
    "clusters_found",
    "faults_found",
    "hazard_infos",
    "placement_found",
    "with_fault",
]

_MOST_LINES: Final = 50
#: What is known of one of the clusters, by its name.
_FactsOf = Callable[[str], RunFacts]


def cluster_set_info(branch: ClusterSetBranch, facts_of: _FactsOf, words: Catalog) -> BranchInfo:
    """Return what the lists of branches say of several clusters.

    Parameters
    ----------
    branch
        The clusters.
    facts_of
        What is known of one of them.
    words
        The language.
    """
    infos = tuple(_infos(branch, facts_of, words))
    manager, steps = infos[0], len(branch.run.trace)
    workers = len(infos) - 1
    return BranchInfo(
        name=branch.name,
        parent=branch.parent,
        title=branch.run.trace.title or branch.name,
        about=words.text("session.clusters.about", count=workers, steps=steps),
        change=words.render(branch.change),
        steps=steps,
        workloads=manager.workloads,
        pending=manager.pending,
        clusters=infos,
        release=branch.run.trace.kueue_version,
        source="" if branch.input is None else branch.input.address,
    )


def _infos(branch: ClusterSetBranch, facts_of: _FactsOf, words: Catalog) -> Iterator[ClusterInfo]:
    manager = branch.manager
    for name in branch.clusters:
        facts = facts_of(name)
        count, steps = sum(facts.phases.values()), len(facts.trace)
        role = "manager" if name == manager else "worker"
        yield ClusterInfo(
            name=name,
            branch=f"{branch.name}/{name}",
            role=words.text(f"session.clusters.{role}"),
            about=words.text("session.branch.about", count=count, total=f"{count:,}", steps=steps),
            steps=steps,
            workloads=count,
            pending=facts.phases["Pending"] + facts.phases["QuotaReserved"],
            topologies=has_topologies(facts.trace),
        )


def clusters_found(branch: ClusterSetBranch, facts_of: _FactsOf, words: Catalog) -> ClustersFound:
    """Return several clusters at the end of their run."""
    run = branch.run
    return ClustersFound(
        sentence=_sentence(facts_of(branch.manager), words),
        clusters=tuple(_infos(branch, facts_of, words)),
        hazards=hazard_infos(run.hazards, words),
        races=tuple(words.render(each.as_text()) for each in run.races[:_MOST_LINES]),
        left_out=tuple(reason for _, reason in run.left_out[:_MOST_LINES]),
    )


def _sentence(manager: RunFacts, words: Catalog) -> str:
    phases: Counter[str] = manager.phases
    waiting = phases["Pending"] + phases["QuotaReserved"] + phases["Evicted"]
    return words.text(
        "session.clusters.sentence",
        count=sum(phases.values()),
        running=phases["Admitted"],
        waiting=waiting,
        finished=phases["Finished"],
    )


def hazard_infos(found: Iterable[Hazard], words: Catalog) -> tuple[HazardInfo, ...]:
    """Return hazards in words."""
    return tuple(
        HazardInfo(
            each.id, each.workload, each.cluster, words.render(each.what), words.render(each.remedy)
        )
        for each in found
    )


def placement_found(
    run: ClusterSetRun, workload: str, step: int | None, words: Catalog
) -> PlacementFound:
    """Return where a workload is in every cluster after a step, and why.

    Raises
    ------
    UnknownObjectError
        If there is no such step, or no cluster ever had such a workload.
    """
    index = _step(run, len(run.trace) - 1 if step is None else step)
    if workload not in run.trace.workloads:
        raise UnknownObjectError("workload", workload, run.trace.workloads)
    state = run.trace.state_at(index)
    found = placement_at(state, run.dispatches, workload, index)
    clusters = {name: state[name] for name in run.cluster_set.members}
    dangers = hazards(clusters, run.dispatches, index)
    return PlacementFound(
        workload,
        index,
        tuple(ClusterLine(cluster, words.render(text)) for cluster, text in found.lines),
        hazard_infos((each for each in dangers if each.workload == workload), words),
    )


# --- faults ------------------------------------------------------------------------------


def faults_found(run: ClusterSetRun, asked: Faults, words: Catalog) -> FaultsFound:
    """Return the faults that a cluster can have after a step.

    Raises
    ------
    UnknownObjectError
        If there is no such cluster or step.
    """
    cluster, offers = _offers(run, asked)
    return FaultsFound(
        cluster,
        seconds_text(_time(run, asked)),
        tuple(
            FaultInfo(each.id, words.render(each.label), words.render(each.hint)) for each in offers
        ),
    )


def with_fault(session: Session, branch: ClusterSetBranch, asked: AddFault) -> Session:
    """Run several clusters again with a fault, as a branch.

    Raises
    ------
    UnknownObjectError
        If there is no such cluster or step, or it cannot have this fault then.
    """
    run = branch.run
    cluster, offers = _offers(run, asked)
    known = {each.id: each for each in offers}
    if asked.fault not in known:
        raise UnknownObjectError("fault", asked.fault, known)
    time = _time(run, asked)
    at = just_after(time)
    scenario = branched(run, known[asked.fault].actions(run, at))
    change = Message(
        "session.clusters.fault", fault=known[asked.fault].label, time=seconds_text(time)
    )
    after = scenario.run(until=end_of(run, at))
    return session.set_kept(branch.name, f"{branch.name}: {asked.fault} {cluster}", change, after)


def _offers(run: ClusterSetRun, asked: Faults | AddFault) -> tuple[str, tuple[Offer, ...]]:
    members = run.cluster_set.members
    cluster = asked.cluster or run.cluster_set.manager.member.name
    if cluster not in members:
        raise UnknownObjectError("cluster", cluster, members)
    state = run.trace.state_at(_step(run, asked.step))
    return cluster, offers_at(run, state, cluster, asked.workload)


def _time(run: ClusterSetRun, asked: Faults | AddFault) -> int:
    """Return when a fault would happen, nanoseconds since the start."""
    return run.trace[asked.step].time + max(0, asked.elapsed) * MILLISECOND - run.start


def _step(run: ClusterSetRun, step: int) -> int:
    if not 0 <= step < len(run.trace):
        raise UnknownObjectError("step", str(step))
    return step


# --- comparing ---------------------------------------------------------------------------


def clusters_compared(
    before: ClusterSetBranch, after: ClusterSetBranch, words: Catalog, *, rest: bool = False
) -> Comparison:
    """Return where the jobs of two runs of the same clusters ran, and the figures of each cluster.

    Parameters
    ----------
    before, after
        The runs.
    words
        The language.
    rest
        Whether to return also what is the same.
    """
    found = compared(before.run, after.run, before.name, after.name, words)
    count = sum(job.differs for job in found.jobs)
    # What differs comes first.
    shown = sorted(
        (job for job in found.jobs if rest or job.differs), key=lambda job: not job.differs
    )
    figures = tuple(_figures(before.run, after.run, words, rest=rest))
    first = [words.render(found.divergence_text)] if found.divergence is not None else []
    form = "ends" if count else "same" if found.divergence is None else "same-ends"
    return Comparison(
        sentence=words.text(f"session.compare.{form}", count=count),
        first=tuple(first),
        step_before=None,
        step_after=found.divergence,
        workloads=tuple(_change(job, words) for job in shown[:_MOST_LINES]),
        more_workloads=max(0, len(shown) - _MOST_LINES),
        queues=(),
        figures=figures[:_MOST_LINES],
        more_figures=max(0, len(figures) - _MOST_LINES),
    )


def _figures(
    before: ClusterSetRun, after: ClusterSetRun, words: Catalog, *, rest: bool
) -> Iterator[QueueFigures]:
    """Yield the figures of the queues and cohorts of each cluster."""
    over = max(run.trace.end - run.start for run in (before, after))
    for cluster, other in after.traces.items():
        one = before.traces.get(cluster)
        if one is not None:
            queues = queue_diffs(one, other, over)
            yield from queue_figures(one, other, queues, words, rest=rest, cluster=cluster)


def _change(job: JobComparison, words: Catalog) -> WorkloadChange:
    _, before, after, _ = map(words.render, job.cells)
    return WorkloadChange(job.workload, before, after, "")
