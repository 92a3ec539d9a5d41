"""Two runs of the same clusters side by side: which job ran where, and when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from kueuelab.messages import Catalog, Message, clauses, language_of
from kueuelab.multikueue.dispatches import seconds_text
from kueuelab.multikueue.scenario import ClusterSetRun
from kueuelab.trace.multikueue_facts import CopyCreated, RemoteJobCreated
from kueuelab.trace.names import short_name
from kueuelab.trace.step import Step
from kueuelab.trace.step_text import step_text

__all__ = ["Comparison", "Execution", "JobComparison", "compared", "executions_of"]

_KINDS: Final = ("Admitted", "Evicted", "Finished", "WorkloadDeleted", "RemoteJobCreated")


@dataclass(frozen=True, slots=True)
class Execution:
    """A time for which a cluster had a job: from its admission there to its end.

    Attributes
    ----------
    cluster
        The cluster.
    start, end
        Nanoseconds since the start of the run; ``end`` is ``None`` while it goes on.
    how
        How it ended, ``""`` while it goes on.
    """

    cluster: str
    start: int
    end: int | None = None
    how: str = ""

    def as_text(self) -> str:
        """Return the execution on one line.

        Examples
        --------
        >>> Execution("w1", 1_300_000_000, 26_500_000_000, "finished").as_text()
        'w1 from 1.3s to 26.5s (finished)'
        """
        start = seconds_text(self.start)
        if self.end is None:
            return Message("views.compare.execution-open", cluster=self.cluster, start=start)
        return Message(
            "views.compare.execution",
            cluster=self.cluster,
            start=start,
            end=seconds_text(self.end),
            how=self.how,
        )


@dataclass(frozen=True, slots=True)
class JobComparison:
    """A job in both runs: where it ran, and where it stands at the end."""

    workload: str
    before: tuple[Execution, ...]
    after: tuple[Execution, ...]
    before_end: str
    after_end: str

    @property
    def differs(self) -> bool:
        """Whether the two are different."""
        return (self.before, self.before_end) != (self.after, self.after_end)

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """The line of a table: the job, before, after, and whether they differ."""
        name = short_name(self.workload)
        before = _summary(self.before, self.before_end)
        return (
            name,
            before,
            _summary(self.after, self.after_end),
            Message("views.compare.differs" if self.differs else "views.compare.equal"),
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs side by side.

    Attributes
    ----------
    before_title, after_title
        What they are called.
    divergence
        The first step of the other run that differs, as index; ``None`` if none does.
    divergence_text
        What happens there in both, in words.
    jobs
        Every job of the manager, and of a worker of its own.
    """

    before_title: str
    after_title: str
    divergence: int | None
    divergence_text: str
    jobs: tuple[JobComparison, ...]

    def as_text(self, language: str | Catalog | None = None) -> str:
        """Return the comparison as plain text."""
        words = language_of(language)
        lines = [
            words.text("views.compare.before", run=self.before_title),
            words.text("views.compare.after", run=self.after_title),
            words.render(self.divergence_text),
        ]
        for job in self.jobs:
            name, before, after, _ = map(words.render, job.cells)
            if job.differs:
                lines.append(f"≠ {name}")
                lines.append(f"    {words.text('views.runs.before', run=before)}")
                lines.append(f"    {words.text('views.runs.after', run=after)}")
            else:
                lines.append(f"= {name}: {before}")
        return "\n".join(lines)


def compared(
    before: ClusterSetRun,
    after: ClusterSetRun,
    before_title: str = "",
    after_title: str = "",
    language: str | Catalog | None = None,
) -> Comparison:
    """Return two runs side by side.

    Examples
    --------
    >>> from kueuelab.multikueue import load
    >>> run = load("rounds-step-by-step").run()
    >>> found = compared(run, run, "as it was", "once more")
    >>> found.divergence, found.jobs[0].differs
    (None, False)
    >>> print(found.jobs[0].before[0].as_text())
    w3 from 10m0.1s to 10m22.6s (finished)
    """
    one, other = executions_of(before), executions_of(after)
    keys = sorted({*one, *other})
    jobs = tuple(
        JobComparison(
            key, one.get(key, ()), other.get(key, ()), _end(before, key), _end(after, key)
        )
        for key in keys
    )
    divergence = _divergence(before, after)
    place = None if divergence is None else divergence[1].index
    text = _divergence_text(before.start, divergence, language_of(language))
    return Comparison(before_title, after_title, place, text, jobs)


