"""The MultiKueue board as data: lanes of clusters, copies as chips, rounds of dispatch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from kueuelab.multikueue.scenario import WorldRun
from kueuelab.trace.state import State
from kueuelab.trace.wording import amount_text
from kueuelab.widgets.viewmodel.dispatch import Dispatch, Dispatches, Round
from kueuelab.widgets.viewmodel.moment import Moment, moment_at
from kueuelab.widgets.viewmodel.reading import (
    cluster_queue_names,
    is_active,
    quotas,
    short_name,
    usage_of,
    workload_keys,
    workload_reading,
)
from kueuelab.widgets.viewmodel.tables import bar

__all__ = ["MARKS", "Chip", "JobRow", "LaneView", "MultiKueuePicture", "QueueBar", "picture_at"]

#: Marks of chips and what they stand for.
MARKS: Final[Mapping[str, str]] = {
    "○": "waits",
    "◐": "holds quota",
    "●": "admitted",
    "★": "won",
    "✕": "removed",
    "!": "evicted",
    "⚠": "runs here, too",
    "✓": "finished",
}
#: Those that a reader looks for first.
_RANK: Final = {"Evicted": 0, "QuotaReserved": 1, "Admitted": 2, "Pending": 3, "Finished": 4}
#: More jobs than this in one picture help nobody; the rest is counted.
_MOST: Final = 24
_NONE: Final[Mapping[str, Any]] = {}

#: The states of all clusters, by name.
_Clusters: TypeAlias = Mapping[str, State]


@dataclass(frozen=True, slots=True)
class Chip:
    """A workload, or its copy, in a cluster; ``mark`` is one of :data:`MARKS`."""

    workload: str
    mark: str
    words: str

    def as_text(self) -> str:
        """Return the chip on one line.

        Examples
        --------
        >>> Chip("default/train", "★", "won: the job runs here").as_text()
        '★ train: won: the job runs here'
        """
        return f"{self.mark} {short_name(self.workload)}: {self.words}"


@dataclass(frozen=True, slots=True)
class QueueBar:
    """What a ClusterQueue uses of one resource in one flavor."""

    queue: str
    flavor: str
    resource: str
    used: int
    nominal: int
    active: bool

    @property
    def words(self) -> str:
        """The numbers in words."""
        used, nominal = (amount_text(self.resource, n) for n in (self.used, self.nominal))
        inactive = "" if self.active else ", inactive"
        return f"{self.queue}: {used} of {nominal} {self.resource} in {self.flavor}{inactive}"


@dataclass(frozen=True, slots=True)
class LaneView:
    """One cluster with its queues and what is in it.

    Attributes
    ----------
    cluster
        Its name.
    is_manager
        Whether it is the manager.
    connection
        What the manager says of its connection to it, in words.
    connected
        Whether the manager reaches it; the manager reaches itself.
    queues, chips
        What it has.
    hidden
        How many more workloads there are in it.
    """

    cluster: str
    is_manager: bool
    connection: str
    connected: bool
    queues: tuple[QueueBar, ...]
    chips: tuple[Chip, ...]
    hidden: int

    def lines(self) -> Iterator[str]:
        """Yield the lane line by line."""
        yield f"{self.cluster} ({self.connection})"
        for queue in self.queues:
            yield f"  {bar(queue.used, queue.nominal, 10)} {queue.words}"
        for chip in self.chips:
            yield f"  {chip.as_text()}"
        if self.hidden:
            yield f"  and {self.hidden} more"


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job on the manager.

    Attributes
    ----------
    workload
        Its key.
    state
        Where it is, in words.
    rounds
        The nominations so far, oldest first.
    clock
        How long the present round has been going on, ``""`` if none is.
    check
        State and message of MultiKueue's check.
    conditions
        The conditions, in words.
    """

    workload: str
    state: str
    rounds: tuple[Round, ...]
    clock: str
    check: str
    conditions: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        """Yield the row line by line."""
        yield f"{short_name(self.workload)}: {self.state}"
        for each in self.rounds:
            yield f"  {each.as_text()}"
        if self.clock:
            yield f"  clock: {self.clock}"
        if self.check:
            yield f"  check {self.check}"
        if self.conditions:
            yield f"  conditions: {', '.join(self.conditions)}"


@dataclass(frozen=True, slots=True)
class MultiKueuePicture:
    """What the board shows at one step.

    ``notes`` are races up to here and, at the last step, the hazards that the run ends in.
    """

    moment: Moment
    sentence: str
    lanes: tuple[LaneView, ...]
    jobs: tuple[JobRow, ...]
    notes: tuple[str, ...]

    def as_text(self) -> str:
        """Return the board as plain text."""
        lines = [self.moment.as_text(), self.sentence, ""]
        for lane in self.lanes:
            lines += lane.lines()
        if self.jobs:
            lines.append("")
        for job in self.jobs:
            lines += job.lines()
        return "\n".join([*lines, *([""] if self.notes else []), *self.notes])


