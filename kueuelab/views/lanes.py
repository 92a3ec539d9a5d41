"""The lanes of the MultiKueue board: clusters with their queues, and copies as chips."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from kueuelab.messages import Message, clauses, separated
from kueuelab.multikueue.dispatches import Dispatch, Dispatches
from kueuelab.trace.names import short_name
from kueuelab.trace.reading import State, WorkloadView
from kueuelab.views.amounts import amounts_text
from kueuelab.views.text_bar import text_bar

__all__ = ["MOST", "Chip", "LaneView", "QueueBar", "StatusLine", "lane_of"]

#: A picture has at most so many jobs; the rest is counted.
MOST: Final = 24
#: Of more copies that are gone than this, only the number is given.
_MOST_GONE: Final = 3


@dataclass(frozen=True, slots=True)
class Chip:
    """A workload, or its copy, in a cluster; ``mark`` shows its state.

    ``cluster`` is where the job is selected in all views: the manager for a copy.
    """

    workload: str
    mark: str
    words: str
    cluster: str = ""

    def as_text(self) -> str:
        """Return the chip on one line.

        Examples
        --------
        >>> Chip("default/train", "★", "won: the job runs here").as_text()
        '★ train: won: the job runs here'
        """
        name = short_name(self.workload)
        return Message("views.lane.chip", mark=self.mark, workload=name, state=self.words)


@dataclass(frozen=True, slots=True)
class QueueBar:
    """What a ClusterQueue uses of one resource in one flavor."""

    queue: str
    flavor: str
    resource: str
    used: int
    nominal: int
    active: bool
    stopped: str = ""

    @property
    def words(self) -> str:
        """The numbers in words."""
        used, nominal = amounts_text(self.resource, self.used, self.nominal)
        text = Message(
            "views.lane.bar",
            queue=self.queue,
            used=used,
            nominal=nominal,
            resource=self.resource,
            flavor=self.flavor,
        )
        if self.stopped:
            return Message("views.lane.bar.stopped", bar=text, policy=self.stopped)
        return text if self.active else Message("views.lane.bar.inactive", bar=text)


@dataclass(frozen=True, slots=True)
class StatusLine:
    """A condition ``Active`` of an object, in words."""

    object: str
    ok: bool
    words: str

    def as_text(self) -> str:
        """Return the condition on one line.

        Examples
        --------
        >>> StatusLine("AdmissionCheck multikueue", True, "Active").as_text()
        '✔ AdmissionCheck multikueue: Active'
        """
        mark = "✔" if self.ok else "✖"
        return Message("views.lane.status", mark=mark, object=self.object, state=self.words)


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
    place
        Its place in the MultiKueueConfig, from 1; 0 if it isn't in it.
    statuses
        Conditions ``Active``: of the MultiKueueCluster, or of the manager's checks.
    queues, chips
        What it has.
    hidden
        How many more workloads there are in it.
    removed
        How many copies were removed from it that have no chip.
    """

    cluster: str
    is_manager: bool
    connection: str
    connected: bool
    place: int
    statuses: tuple[StatusLine, ...]
    queues: tuple[QueueBar, ...]
    chips: tuple[Chip, ...]
    hidden: int
    removed: int = 0

    @property
    def role(self) -> str:
        """What it is, and where it stands in the order of the dispatch."""
        if self.is_manager:
            return "" if self.cluster == "manager" else Message("views.lane.manager")
        return (
            Message("views.lane.place", place=self.place)
            if self.place
            else Message("views.lane.not-in-config")
        )

    def lines(self) -> Iterator[str]:
        """Yield the lane line by line."""
        role = self.connection if self.is_manager else clauses([self.connection, self.role])
        yield Message("views.lane.title", cluster=self.cluster, role=role)
        for status in self.statuses:
            if self.is_manager:
                yield Message("views.indented", text=status.as_text())
        for queue in self.queues:
            drawn = f"  {text_bar(queue.used, queue.nominal, 10)}"
            yield Message("views.queues.bar", bar=drawn, text=queue.words)
        for chip in self.chips:
            yield Message("views.indented", text=chip.as_text())
        if self.rest:
            yield Message("views.indented", text=self.rest)

    @property
    def rest(self) -> str:
        """What has no chip, in words."""
        removed = Message("views.lane.removed", count=self.removed) if self.removed else ""
        more = Message("views.lane.more", count=self.hidden) if self.hidden else ""
        return separated(part for part in (removed, more) if part)