def executions_of(run: ClusterSetRun) -> dict[str, tuple[Execution, ...]]:
    """Return where each job ran, and when, in the order of time.

    A copy counts when its job was created, too: an admission that lost the choice ran nothing.
    """
    manager = run.cluster_set.manager.member.name
    copies = {
        (step.facts.worker, step.workload)
        for step in run.trace
        if isinstance(step.facts, CopyCreated)
    }
    dispatched = {key for _, key in copies}
    found: dict[str, list[Execution]] = {}
    is_open: dict[tuple[str, str], Execution] = {}
    with_job: set[tuple[str, str]] = set()
    for step in run.trace:
        cluster, key = step.cluster, step.workload
        if step.kind == "WorkloadCreated" and (cluster == manager or (cluster, key) not in copies):
            found.setdefault(key, [])
        if step.kind not in _KINDS or (cluster == manager and key in dispatched):
            if isinstance(step.facts, RemoteJobCreated):
                with_job.add((step.facts.worker, key))
            continue
        place = cluster, key
        if step.kind == "Admitted":
            is_open[place] = Execution(cluster, step.time - run.start)
        elif place in is_open:
            execution = is_open.pop(place)
            ran = place in with_job or place not in copies
            if step.kind == "WorkloadDeleted":
                with_job.discard(place)
            if ran:
                ended = replace(execution, end=step.time - run.start, how=_how(step))
                found.setdefault(key, []).append(ended)
    for (cluster, key), execution in is_open.items():
        if (cluster, key) in with_job or (cluster, key) not in copies:
            found.setdefault(key, []).append(execution)
    return {key: tuple(sorted(executions, key=_order)) for key, executions in found.items()}


def _order(execution: Execution) -> tuple[int, str]:
    return execution.start, execution.cluster


def _how(step: Step) -> str:
    facts: Any = step.facts
    match step.kind:
        case "Evicted":
            return Message("views.compare.evicted", reason=facts.reason)
        case "Finished" if facts.reason == "Succeeded":
            return Message("views.compare.finished")
        case "Finished":
            return Message("views.compare.finished.reason", reason=facts.reason)
    return Message("views.compare.removed")


def _end(run: ClusterSetRun, key: str) -> str:
    """Say where a job stands on the manager when the run ends."""
    state = run.cluster_set.manager.member.workloads.get(key)
    at = seconds_text(run.cluster_set.now - run.start)
    if state is None:
        own = [name for name, member in run.cluster_set.workers.items() if key in member.workloads]
        return "" if own else Message("views.compare.end.gone", at=at)
    if state.is_finished:
        return _with_cluster(Message("views.compare.finished"), state.cluster_name)
    if state.is_evicted:
        return _with_cluster(Message("views.compare.end.evicted", at=at), state.cluster_name)
    if state.is_admitted:
        return _with_cluster(Message("views.compare.end.admitted", at=at), state.cluster_name)
    if state.has_quota_reservation:
        return Message("views.compare.end.waits-for-worker", at=at)
    return Message("views.compare.end.waits-for-quota", at=at)


def _with_cluster(end: Message, cluster: str | None) -> Message:
    if not cluster:
        return end
    return Message("views.compare.end.cluster", end=end, cluster=cluster)


def _summary(executions: tuple[Execution, ...], end: str) -> str:
    ran = clauses([each.as_text() for each in executions])
    ran = ran or Message("views.compare.ran-nowhere")
    return Message("views.compare.ran", where=ran, end=end) if end else ran


def _divergence(before: ClusterSetRun, after: ClusterSetRun) -> tuple[Step, Step] | None:
    """Return the steps that are the first to differ; what is only announced doesn't count."""
    for one, other in zip(_decision_steps(before), _decision_steps(after), strict=False):
        if _says(one) != _says(other):
            return one, other
    return None


def _decision_steps(run: ClusterSetRun) -> Iterator[Step]:
    return (step for step in run.trace if step.kind != "EventEmitted")


def _says(step: Step) -> tuple[object, ...]:
    return step.time, step.cluster, step.workload, step.cluster_queue, step.facts


def _divergence_text(start: int, divergence: tuple[Step, Step] | None, words: Catalog) -> str:
    if divergence is None:
        return Message("views.compare.same")
    one, other = (_step_text(step, start, words) for step in divergence)
    return Message("views.compare.diverge", before=one, after=other)


def _step_text(step: Step, start: int, words: Catalog) -> str:
    time, text = seconds_text(step.time - start), step_text(step, words)
    if step.cluster:
        return Message("views.compare.step.cluster", time=time, cluster=step.cluster, text=text)
    return Message("views.compare.step", time=time, text=text)
