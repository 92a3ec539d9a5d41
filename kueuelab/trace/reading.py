"""The visible state as views: the only place that knows how the record writes it down.

A :class:`State` is what :meth:`kueuelab.trace.trace.Trace.state_at` and
:attr:`kueuelab.trace.timetravel.Cursor.state` hand out. Nothing is copied: a view is a name
and the record's own value, and reads a field when it is asked for it. A view of something
that isn't there is false and has the defaults.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from kueuelab.errors import UnknownObjectError
from kueuelab.frozen import EMPTY
from kueuelab.messages import english
from kueuelab.model import amount_string
from kueuelab.trace.html import table
from kueuelab.trace.job_view import JobView
from kueuelab.trace.object_views import (
    AdmissionCheckView,
    ClusterQueueView,
    CohortView,
    ConditionView,
    LocalQueueView,
    MultiKueueConfigView,
    Quota,
)
from kueuelab.trace.state import Raw
from kueuelab.trace.workload_view import (
    AdmissionView,
    CheckView,
    Holding,
    PodSetView,
    WorkloadView,
)

__all__ = [
    "AdmissionCheckView",
    "AdmissionView",
    "CheckView",
    "ClusterQueueView",
    "CohortView",
    "ConditionView",
    "Holding",
    "JobView",
    "LocalQueueView",
    "MultiKueueConfigView",
    "PodSetView",
    "Queues",
    "Quota",
    "State",
    "WorkloadView",
    "Workloads",
]

V = TypeVar("V")


class _Views(Mapping[str, V], Generic[V]):
    """A section of the state, each value as a view."""

    __slots__ = ("_make", "_raw")

    def __init__(self, raw: Mapping[str, Any], make: Callable[[str, Any], V]) -> None:
        self._raw = raw
        self._make = make

    def __getitem__(self, name: str) -> V:
        return self._make(name, self._raw[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)

    def __contains__(self, name: object) -> bool:
        return name in self._raw

    def __repr__(self) -> str:
        return repr(dict(self))

    def _ipython_key_completions_(self) -> list[str]:
        """Return the names that a notebook completes."""
        return sorted(self._raw)


class Workloads(_Views[WorkloadView]):
    """Workloads by ``namespace/name``."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return them as a table, for a notebook."""
        names = ("workload", "phase", "queue", "priority")
        rows = (
            [key, view.phase, view.cluster_queue or "-", str(view.priority)]
            for key, view in self.items()
        )
        return table([english().text(f"shown.{name}") for name in names], rows)


class Queues(_Views[ClusterQueueView]):
    """ClusterQueues by name."""

    __slots__ = ("_workloads",)

    def __init__(
        self,
        raw: Mapping[str, Any],
        make: Callable[[str, Any], ClusterQueueView],
        workloads: Mapping[str, WorkloadView],
    ) -> None:
        super().__init__(raw, make)
        self._workloads = workloads

    def _repr_html_(self) -> str:
        """Return them as a table, for a notebook."""
        counts = Counter((view.cluster_queue, view.phase) for view in self._workloads.values())
        names = ("queue", "cohort", "admitted", "pending", "used")
        rows = (
            [
                name,
                view.parent or "-",
                str(counts[name, "Admitted"]),
                str(counts[name, "Pending"]),
                _used(view),
            ]
            for name, view in self.items()
        )
        return table([english().text(f"shown.{name}") for name in names], rows)


