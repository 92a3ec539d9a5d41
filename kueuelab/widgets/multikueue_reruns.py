"""A run of several clusters again: with a fault, with another dispatch, with another object."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from kueuelab.errors import UnknownObjectError
from kueuelab.manifests import ModelObject
from kueuelab.manifests.scenario import Action, Apply
from kueuelab.messages import Message
from kueuelab.multikueue import ClusterSetRun, Dispatcher
from kueuelab.multikueue.dispatches import seconds_text
from kueuelab.views.rerun import (
    Dispatching,
    branched,
    changed_object,
    dispatch_title,
    dispatching_of,
    end_of,
    just_after,
    redispatched,
    reordered_at,
)
from kueuelab.widgets.multikueue_pane import MultiKueuePane
from kueuelab.widgets.view import View

__all__ = ["MultiKueueReruns"]


class MultiKueueReruns(View):
    """What a board of several clusters can do differently: each change is another run."""

    @property
    @abstractmethod
    def run(self) -> ClusterSetRun:
        """The run that is shown."""

    @property
    @abstractmethod
    def pane(self) -> MultiKueuePane:
        """What shows the present run."""

    @abstractmethod
    def select(self, workload: str) -> None:
        """Select a job of the manager."""

    @abstractmethod
    def _add(self, title: str, run: ClusterSetRun, at: int | None) -> None:
        """Show another run, from a time on."""

    def inject(self, fault: str, cluster: str = "", workload: str = "") -> None:
        """Run again with a fault right after the moment shown.

        Parameters
        ----------
        fault
            ``disconnect``, ``reconnect``, ``break kubeconfig``, ``take out of config``,
            ``delete cluster``, ``restart Kueue``, ``drain`` with the name of a
            ClusterQueue, ``evict copy``, ``deactivate copy``, ``delete copy``, ...; see
            ``changes.as_text()`` for all that is possible now.
        cluster
            Which cluster; the manager, if left out.
        workload
            The job whose copy is meant; the selected one, if left out.

        Raises
        ------
        UnknownObjectError
            If that can't happen there now.
        """
        if workload:
            self.select(workload)
        pane, cluster = self.pane, cluster or self.run.cluster_set.manager.member.name
        self.run.cluster_set.member(cluster)
        offers = {offer.id: offer for offer in pane.offers(cluster, pane.board.job)}
        if fault not in offers:
            raise UnknownObjectError(Message("widgets.fault.kind"), fault, offers)
        offer, at = offers[fault], just_after(pane.time)
        actions = offer.actions(self.run, at)
        title = Message("widgets.runs.at", title=offer.label, time=seconds_text(pane.time))
        self._fork(title, actions, at)

    def reorder(self, *clusters: str) -> None:
        """Run again with other workers in the MultiKueueConfig from the moment shown on."""
        at = just_after(self.pane.time)
        title = Message(
            "widgets.runs.reordered",
            clusters=", ".join(clusters),
            time=seconds_text(self.pane.time),
        )
        self._fork(title, (reordered_at(self.run, clusters, at),), at)

    def rerun(
        self,
        *clusters: str,
        dispatcher: Dispatcher | str | None = None,
        step_size: int | None = None,
        seed: int | None = None,
    ) -> None:
        """Run again from the start with another dispatch.

        Parameters
        ----------
        clusters
            The workers of the MultiKueueConfig in order; as they are, if left out.
        dispatcher
            A ``dispatcherName``, or a dispatcher of your own.
        step_size
            ``stepSize`` of the incremental dispatcher.
        seed
            How lots are drawn where workers race.
        """
        now = dispatching_of(self.run.scenario)
        wanted = replace(
            now,
            clusters=clusters or now.clusters,
            step_size=now.step_size if step_size is None else step_size,
        )
        if isinstance(dispatcher, str):
            wanted = replace(wanted, name=dispatcher, own=None)
        elif dispatcher is not None:
            wanted = replace(wanted, own=dispatcher)
        self.redispatch(wanted, seed=seed)

    def redispatch(self, wanted: Dispatching, *, seed: int | None = None) -> None:
        """Run again from the start with a dispatch that is there as data."""
        scenario = redispatched(self.run.scenario, wanted)
        if seed is not None:
            scenario = replace(scenario, seed=seed)
        until = end_of(self.run, 0)
        self._add(dispatch_title(self.run.scenario, scenario), scenario.run(until=until), None)

    def edit(self, cluster: str, obj: ModelObject, *, from_start: bool = True) -> None:
        """Run again with another object in a cluster, from the start or the moment shown on."""
        title = Message(
            "widgets.runs.edited",
            kind=type(obj).__name__,
            object=obj.metadata.name,
            cluster=cluster,
        )
        if from_start:
            scenario = changed_object(self.run.scenario, cluster, obj)
            self._add(title, scenario.run(until=end_of(self.run, 0)), None)
            return
        at = just_after(self.pane.time)
        place = "" if cluster == self.run.cluster_set.manager.member.name else cluster
        action = Apply((obj,), at=at, cluster=place)
        title = Message("widgets.runs.at", title=title, time=seconds_text(self.pane.time))
        self._fork(title, (action,), at)

    def check(self, wanted: Dispatching) -> None:
        """Raise what is wrong with a dispatch; run nothing."""
        redispatched(self.run.scenario, wanted)

    def _fork(self, title: str, actions: Sequence[Action], at: int) -> None:
        scenario = branched(self.run, actions)
        self._add(title, scenario.run(until=end_of(self.run, at)), at)
