"""What the answers about one run have in common: each part is made when it is first needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from kueuelab.errors import NotModelledError
from kueuelab.forecast import Baselines
from kueuelab.manifests import ModelObject, ScenarioSpec
from kueuelab.manifests.scenario import Submit
from kueuelab.messages import Catalog, Message
from kueuelab.model import Workload
from kueuelab.session.member_run import MemberRun
from kueuelab.session.workload_rows import IndexedRow
from kueuelab.trace.pending_cause import CAUSES, Cause
from kueuelab.trace.pending_workloads import PendingWorkload, pending_workloads
from kueuelab.trace.reading import State
from kueuelab.trace.timeline import Row, timeline
from kueuelab.trace.wording import MessageParts
from kueuelab.trace.workload_groups import WorkloadGroups
from kueuelab.trace.workload_moment import Instant
from kueuelab.views.frame.document import Document
from kueuelab.views.run_index import RunIndex
from kueuelab.whatif.clusters import MultiKueueRun
from kueuelab.whatif.copies import Copies
from kueuelab.whatif.lab import LabRun
from kueuelab.whatif.report import Report

__all__ = ["RunFacts"]

#: Of so many causes, each is of one ClusterQueue.
_MANY_CAUSES: Final = 40


class RunFacts:
    """What is known of a run at its end.

    Parameters
    ----------
    run
        The run; of several clusters, one of them.
    words
        The language.
    """

    def __init__(self, run: LabRun | MemberRun, words: Catalog) -> None:
        self.run = run
        self.words = words
        self.trace = run.trace
        #: Rows of sweeps of what is open, by sweep and number of the run.
        self.swept: dict[str, dict[int, dict[str, Any]]] = {}
        self._levers: dict[str, Report] = {}
        self._baselines: tuple[str, Baselines] | None = None
        #: What the table showed last: a page that is scrolled asks for the same rows again.
        self.shown: tuple[Any, Any] = (None, None)
        self.matching: tuple[Any, str, Sequence[IndexedRow]] = (None, "", ())

    @property
    def lab_run(self) -> LabRun:
        """The run, to be forked.

        Raises
        ------
        NotModelledError
            If it is one of several clusters: they are not forked at a step.
        """
        if isinstance(self.run, MemberRun):
            hint = Message("session.clusters.levers.hint")
            raise NotModelledError(Message("session.clusters.fork"), hint=hint)
        return self.run

    @cached_property
    def spec(self) -> ScenarioSpec:
        """What was decided; of one of several clusters, that of all of them."""
        run = self.run
        return run.whole.scenario.spec if isinstance(run, MemberRun) else run.fork(0).spec

    def objects(self) -> Iterator[ModelObject]:
        """Yield the objects at the start; of one of several clusters, those of all of them."""
        if not isinstance(self.run, MemberRun):
            yield from self.run.fork(0).objects()
            return
        yield from self.spec.manifests
        for worker in self.spec.workers:
            yield from worker.manifests

    @cached_property
    def instant(self) -> Instant:
        """The end of the run."""
        return Instant(self.trace, len(self.trace) - 1)

    @property
    def state(self) -> State:
        """The state at the end."""
        return self.instant.state

    @cached_property
    def parts(self) -> MessageParts:
        """The words of the trace."""
        return MessageParts(self.words)

    @cached_property
    def pending(self) -> tuple[PendingWorkload, ...]:
        """The pending workloads, by queue and position."""
        return pending_workloads(self.trace, None, self.words)

    @cached_property
    def pending_by_workload(self) -> Mapping[str, PendingWorkload]:
        """The pending workloads by their keys."""
        return {each.workload: each for each in self.pending}

    @cached_property
    def causes(self) -> Mapping[Cause, Sequence[PendingWorkload]]:
        """The pending workloads by cause: the largest group first, and those that need a change."""
        groups: dict[Cause, list[PendingWorkload]] = {}
        for each in self.pending:
            groups.setdefault(each.cause, []).append(each)
        order = {kind: number for number, kind in enumerate(CAUSES)}
        ranked = sorted(groups, key=lambda it: (-len(groups[it]), order[it.kind], it.id))
        return {cause: groups[cause] for cause in ranked}

    @cached_property
    def cause_groups(self) -> Mapping[Cause, Sequence[PendingWorkload]]:
        """The causes as they are shown: of many, those that differ in their queue alone are one.

        Such a cause has no queue.
        """
        if len(self.causes) <= _MANY_CAUSES:
            return self.causes
        groups: dict[Cause, list[PendingWorkload]] = {}
        for cause, found in self.causes.items():
            groups.setdefault(_in_any_queue(cause), []).extend(found)
        return dict(sorted(groups.items(), key=lambda each: -len(each[1])))

    @cached_property
    def causes_by_id(self) -> Mapping[str, Cause]:
        """The causes as they are shown, by their ids."""
        return {cause.id: cause for cause in self.cause_groups}

    def cause_as_shown(self, cause: Cause) -> Cause:
        """Return the cause that stands for another one."""
        return cause if cause.id in self.causes_by_id else _in_any_queue(cause)

    @cached_property
    def pending_by_queue(self) -> Counter[str]:
        """How many workloads are pending in each ClusterQueue."""
        return Counter(each.cluster_queue for each in self.pending)

    @cached_property
    def phases(self) -> Counter[str]:
        """How many workloads are in which phase."""
        return Counter(view.phase for view in self.state.workloads.values())

    @cached_property
    def rows(self) -> tuple[IndexedRow, ...]:
        """All workloads: those that are pending first, by queue and position."""
        waiting, rows = self.pending_by_workload, []
        reasons = {"": ("", "")}
        for key, view in self.state.workloads.items():
            about = waiting.get(key)
            why = "" if about is None else self.words.render(about.why)
            why, why_text = reasons.setdefault(why, (why, why.lower()))
            queue = view.cluster_queue
            flavors = {f for _, _, used in view.admission.assignment for f in used.values()}
            rows.append(
                IndexedRow(
                    workload=key,
                    queue=queue,
                    phase=view.phase,
                    position=0 if about is None else about.position,
                    age=0 if about is None else about.age,
                    priority=view.priority,
                    why=why,
                    why_text=why_text,
                    cause="" if about is None else self.cause_as_shown(about.cause).id,
                    flavor=", ".join(sorted(flavors)),
                    owner=self.owners.get(key, ""),
                    text=f"{key} {queue} {view.queue_name} {view.phase}".lower(),
                )
            )
        place = {each.workload: number for number, each in enumerate(self.pending)}
        rows.sort(key=lambda row: (place.get(row.workload, len(place)), row.workload))
        return tuple(rows)

    @cached_property
    def owners(self) -> Mapping[str, str]:
        """The kind of the object that owns a workload, by the workload."""
        written = [each for each in self.objects() if isinstance(each, Workload)]
        submits = (each for each in self.spec.timeline if isinstance(each, Submit))
        written += [workload for each in submits for workload in each.workloads]
        found = {}
        for workload in written:
            for owner in workload.metadata.owner_references:
                if owner.controller or workload.key not in found:
                    found[workload.key] = owner.kind
        return found

    @cached_property
    def document(self) -> Document:
        """The frames of the run."""
        return Document(RunIndex(self.trace, self.words))

    def history(self, workload: str) -> Sequence[Row]:
        """Return what happened to a workload."""
        return tuple(timeline(self.trace, catalog=self.words, workload=workload))

    @cached_property
    def groups(self) -> WorkloadGroups:
        """The slices of elastic jobs, and the variants of workloads."""
        return WorkloadGroups(self.trace)

    @cached_property
    def copies(self) -> Copies:
        """Copies of the run as it ended, to try changes that are not kept."""
        return Copies(self.lab_run.player)

    def baselines(self, at: str) -> Baselines:
        """Return the cluster at a moment, lent to trials; that of the last moment is kept."""
        if self._baselines is None or self._baselines[0] != at:
            self._baselines = at, Baselines(self.lab_run.origin, at or None)
        return self._baselines[1]

    def levers(self, workload: str) -> Report:
        """Return what would admit a workload; it is searched once."""
        if workload not in self._levers:
            run = self.run
            if isinstance(run, MemberRun) and isinstance(run.whole, MultiKueueRun):
                self._levers[workload] = run.whole.what_would_admit(workload)
            else:
                self._levers[workload] = self.lab_run.what_would_admit(workload)
        return self._levers[workload]


def _in_any_queue(cause: Cause) -> Cause:
    # That a LocalQueue takes no workloads is about that queue.
    return cause if cause.kind == "queue" else replace(cause, queue="")
