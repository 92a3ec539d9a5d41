"""The MultiKueue board as data: lanes of clusters, jobs with their rounds, races, hazards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from kueuelab.messages import Catalog, Message, clauses, language_of, separated
from kueuelab.multikueue.dispatches import Dispatch, Dispatches, Round, seconds_text
from kueuelab.multikueue.hazards import hazards
from kueuelab.multikueue.scenario import ClusterSetRun
from kueuelab.multikueue.why import Placement, placement_at
from kueuelab.trace.names import short_name
from kueuelab.trace.reading import State, WorkloadView
from kueuelab.trace.trace import Trace
from kueuelab.trace.workload_view import CheckView
from kueuelab.views.lanes import MOST, Chip, LaneView, QueueBar, lane_of
from kueuelab.views.moment import Moment, moment_at

__all__ = [
    "Chip",
    "JobRow",
    "LaneView",
    "MultiKueuePicture",
    "Note",
    "QueueBar",
    "moment_of",
    "picture_at",
]

#: Those that a reader looks for first.
_RANK: Final = {"Evicted": 0, "QuotaReserved": 1, "Admitted": 2, "Pending": 3, "Finished": 4}
#: Of more races than this, the latest are listed.
_MOST_RACES: Final = 6


@dataclass(frozen=True, slots=True)
class Note:
    """A race or a hazard, in words."""

    kind: str
    text: str

    def as_text(self) -> str:
        """Return the note on one line."""
        return self.text


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job on the manager.

    Attributes
    ----------
    workload
        Its key.
    cluster
        The manager, where it is selected.
    state
        Where it is, in words.
    rounds
        The nominations so far, oldest first.
    clock
        How long the present round has been going on, ``""`` if none is.
    clock_share
        How much of that round is over, from 0 to 1; ``None`` if it has no end.
    check
        State and message of MultiKueue's check.
    conditions
        The conditions, in words.
    """

    workload: str
    cluster: str
    state: str
    rounds: tuple[Round, ...]
    clock: str
    clock_share: float | None
    check: str
    conditions: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        """Yield the row line by line."""
        name = short_name(self.workload)
        yield Message("views.job.line", workload=name, state=self.state)
        for each in self.rounds:
            yield Message("views.indented", text=each.as_text())
        if self.clock:
            yield Message("views.job.clock", clock=self.clock)
        if self.check:
            yield Message("views.job.check", check=self.check)
        if self.conditions:
            yield Message("views.job.conditions", conditions=separated(self.conditions))


@dataclass(frozen=True, slots=True)
class MultiKueuePicture:
    """What the board shows at one step.

    Attributes
    ----------
    moment
        Where in the run it is.
    clock
        What the clock shows if some time has gone by since the step, in words.
    sentence
        What the step says.
    lanes
        The clusters, the manager first.
    jobs
        The jobs on the manager.
    why
        Why the selected job is where it is, ``None`` if none is selected.
    notes
        Races up to here, and the hazards there are now.
    """

    moment: Moment
    clock: str
    sentence: str
    lanes: tuple[LaneView, ...]
    jobs: tuple[JobRow, ...]
    why: Placement | None
    notes: tuple[Note, ...]

    def as_text(self, language: str | Catalog | None = None) -> str:
        """Return the board as plain text."""
        words = language_of(language)
        clock = [self.clock] if self.clock else []
        lines = [self.moment.as_text(), self.sentence, *clock, ""]
        for lane in self.lanes:
            lines += lane.lines()
        if self.jobs:
            lines.append("")
        for job in self.jobs:
            lines += job.lines()
        if self.why is not None:
            lines += ["", self.why.as_text(words)]
        notes = [note.as_text() for note in self.notes]
        return "\n".join(map(words.render, [*lines, *([""] if notes else []), *notes]))


def moment_of(trace: Trace, index: int) -> Moment:
    """Return where in a run a step is, with its cluster.

    Cycles are counted in each cluster by itself, so there is no number of them all.
    """
    moment = moment_at(trace, index)
    cluster = trace[index].cluster
    if cluster:
        elapsed = Message("views.moment.in-cluster", time=moment.elapsed, cluster=cluster)
        moment = replace(moment, elapsed=elapsed)
    return replace(moment, cycle=0)


