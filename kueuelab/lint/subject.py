"""What rules look at: the objects of one cluster, as they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Final, TypeVar

from kueuelab.errors import KueueLabError
from kueuelab.manifests import ScenarioSpec
from kueuelab.manifests.loading.items import Item
from kueuelab.model import (
    ClusterQueue,
    Cohort,
    Configuration,
    LimitRange,
    LocalQueue,
    ModelObject,
    Node,
    RuntimeClass,
    Topology,
    Workload,
)
from kueuelab.quota import ClusterQueueNode, QuotaTree
from kueuelab.simulation.adjust import adjusted
from kueuelab.simulation.known_bugs import KnownBug
from kueuelab.whatif.advice.finding import Finding
from kueuelab.whatif.advice.names import author_of, missing_objects
from kueuelab.whatif.advice.places import CONFIGURATION, Places
from kueuelab.whatif.advice.setting import Setting
from kueuelab.whatif.lab import Lab, LabRun
from kueuelab.whatif.loops import LoopReport
from kueuelab.whatif.references import Reference

__all__ = ["Subject", "subjects_of"]

_Object = TypeVar("_Object")

#: Of more workloads, only the first instant is played.
_MOST_PLAYED: Final = 2_000


class Subject:
    """One cluster: of manifests, a scenario or a dump.

    Attributes
    ----------
    spec
        What was loaded.
    cluster
        The name of a worker cluster of a MultiKueue scenario; empty for any other.
    workers
        The worker clusters, of the manager of a MultiKueue scenario.
    setting
        The objects by kind and name, and the quota tree.
    """

    def __init__(
        self,
        spec: ScenarioSpec,
        places: Places | None = None,
        existing: Iterable[ModelObject] = (),
        cluster: str = "",
        workers: tuple[Subject, ...] = (),
    ) -> None:
        self.spec = spec
        self.cluster = cluster
        self.workers = workers
        self.setting = Setting(spec, existing)
        self._places = places or Places()

    @property
    def configuration(self) -> Configuration:
        """Kueue's Configuration."""
        return self.spec.configuration

    @property
    def has_configuration(self) -> bool:
        """Whether Kueue's Configuration was given, so that what it leaves out is known."""
        return self.spec.manifests.configuration is not None

    @property
    def queues(self) -> Mapping[str, ClusterQueue]:
        """The ClusterQueues by name."""
        return self.setting.queues

    @property
    def cohorts(self) -> Mapping[str, Cohort]:
        """The Cohorts that have an object, by name."""
        return self.setting.cohorts

    @cached_property
    def holders(self) -> tuple[ClusterQueue | Cohort, ...]:
        """What has quota: the ClusterQueues, then the Cohorts that have an object."""
        found: list[ClusterQueue | Cohort] = list(self.queues.values())
        return (*found, *self.cohorts.values())

    @cached_property
    def covered(self) -> frozenset[str]:
        """The resources that ClusterQueues cover."""
        return frozenset(
            name
            for queue in self.queues.values()
            for group in queue.resource_groups
            for name in group.covered_resources
        )

    @property
    def tree(self) -> QuotaTree:
        """The quota tree, with nothing in use."""
        return self.setting.tree

    def of_kind(self, kind: type[_Object]) -> Iterator[_Object]:
        """Yield the objects of a class."""
        return (obj for obj in self.setting.objects if isinstance(obj, kind))

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes."""
        return tuple(self.of_kind(Node))

    @cached_property
    def topologies(self) -> Mapping[str, Topology]:
        """The Topologies by name."""
        return {each.metadata.name: each for each in self.of_kind(Topology)}

    @cached_property
    def local_queues_by_queue(self) -> Mapping[str, tuple[LocalQueue, ...]]:
        """The LocalQueues that point to each ClusterQueue."""
        found: dict[str, list[LocalQueue]] = {}
        for each in self.setting.local_queues.values():
            found.setdefault(each.cluster_queue, []).append(each)
        return {name: tuple(queues) for name, queues in found.items()}

    @cached_property
    def waiting(self) -> tuple[tuple[Workload, ClusterQueue, ClusterQueueNode], ...]:
        """The workloads whose ClusterQueue is there, without those that are finished.

        They have the requests that Kueue counts: with the defaults of LimitRanges, for example.
        """
        classes = {each.metadata.name: each for each in self.of_kind(RuntimeClass)}
        limits: dict[str, list[LimitRange]] = {}
        for each in self.of_kind(LimitRange):
            limits.setdefault(each.metadata.namespace, []).append(each)
        found = []
        for workload in self.setting.workloads:
            queue = self.setting.queue_of(workload)
            if queue is None or any(
                condition.type == "Finished" and condition.status == "True"
                for condition in workload.status.conditions
            ):
                continue
            counted = adjusted(workload, limits.get(workload.namespace, ()), classes)
            found.append((counted, queue, self.tree.cluster_queues[queue.name]))
        return tuple(found)

    @cached_property
    def missing_objects(self) -> tuple[Finding, ...]:
        """The names of objects that are not there."""
        return tuple(missing_objects(self.setting))

    @staticmethod
    def author_of(workload: Workload) -> tuple[Reference, str]:
        """Return the object in which a workload is written, and its field for the queue."""
        return author_of(workload)

    @cached_property
    def items(self) -> Mapping[Reference, Item]:
        """The manifests as they are written, by what they are known by."""
        return {
            reference: item
            for (cluster, reference), item in self._places.items.items()
            if cluster == self.cluster
        }

    def item_of(self, reference: Reference) -> Item | None:
        """Return the manifest of an object, ``None`` where it is not known."""
        return self.items.get(reference)

    @cached_property
    def written_configuration(self) -> Mapping[str, Any]:
        """Kueue's Configuration as it is written."""
        item = self.items.get(CONFIGURATION)
        return {} if item is None else item.obj

    @cached_property
    def manifests(self) -> tuple[tuple[Reference, Mapping[str, Any]], ...]:
        """Every manifest as it is written, of kinds that the model does not have among them."""
        return tuple((reference, item.obj) for reference, item in self.items.items() if item.obj)

    @cached_property
    def _run(self) -> LabRun | None:
        """What comes of a cluster by itself: played to its end, if it is not too large."""
        if self.spec.workers or self.cluster or not self.setting.workloads:
            return None
        until = 0 if len(self.setting.workloads) > _MOST_PLAYED else None
        try:
            return Lab(self.spec).run(until=until)
        except KueueLabError:
            return None  # what was understood of it is no sound scenario

    @property
    def loop(self) -> LoopReport | None:
        """The loop that a run ends in."""
        return None if self._run is None else self._run.loop_report

    @cached_property
    def bugs(self) -> tuple[KnownBug, ...]:
        """The bugs of the release that a run meets."""
        return () if self._run is None else self._run.known_bugs()


def subjects_of(
    spec: ScenarioSpec, places: Places | None = None, existing: Iterable[ModelObject] = ()
) -> tuple[Subject, ...]:
    """Return the clusters of a scenario, the manager or the only one first.

    Examples
    --------
    >>> len(subjects_of(ScenarioSpec()))
    1
    """
    workers = tuple(
        Subject(
            replace(
                spec,
                configuration=worker.configuration,
                manifests=worker.manifests,
                workers=(),
                timeline=(),
            ),
            places,
            cluster=worker.name,
        )
        for worker in spec.workers
    )
    return Subject(spec, places, existing, workers=workers), *workers