def _used(queue: ClusterQueueView) -> str:
    """Return what a ClusterQueue uses, flavor by flavor."""
    return ", ".join(
        f"{amount_string(resource, amount)} {resource}/{flavor}"
        for (flavor, resource), amount in queue.usage.items()
        if amount
    )


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class State:
    """What was visible after a step, of one cluster or of several.

    Of several, ``state["w1"]`` is that of one; all else that is asked is asked of one cluster.

    Examples
    --------
    >>> state = State({"": {"workloads": {"default/a": {"phase": "Pending"}}}})
    >>> state
    <State: 1 workload>
    >>> state.workload("default/a").phase, bool(state.workload("default/b"))
    ('Pending', False)
    >>> both = State({"w1": {}, "w2": {}}, ("w1", "w2"))
    >>> both["w1"].workloads
    {}

    Attributes
    ----------
    clusters
        The clusters of the run; ``""`` if there is only one.
    """

    _raw: Raw
    clusters: tuple[str, ...] = ("",)

    def __repr__(self) -> str:
        count = sum(len(raw.get("workloads", EMPTY)) for raw in self._raw.values())
        several = f"{len(self.clusters)} clusters, " if len(self.clusters) > 1 else ""
        return f"<State: {several}{count} workload{'s' * (count != 1)}>"

    def __getitem__(self, cluster: str) -> State:
        if cluster not in self.clusters:
            raise UnknownObjectError("cluster", cluster, self.clusters)
        return State(self._raw, (cluster,))

    def _ipython_key_completions_(self) -> list[str]:
        """Return the names that a notebook completes."""
        return list(self.clusters)

    def _repr_html_(self) -> str:
        """Return queues and workloads as tables, for a notebook."""
        states = [self[cluster] for cluster in self.clusters]
        return "".join(each.queues._repr_html_() + each.workloads._repr_html_() for each in states)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self.clusters)

    def _parts(self) -> dict[str, Any]:
        return {cluster: self._raw.get(cluster, EMPTY) for cluster in self.clusters}

    def as_data(self) -> Mapping[str, Any]:
        """Return the state of one cluster as the record has it: plain JSON values; read only."""
        if len(self.clusters) > 1:
            raise UnknownObjectError("cluster", "", self.clusters)
        return self._raw.get(self.clusters[0], EMPTY)

    def _section(self, name: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.as_data().get(name, EMPTY)
        return found

    # --- workloads ---------------------------------------------------------------------

    @property
    def workloads(self) -> Workloads:
        """The workloads by key."""
        objects = self.objects
        return Workloads(
            self._section("workloads"), lambda key, raw: WorkloadView(key, raw, objects)
        )

    def workload(self, key: str) -> WorkloadView:
        """Return a workload; one that isn't there is false."""
        return WorkloadView(key, self._section("workloads").get(key, EMPTY), self.objects)

    def workloads_in(self, *places: str) -> Iterator[WorkloadView]:
        """Yield the workloads that their queues keep in some places, of tens of thousands."""
        objects = self.objects
        for key, raw in self._section("workloads").items():
            if raw.get("queue") in places:
                yield WorkloadView(key, raw, objects)

    def workloads_of(self, cluster_queue: str, *places: str) -> Iterator[WorkloadView]:
        """Yield the workloads of a ClusterQueue that it keeps in some places."""
        objects = self.objects
        # Nearly all others are in other namespaces, which their names say.
        near = tuple(
            f"{name.partition('/')[0]}/"
            for name in self.names("LocalQueue")
            if self.local_queue(name).cluster_queue == cluster_queue
        )
        for key, raw in self._section("workloads").items():
            if raw.get("queue") in places and (key.startswith(near) or raw.get("admission")):
                view = WorkloadView(key, raw, objects)
                if view.cluster_queue == cluster_queue:
                    yield view

    def job_of(self, workload: str) -> JobView:
        """Return the job of a Workload; one that isn't there is false. Only MultiKueue has jobs."""
        for key, raw in self._section("jobs").items():
            found = JobView(key, raw.get("status", EMPTY))
            if workload in found.workloads:
                return found
        return JobView("", EMPTY)

    # --- objects -----------------------------------------------------------------------

    @property
    def objects(self) -> Mapping[str, Any]:
        """The objects as they were applied, by ``Kind/name``; to see whether any changed."""
        return self._section("objects")

    def has(self, kind: str, name: str) -> bool:
        """Tell whether there is an object."""
        return f"{kind}/{name}" in self.objects

    def names(self, kind: str) -> list[str]:
        """Return the names of all objects of a kind, sorted; ``namespace/name`` of some."""
        prefix = f"{kind}/"
        return sorted(name[len(prefix) :] for name in self.objects if name.startswith(prefix))

    def _object(self, kind: str, name: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.objects.get(f"{kind}/{name}", EMPTY)
        return found

    def cluster_queue(self, name: str) -> ClusterQueueView:
        """Return a ClusterQueue; one that isn't there is false."""
        status = self._section("clusterQueues").get(name, EMPTY)
        return ClusterQueueView(name, self._object("ClusterQueue", name), status)

    @property
    def cluster_queues(self) -> tuple[ClusterQueueView, ...]:
        """The ClusterQueues, by name."""
        return tuple(self.cluster_queue(name) for name in self.names("ClusterQueue"))

    @property
    def queues(self) -> Queues:
        """The ClusterQueues by name."""
        names = dict.fromkeys(self.names("ClusterQueue"))
        return Queues(names, lambda name, _: self.cluster_queue(name), self.workloads)

    def cohort(self, name: str) -> CohortView:
        """Return a Cohort; one that is only referred to is false."""
        status = self._section("cohorts").get(name, EMPTY)
        return CohortView(name, self._object("Cohort", name), status)

    def local_queue(self, key: str) -> LocalQueueView:
        """Return a LocalQueue by ``namespace/name``; one that isn't there is false."""
        status = self._section("localQueues").get(key, EMPTY)
        return LocalQueueView(key, self._object("LocalQueue", key), status)

    @property
    def knows_usage(self) -> bool:
        """Whether anything is known of what LocalQueues have used."""
        return "localQueues" in self.as_data()

    def admission_check(self, name: str) -> AdmissionCheckView:
        """Return an AdmissionCheck; one that isn't there is false."""
        return AdmissionCheckView(name, self._object("AdmissionCheck", name), EMPTY)

    def multi_kueue_config(self, name: str) -> MultiKueueConfigView:
        """Return a MultiKueueConfig; one that isn't there is false."""
        return MultiKueueConfigView(name, self._object("MultiKueueConfig", name), EMPTY)

    # --- the tree of quotas ------------------------------------------------------------

    def cohort_path(self, cluster_queue: str) -> tuple[str, ...]:
        """Return the cohorts above a ClusterQueue, the nearest first."""
        name = self.cluster_queue(cluster_queue).parent
        path: list[str] = []
        while name and name not in path:
            path.append(name)
            name = self.cohort(name).parent
        return tuple(path)

    def root_of(self, cluster_queue: str) -> str:
        """Return the cohort at the top of a ClusterQueue's tree; itself if it has none."""
        return (cluster_queue, *self.cohort_path(cluster_queue))[-1]

    def roots(self) -> dict[str, str]:
        """Return the cohort at the top of each ClusterQueue's tree; itself if it has none."""
        tops, found = {"": ""}, {}
        for name in self.names("ClusterQueue"):
            parent = self.cluster_queue(name).parent
            if parent not in tops:
                tops[parent] = self.root_of(name)
            found[name] = tops[parent] or name
        return found
