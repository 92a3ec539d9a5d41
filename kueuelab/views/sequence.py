"""The history of one job across clusters: the messages between them, from top to bottom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from kueuelab.errors import UnknownObjectError
from kueuelab.messages import Catalog, Message, language_of
from kueuelab.multikueue.dispatches import seconds_text
from kueuelab.multikueue.scenario import ClusterSetRun
from kueuelab.trace.multikueue_facts import (
    ClusterNameRefused,
    ClustersNominated,
    CopyCreated,
    CopyRemoved,
    MultiKueueCheck,
    PreemptionGateOpened,
    RaceDrawn,
    RemoteJobCreated,
    StatusRefused,
    WorkerChosen,
    WorkerConnectionChanged,
)
from kueuelab.trace.names import short_name
from kueuelab.trace.step import Step
from kueuelab.trace.steps import Admitted, Evicted, Finished, QuotaReserved, WorkloadCreated

__all__ = ["Sequence", "SequenceMessage", "sequence_of"]


@dataclass(frozen=True, slots=True)
class SequenceMessage:
    """Something that one cluster tells another, or notes for itself.

    Attributes
    ----------
    step
        The step of the trace that it is, or the first of several.
    at
        The time since the start of the run, in words.
    source, target
        Clusters; the same one for a note.
    words
        What it says.
    count
        How many times in a row.
    """

    step: int
    at: str
    source: str
    target: str
    words: str
    count: int = 1

    @property
    def text(self) -> str:
        """What it says, and how many times."""
        if self.count == 1:
            return self.words
        return Message("views.life.times", what=self.words, count=self.count)

    def as_text(self) -> str:
        """Return the message on one line.

        Examples
        --------
        >>> SequenceMessage(3, "1.1s", "manager", "w1", "creates a copy").as_text()
        '1.1s     manager → w1: creates a copy'
        """
        way = self.source if self.source == self.target else f"{self.source} → {self.target}"
        return Message("views.life.line", way=f"{self.at:<9}{way}", text=self.text)


@dataclass(frozen=True, slots=True)
class Sequence:
    """The history of one job: its clusters, and the messages in order."""

    workload: str
    clusters: tuple[str, ...]
    messages: tuple[SequenceMessage, ...]

    def as_text(self, language: str | Catalog | None = None) -> str:
        """Return the sequence, one message a line."""
        say = language_of(language).render
        head = f"{short_name(self.workload)}: {', '.join(self.clusters)}"
        return "\n".join([head, *(f"  {say(message.as_text())}" for message in self.messages)])


def sequence_of(run: ClusterSetRun, workload: str) -> Sequence:
    """Return the history of a job.

    Parameters
    ----------
    run
        The run.
    workload
        ``namespace/name``, or the name alone.

    Raises
    ------
    UnknownObjectError
        If the manager never had such a workload.
    """
    manager = run.cluster_set.manager.member.name
    known = sorted(
        step.workload
        for step in run.trace
        if step.kind == "WorkloadCreated" and step.cluster == manager
    )
    found = [key for key in known if workload in (key, short_name(key))]
    if not found:
        raise UnknownObjectError("workload", workload, dict.fromkeys(known))
    key, start = found[0], run.trace[0].time
    # The worker's own workloads of that name are not copies of it.
    copies = {
        s.facts.worker for s in run.trace if isinstance(s.facts, CopyCreated) and s.workload == key
    }
    messages: list[SequenceMessage] = []
    for step in run.trace:
        for said in _messages(step, key, manager, copies, start):
            last = messages[-1] if messages else said
            if messages and _sender_and_text(said) == _sender_and_text(last):
                messages[-1] = replace(last, count=last.count + 1)
            else:
                messages.append(said)
    used = {name for said in messages for name in (said.source, said.target)} | {manager}
    return Sequence(
        key, tuple(name for name in run.cluster_set.members if name in used), tuple(messages)
    )


def _sender_and_text(message: SequenceMessage) -> tuple[str, str, str]:
    return message.source, message.target, message.words


def _messages(
    step: Step, key: str, manager: str, copies: set[str], start: int
) -> Iterator[SequenceMessage]:
    facts: Any = step.facts
    at = seconds_text(step.time - start)
    if isinstance(facts, WorkerConnectionChanged):
        # How it was before anything happened is not part of the explanation.
        if facts.worker in copies and step.time > start:
            words = (
                Message("views.life.connected")
                if facts.active
                else Message("views.life.unreachable", reason=facts.reason)
            )
            yield SequenceMessage(step.index, at, facts.worker, facts.worker, words)
        return
    cluster = step.cluster
    if step.workload != key or cluster not in {manager, *copies}:
        return
    if cluster == manager:
        said = _of_manager(facts)
        if said is not None:
            source, target, text = said
            yield SequenceMessage(step.index, at, source or manager, target or manager, text)
    else:
        is_sent, text = _of_worker(facts)
        if text:
            yield SequenceMessage(step.index, at, cluster, manager if is_sent else cluster, text)


def _of_manager(facts: Any) -> tuple[str, str, str] | None:
    """Return source, target (``""`` is the manager) and words."""
    match facts:
        case WorkloadCreated():
            return "", "", Message("views.life.submitted")
        case QuotaReserved():
            return "", "", Message("views.lane.quota-reserved")
        case ClustersNominated(clusters=clusters):
            if clusters:
                return "", "", Message("views.life.nominates", clusters=", ".join(clusters))
            return "", "", Message("views.life.nominates-none")
        case CopyCreated(worker=worker):
            return "", worker, Message("views.life.creates-copy")
        case CopyRemoved(worker=worker):
            return "", worker, Message("views.life.removes-copy")
        case RemoteJobCreated(worker=worker):
            return "", worker, Message("views.life.creates-job")
        case PreemptionGateOpened(worker=worker):
            return "", worker, Message("views.life.may-preempt")
        case WorkerChosen(worker=worker):
            return "", "", Message("views.life.cluster-name", cluster=worker)
        case RaceDrawn(winner=winner, others=others):
            return "", "", Message("views.life.race", winner=winner, others=", ".join(others))
        case MultiKueueCheck(state=state, message=message):
            return "", "", Message("views.life.check", state=state, message=message)
        case Admitted():
            return "", "", Message("views.life.admitted")
        case Evicted(reason=reason):
            return "", "", Message("views.life.evicted", reason=reason)
        case Finished(reason=reason):
            return "", "", Message("views.life.finished", reason=reason)
        case ClusterNameRefused(worker=worker, current=current):
            if current:
                return worker, "", Message("views.life.rejected", cluster=current)
            return worker, "", Message("views.life.rejected-always")
        case StatusRefused(worker=worker):
            return worker, "", Message("views.life.status-rejected")
    return None


def _of_worker(facts: Any) -> tuple[bool, str]:
    """Return whether the message goes to the manager, and its words, possibly none."""
    match facts:
        case QuotaReserved():
            return False, Message("views.lane.quota-reserved")
        case Admitted():
            return True, Message("views.life.admitted")
        case Evicted(reason=reason):
            return True, Message("views.life.evicted", reason=reason)
        case Finished(reason=reason):
            return True, Message("views.life.finished", reason=reason)
    return False, ""