def lane_of(
    name: str,
    manager: str,
    clusters: Mapping[str, State],
    shown: list[str],
    dispatches: Dispatches,
    index: int,
    selected: str = "",
) -> LaneView:
    """Return the lane of a cluster after a step.

    Parameters
    ----------
    name, manager
        The cluster, and the one that manages all.
    clusters
        Their states, by name.
    shown
        The jobs to show.
    dispatches
        What is known of the run.
    index
        The step.
    selected
        A job whose chips are there in any case.
    """
    state = clusters[name]
    is_manager = name == manager
    removed = 0
    connection = dispatches.connection(name, index)
    there = sorted(state.workloads)
    if is_manager:
        chips = [_manager_chip(state, key, name) for key in shown]
        statuses = tuple(_checks(state))
        words: str = Message("views.lane.manager")
    else:
        copies = (_copy_chip(state, manager, name, key, dispatches.of(key, index)) for key in shown)
        chips = [chip for chip in copies if chip is not None]
        gone = [chip for chip in chips if chip.mark == "✕" and chip.workload != selected]
        if len(gone) > _MOST_GONE:
            chips = [chip for chip in chips if chip not in gone]
            removed = len(gone)
        local = [key for key in there if (name, key) not in dispatches.copies]
        chips += [_own_chip(state, name, key) for key in local[:MOST]]
        has_object = clusters[manager].has("MultiKueueCluster", name)
        words = connection.words if has_object else Message("views.lane.no-cluster")
        state_text = "Active" if connection.active and has_object else words
        ok = connection.active and has_object
        statuses = (StatusLine("MultiKueueCluster", ok, state_text),)
    seen = {chip.workload for chip in chips}
    listed = dispatches.clusters_of(clusters[manager], "")
    return LaneView(
        name,
        is_manager,
        words,
        is_manager or statuses[0].ok,
        listed.index(name) + 1 if name in listed else 0,
        statuses,
        tuple(_queues(state)),
        tuple(chips),
        sum(key not in seen for key in there),
        removed,
    )


def _checks(state: State) -> Iterator[StatusLine]:
    """Yield the condition ``Active`` of each of MultiKueue's checks."""
    for name in state.names("AdmissionCheck"):
        check = state.admission_check(name)
        if check.controller_name != "kueue.x-k8s.io/multikueue":
            continue
        title = f"AdmissionCheck {name}"
        found = check.condition("Active")
        if not found:
            yield StatusLine(title, False, Message("views.lane.no-status"))
            continue
        ok = found.is_true
        said = {"reason": found.reason, "message": found.message}
        if not ok:
            yield StatusLine(title, ok, Message("views.lane.not-active", **said))
        elif found.reason == "Active":
            yield StatusLine(title, ok, "Active")
        else:
            yield StatusLine(title, ok, Message("views.lane.active", **said))


def _queues(state: State) -> Iterator[QueueBar]:
    for name in state.names("ClusterQueue"):
        queue = state.cluster_queue(name)
        used, active = queue.usage, queue.is_active
        stopped = "" if queue.stop_policy == "None" else queue.stop_policy
        for quota in queue.quotas:
            amount = used.get((quota.flavor, quota.resource), 0)
            yield QueueBar(
                name, quota.flavor, quota.resource, amount, quota.nominal, active, stopped
            )


# --- chips ---------------------------------------------------------------------------------

_HERE: Final = {
    "Pending": ("○", Message("views.lane.waits")),
    "QuotaReserved": ("◐", Message("views.lane.quota-reserved")),
    "Admitted": ("●", Message("views.lane.admitted")),
    "Evicted": ("!", Message("views.lane.evicted")),
    "Finished": ("✓", Message("views.lane.finished")),
}


def _manager_chip(state: State, key: str, cluster: str) -> Chip:
    found = state.workload(key)
    mark, words = _HERE.get(found.phase, _HERE["Pending"])
    return Chip(key, mark, _with_activity(found, words), cluster)


def _with_activity(found: WorkloadView, words: str) -> str:
    return words if found.active else Message("views.lane.deactivated", state=words)


def _own_chip(state: State, name: str, key: str) -> Chip:
    chip = _manager_chip(state, key, name)
    return Chip(key, chip.mark, Message("views.lane.own-job", state=chip.words), name)


def _copy_chip(
    state: State, manager: str, worker: str, key: str, dispatch: Dispatch
) -> Chip | None:
    found = state.workload(key)
    if not found:
        if worker in dispatch.removed:
            return Chip(key, "✕", Message("views.lane.copy-removed"), manager)
        return None
    mark, words = _HERE.get(found.phase, _HERE["Pending"])
    if found.phase == "Admitted":
        if dispatch.chosen == worker:
            return Chip(key, "★", Message("views.lane.chosen"), manager)
        if dispatch.chosen:
            mark, words = "⚠", Message("views.lane.runs-elsewhere", chosen=dispatch.chosen)
        elif worker not in dispatch.nominated:
            mark, words = "⚠", Message("views.lane.no-longer-nominated")
        else:
            words = Message("views.lane.not-chosen-yet")
    elif found.phase == "Pending" and found.waiting:
        words = Message("views.lane.waits-because", reason=found.waiting)
    words = Message("views.lane.copy", state=words)
    return Chip(key, mark, _with_activity(found, words), manager)