def picture_at(
    run: WorldRun,
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
        A workload that has to be shown.
    now
        What the clock says if some time has gone by since the step, nanoseconds since 1970.
    """
    clusters = {name: state.get(name, {}) for name in run.world.sites}
    manager = run.world.manager.site.name
    shown = _shown(clusters[manager], selected)
    told = {key: dispatches.of(key, index) for key in shown}
    now = run.trace[index].time if now is None else now
    lanes = tuple(
        _lane(name, name == manager, clusters, shown, told, dispatches, index) for name in clusters
    )
    jobs = tuple(_job(clusters[manager], key, told[key], dispatches, now) for key in shown)
    return MultiKueuePicture(
        moment_at(run.trace, index), sentence, lanes, jobs, tuple(_notes(run, dispatches, index))
    )


def _shown(manager: State, selected: str) -> list[str]:
    """Return the jobs to show: those that something happens to before the others."""
    workloads = manager.get("workloads", _NONE)
    ranked = sorted(
        workloads, key=lambda key: (key != selected, _RANK.get(workloads[key].get("phase"), 5), key)
    )
    return sorted(ranked[:_MOST])


# --- lanes ---------------------------------------------------------------------------------


def _lane(
    name: str,
    is_manager: bool,
    clusters: _Clusters,
    shown: list[str],
    told: Mapping[str, Dispatch],
    dispatches: Dispatches,
    index: int,
) -> LaneView:
    state = clusters[name]
    connection = dispatches.connection(name, index)
    there = workload_keys(state)
    local = [key for key in there if (name, key) not in dispatches.copies]
    if is_manager:
        chips = [_manager_chip(state, key) for key in shown]
    else:
        copies = (_copy_chip(state, name, key, told[key]) for key in shown)
        chips = [chip for chip in copies if chip is not None]
        chips += [_own_chip(state, key) for key in local[:_MOST]]
    seen = {chip.workload for chip in chips}
    return LaneView(
        name,
        is_manager,
        "manager" if is_manager else connection.words,
        is_manager or connection.active,
        tuple(_queues(state)),
        tuple(chips),
        sum(key not in seen for key in there),
    )


def _queues(state: State) -> Iterator[QueueBar]:
    for name in cluster_queue_names(state):
        used = usage_of(state, "ClusterQueue", name)
        active = is_active(state, name)
        for quota in quotas(state, "ClusterQueue", name):
            amount = used.get((quota.flavor, quota.resource), 0)
            yield QueueBar(name, quota.flavor, quota.resource, amount, quota.nominal, active)


_HERE: Final = {
    "Pending": ("○", "waits"),
    "QuotaReserved": ("◐", "quota reserved"),
    "Admitted": ("●", "admitted"),
    "Evicted": ("!", "evicted"),
    "Finished": ("✓", "finished"),
}


def _manager_chip(state: State, key: str) -> Chip:
    found = workload_reading(state, key)
    mark, words = _HERE.get(found.phase if found else "", ("○", "waits"))
    return Chip(key, mark, words)


def _own_chip(state: State, key: str) -> Chip:
    chip = _manager_chip(state, key)
    return Chip(key, chip.mark, f"{chip.words} (the worker's own job)")


def _copy_chip(state: State, worker: str, key: str, dispatch: Dispatch) -> Chip | None:
    found = workload_reading(state, key)
    if found is None:
        if worker in dispatch.removed:
            return Chip(key, "✕", "copy removed")
        return None
    mark, words = _HERE.get(found.phase, ("○", "waits"))
    if found.phase == "Admitted":
        if dispatch.chosen == worker:
            mark, words = "★", "won: the job runs here"
        elif dispatch.chosen:
            mark, words = "⚠", f"runs here, too: the manager says {dispatch.chosen}"
        elif worker not in dispatch.nominated:
            mark, words = "⚠", "still admitted here, and not nominated any more"
        else:
            words = "admitted; the manager hasn't chosen yet"
    elif found.phase == "Pending" and found.waiting:
        words = f"waits: {found.waiting}"
    return Chip(key, mark, f"copy {words}" if mark != "★" else words)


# --- jobs ----------------------------------------------------------------------------------


def _job(manager: State, key: str, dispatch: Dispatch, dispatches: Dispatches, now: int) -> JobRow:
    found = manager["workloads"][key]
    checks = found.get("admissionChecks", _NONE)
    check = "; ".join(
        f"{name} is {each['state']}" + (f": {each['message']}" if each.get("message") else "")
        for name, each in sorted(checks.items())
    )
    waits = found.get("phase") == "QuotaReserved" and not dispatch.chosen and dispatch.rounds
    return JobRow(
        key,
        _state(manager, key, dispatch),
        dispatch.rounds,
        dispatches.clock(dispatch.rounds[-1], now) if waits else "",
        check,
        tuple(_conditions(found.get("conditions", _NONE))),
    )


def _state(manager: State, key: str, dispatch: Dispatch) -> str:
    found = workload_reading(manager, key)
    phase = found.phase if found else ""
    where = f" on {dispatch.chosen}" if dispatch.chosen else ""
    match phase:
        case "Admitted":
            return f"runs{where}" if where else "admitted on the manager"
        case "Finished":
            return f"finished{where}"
        case "Evicted":
            return "evicted; it is dispatched anew once the quota is free"
        case "QuotaReserved" if where:
            return f"chosen to run{where}"
        case "QuotaReserved":
            names = ", ".join(dispatch.nominated)
            if names:
                return f"quota reserved on the manager; {names} may admit it"
            return "quota reserved on the manager; no worker is nominated"
    waiting = f": {found.waiting}" if found and found.waiting else ""
    return f"waits for quota on the manager{waiting}"


def _conditions(conditions: Mapping[str, Any]) -> Iterator[str]:
    for type_, condition in conditions.items():
        reason = condition.get("reason", "")
        # The reason of most true conditions repeats their name.
        why = f" ({reason})" if reason and reason != type_ else ""
        yield f"{type_} is {condition.get('status', '')}{why}"


def _notes(run: WorldRun, dispatches: Dispatches, index: int) -> Iterator[str]:
    for workload, race in dispatches.races(index):
        others = " or ".join(race.others)
        yield (
            f"Race: {short_name(workload)}: {race.winner} was drawn for {race.about}; "
            f"it could have been {others}."
        )
    if index == len(run.trace) - 1:
        for hazard in run.hazards:
            yield f"Hazard ({hazard.id}): {hazard}"
