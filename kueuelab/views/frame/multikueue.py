"""Frames of a run of several clusters: lanes with copies, jobs with rounds, races and hazards."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

from kueuelab.messages import Catalog
from kueuelab.model.times import MILLISECOND
from kueuelab.multikueue import ClusterSetRun
from kueuelab.multikueue.why import placement_at
from kueuelab.trace.multikueue_facts import (
    ClustersNominated,
    CopyCreated,
    CopyRemoved,
    RaceDrawn,
    StatusRefused,
    WorkerChosen,
    WorkerConnectionChanged,
)
from kueuelab.trace.reading import State
from kueuelab.trace.searches import SearchFollower
from kueuelab.trace.step import Step
from kueuelab.trace.steps import Evicted, WorkloadDeleted
from kueuelab.views.frame.section import Section
from kueuelab.views.frame.sentence import Sentences
from kueuelab.views.lanes import Chip, LaneView, QueueBar
from kueuelab.views.merge_patch import Json, merge_patch
from kueuelab.views.multikueue import JobRow, MultiKueuePicture, moment_of, picture_at
from kueuelab.views.preemption_view import view_of
from kueuelab.views.run_index import RunIndex

__all__ = ["MultiKueueMaker", "SentenceMaker"]

#: What a chip looks like, by its mark; the mark says the same.
_KINDS: Final = {
    "○": "waits",
    "◐": "reserved",
    "●": "admitted",
    "★": "won",
    "✕": "removed",
    "!": "evicted",
    "⚠": "twice",
    "✓": "finished",
}
#: What the manager does with copies and workers is shown, although no state is another one then.
_SEEN: Final = (
    ClustersNominated,
    CopyCreated,
    CopyRemoved,
    RaceDrawn,
    StatusRefused,
    WorkerChosen,
    WorkerConnectionChanged,
    Evicted,
    WorkloadDeleted,
)
_SECTIONS: Final = ("lanes", "jobs", "notes", "placements")


class SentenceMaker:
    """Makes frames that say what happens at each step, and no more.

    Parameters
    ----------
    run
        The run.
    run_index
        Its index.
    """

    def __init__(self, run: ClusterSetRun, run_index: RunIndex) -> None:
        self._run = run
        self._trace = run.trace
        self._run_index = run_index
        self._catalog: Catalog = run_index.words.catalog
        self._sentences = Sentences(run_index)
        self._searches = SearchFollower(run.trace)
        self._index = -1
        self._head: Json = {}

    @property
    def scales(self) -> dict[str, int]:
        """No bars of quota have a scale."""
        return {}

    def frame(self) -> Json:
        """Return the frame."""
        return self._head

    def go(self, index: int) -> None:
        """Go to a step."""
        self._index = index
        self._head = self._said(index)

    def next(self) -> Json:
        """Go to the next step; return the patch that turns the frame before into its frame."""
        self._index += 1
        head, self._head = self._head, self._said(self._index)
        return merge_patch(head, self._head)

    def _said(self, index: int) -> Json:
        """Return what the frame says of the step."""
        found = self._sentences.at(index, view_of(self._searches.at(index)))
        # Cycles are counted in each cluster by itself: there is no number of them all.
        found["at"]["cycle"] = 0
        found["at"]["time"] = self._catalog.render(moment_of(self._trace, index).elapsed)
        return found


class MultiKueueMaker(SentenceMaker):
    """Makes the frames of a MultiKueue board, one after another.

    Parameters
    ----------
    run
        The run.
    run_index
        Its index.
    """

    def __init__(self, run: ClusterSetRun, run_index: RunIndex) -> None:
        super().__init__(run, run_index)
        self._dispatches = run.dispatches
        self._sections = {name: Section() for name in _SECTIONS}

    def frame(self) -> Json:
        """Return the frame."""
        parts = {name: {**each.entries} for name, each in self._sections.items() if each.entries}
        return {**self._head, **parts}

    def go(self, index: int) -> None:
        """Go to a step."""
        super().go(index)
        self._read(None)
        for section in self._sections.values():
            section.take()

    def next(self) -> Json:
        """Go to the next step; return the patch that turns the frame before into its frame."""
        patch = super().next()
        step = self._trace[self._index]
        if step.changes or isinstance(step.facts, _SEEN) or (step.workload and self._has_hazards):
            self._read(step)
            for name, section in self._sections.items():
                part = section.take()
                if part is None or part:
                    patch[name] = part
        return patch

    def placement(self, index: int, workload: str) -> Json:
        """Return where a workload is after a step, and why."""
        return self._placement(self._run_index.state(index), workload, index)

    def _read(self, step: Step | None) -> None:
        """Read the picture; after a step only the placements that it may have changed."""
        state = self._run_index.state(self._index)
        picture = picture_at(self._run, self._dispatches, self._index, state=state)
        shown = dict.fromkeys(chip.workload for lane in picture.lanes for chip in lane.chips)
        shown |= dict.fromkeys(job.workload for job in picture.jobs)
        touched = shown if step is None else _touched(step, picture, shown)
        known = self._sections["placements"].entries
        placements = {
            key: self._placement(state, key, self._index)
            if key in touched or key not in known
            else known[key]
            for key in shown
        }
        for name, found in (*self._parts(picture), ("placements", placements)):
            section = self._sections[name]
            section.replace([*section.entries], found)

    def _placement(self, state: State, key: str, index: int) -> Json:
        """Return where a workload is in every cluster, and why."""
        lines = placement_at(state, self._dispatches, key, index).lines
        return {
            str(place): [cluster, self._catalog.render(sentence)]
            for place, (cluster, sentence) in enumerate(lines)
        }

    @property
    def _has_hazards(self) -> bool:
        """Whether a hazard is shown: any step about a job may end one."""
        return any(note["kind"] == "hazard" for note in self._sections["notes"].entries.values())

    def _parts(self, picture: MultiKueuePicture) -> Iterator[tuple[str, Json]]:
        say = self._catalog.render
        yield (
            "lanes",
            {lane.cluster: self._lane(lane, place) for place, lane in enumerate(picture.lanes)},
        )
        yield "jobs", {job.workload: self._job(job) for job in picture.jobs}
        notes = enumerate(picture.notes)
        yield "notes", {str(at): {"kind": each.kind, "text": say(each.text)} for at, each in notes}

    def _lane(self, lane: LaneView, order: int) -> Json:
        say = self._catalog.render
        kind = "manager" if lane.is_manager else "worker" if lane.connected else "lost"
        found: Json = {
            "order": order,
            "kind": kind,
            "role": say(lane.role),
            "statuses": {
                each.object: {"ok": each.ok, "text": say(each.as_text())} for each in lane.statuses
            },
            "queues": {
                f"{queue.queue}|{queue.flavor}|{queue.resource}": self._queue(queue, place)
                for place, queue in enumerate(lane.queues)
            },
            "chips": {chip.workload: self._chip(chip, lane.cluster) for chip in lane.chips},
        }
        if lane.rest:
            found["more"] = say(lane.rest)
        found["faults"] = {str(at): fault for at, fault in enumerate(_faults(lane))}
        return found

    def _queue(self, queue: QueueBar, order: int) -> Json:
        found: Json = {
            "order": order,
            "text": self._catalog.render(queue.words),
            "used": queue.used,
            "nominal": queue.nominal,
        }
        if queue.stopped or not queue.active:
            found["stopped"] = True
        return found

    def _chip(self, chip: Chip, cluster: str) -> Json:
        is_copy = chip.cluster != cluster
        return {
            # Copies and jobs of the manager go before the worker's own.
            "order": int(not is_copy),
            "kind": _KINDS[chip.mark],
            "mark": chip.mark,
            "text": self._catalog.render(chip.words),
            "cluster": chip.cluster,
        }

    def _job(self, job: JobRow) -> Json:
        say = self._catalog.render
        found: Json = {"cluster": job.cluster, "state": say(job.state)}
        if job.rounds:
            found["rounds"] = {str(at): say(each.as_text()) for at, each in enumerate(job.rounds)}
        if job.clock:
            last = job.rounds[-1]
            clock: dict[str, Any] = {"from": (last.time - self._run.start) // MILLISECOND}
            if last.length:
                clock["length"] = last.length // MILLISECOND
            found["clock"] = clock
        if job.check:
            found["check"] = say(job.check)
        if job.conditions:
            found["conditions"] = self._catalog.separated(map(say, job.conditions))
        return found


def _faults(lane: LaneView) -> Iterator[str]:
    """Yield the few faults that a lane has buttons for; all others are in the form."""
    if lane.is_manager:
        yield "restart Kueue"
    else:
        yield "disconnect" if lane.connected else "reconnect"
    stopped = {queue.queue: bool(queue.stopped) for queue in lane.queues}
    if len(stopped) == 1:
        ((name, is_stopped),) = stopped.items()
        yield f"{'resume' if is_stopped else 'drain'} {name}"


def _touched(step: Step, picture: MultiKueuePicture, shown: Collection[str]) -> Collection[str]:
    """Return the workloads of which a step may change where they are, or why."""
    found = {step.workload}
    for change in step.changes:
        if change.path[0] == "objects" or change.path[-1] == "active":
            return shown
        if change.path[0] == "workloads":
            found.add(change.path[1])
    if isinstance(step.facts, WorkerConnectionChanged):
        return shown
    # One that is pending says which others are ahead of it, or have the quota.
    for lane in picture.lanes:
        if lane.cluster == step.cluster:
            found.update(chip.workload for chip in lane.chips if chip.mark == "○")
    return found