def picture_at(
    run: ClusterSetRun,
    dispatches: Dispatches,
    index: int,
    *,
    state: State,
    sentence: str = "",
    selected: str = "",
    now: int | None = None,
) -> MultiKueuePicture:
    """Return the board after a step.

    Parameters
    ----------
    run
        The run.
    dispatches
        Its dispatches, read once.
    index
        The step.
    state
        The visible state after it.
    sentence
        What the step says.
    selected
        A workload that has to be shown, and asked about.
    now
        What the clock says if some time has gone by since the step, nanoseconds since 1970.
    """
    clusters = {name: state[name] for name in run.cluster_set.members}
    manager = run.cluster_set.manager.member.name
    shown = _shown(clusters[manager], selected)
    clock = "" if now is None else Message("views.board.clock", time=seconds_text(now - run.start))
    now = run.trace[index].time if now is None else now
    lanes = tuple(
        lane_of(name, manager, clusters, shown, dispatches, index, selected)
        for name in (manager, *(name for name in clusters if name != manager))
    )
    jobs = tuple(
        _job(clusters[manager], manager, key, dispatches.of(key, index), dispatches, now)
        for key in shown
    )
    why = placement_at(state, dispatches, selected, index) if selected else None
    moment = moment_of(run.trace, index)
    notes = tuple(_notes(clusters, manager, dispatches, index))
    return MultiKueuePicture(moment, clock, sentence, lanes, jobs, why, notes)


def _shown(manager: State, selected: str) -> list[str]:
    """Return the jobs to show: those that something happens to before the others."""
    workloads = manager.workloads
    ranked = sorted(
        workloads, key=lambda key: (key != selected, _RANK.get(workloads[key].phase, 5), key)
    )
    return sorted(ranked[:MOST])


# --- jobs ----------------------------------------------------------------------------------


def _job(
    state: State, manager: str, key: str, dispatch: Dispatch, dispatches: Dispatches, now: int
) -> JobRow:
    found = state.workload(key)
    check = clauses([_check(each) for each in found.checks])
    waits = found.phase == "QuotaReserved" and not dispatch.chosen and dispatch.rounds
    return JobRow(
        key,
        manager,
        _state(state, key, dispatch),
        dispatch.rounds,
        dispatches.clock(dispatch.rounds[-1], now) if waits else "",
        dispatches.clock_share(dispatch.rounds[-1], now) if waits else None,
        check,
        tuple(_conditions(found)),
    )


def _state(manager: State, key: str, dispatch: Dispatch) -> str:
    found = manager.workload(key)
    chosen = dispatch.chosen
    match found.phase:
        case "Admitted":
            if chosen:
                return Message("views.job.runs", cluster=chosen)
            return Message("views.job.admitted-on-manager")
        case "Finished" if chosen:
            return Message("views.job.finished-on", cluster=chosen)
        case "Finished":
            return Message("views.job.finished")
        case "Evicted":
            return Message("views.job.evicted")
        case "QuotaReserved" if chosen:
            return Message("views.job.chosen", cluster=chosen)
        case "QuotaReserved":
            names = ", ".join(dispatch.nominated)
            if names:
                return Message("views.job.nominated", names=names)
            return Message("views.job.none-nominated")
    if not found.active:
        return Message("views.job.deactivated")
    if found.waiting:
        return Message("views.job.pending-because", reason=found.waiting)
    return Message("views.job.pending")


def _check(check: CheckView) -> str:
    said = {"check": check.name, "state": check.state}
    if check.message:
        return Message("views.job.check-state.message", **said, message=check.message)
    return Message("views.job.check-state", **said)


def _conditions(found: WorkloadView) -> Iterator[str]:
    for each in found.conditions:
        said = {"type": each.type, "status": each.status}
        # The reason of most true conditions repeats their name.
        if each.reason and each.reason != each.type:
            yield Message("views.job.condition.reason", **said, reason=each.reason)
        else:
            yield Message("views.job.condition", **said)


# --- notes ---------------------------------------------------------------------------------


def _notes(
    clusters: Mapping[str, State], manager: str, dispatches: Dispatches, index: int
) -> Iterator[Note]:
    races = dispatches.races(index)
    if len(races) > _MOST_RACES:
        yield Note("race", Message("views.note.earlier-races", count=len(races) - _MOST_RACES))
    for workload, race in races[-_MOST_RACES:]:
        others = separated(race.others, "list.or")
        text = Message(
            "views.note.race",
            workload=short_name(workload),
            winner=race.winner,
            about=race.about,
            others=others,
        )
        yield Note("race", text)
    for hazard in hazards(clusters, dispatches, index):
        text = Message(
            "views.note.hazard",
            hazard=hazard.id,
            workload=hazard.workload,
            cluster=hazard.cluster,
            what=hazard.what,
            remedy=hazard.remedy,
        )
        yield Note("hazard", text)
