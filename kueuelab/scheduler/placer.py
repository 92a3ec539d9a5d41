"""Topology-aware placement within a scheduling cycle: what pod sets ask, and where they go.

The scan of flavors finds quota first. Then the pod sets whose flavor has a topology get domains;
if there is no room, preemption may make some. See
https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/ and KEP-2724.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from kueuelab.model import (
    PodSet,
    PodSetUpdate,
    ResourceFlavor,
    ResourceGroup,
    TopologyAssignment,
    TopologyRequest,
)
from kueuelab.quota import ClusterQueueNode
from kueuelab.scheduler.assignment import Assignment, FlavorAssignment, Mode, PodSetResult
from kueuelab.scheduler.flavor_rules import FlavorRules
from kueuelab.topology import (
    NOTHING_WANTED,
    DomainUsage,
    FlavorUsage,
    Placed,
    PlacementRequest,
    TopologyFlavor,
    TopologyForest,
    Wanted,
    domain_usage,
    first_failure,
    place,
    searches,
)
from kueuelab.trace.recorder import Recorder
from kueuelab.trace.step import Facts
from kueuelab.workload import WorkloadState, pod_requests
from kueuelab.workload.slices import is_elastic

if TYPE_CHECKING:
    from kueuelab.scheduler.access import ClusterAccess

__all__ = ["Placer"]

_NO_USAGE: Final[FlavorUsage] = {}
#: The position of a pod set, its flavor, its pods, and where those of the slice before it are.
_Sought: TypeAlias = tuple[int, TopologyFlavor, int, TopologyAssignment | None]


class Placer:
    """Places workloads in the topologies of their flavors.

    Parameters
    ----------
    forest
        The flavors' topologies.
    flavors
        All ResourceFlavors by name.
    rules
        The Configuration's part.
    cluster
        Says whether checks delay the placement.
    recorder
        Records each search for domains, if given.
    """

    __slots__ = ("_cluster", "_flavors", "_recorder", "_rules", "forest")

    def __init__(
        self,
        forest: TopologyForest,
        flavors: Mapping[str, ResourceFlavor],
        rules: FlavorRules,
        cluster: ClusterAccess,
        recorder: Recorder | None = None,
    ) -> None:
        self.forest = forest
        self._recorder = recorder
        self._flavors = flavors
        self._rules = rules
        self._cluster = cluster

    # --- what is asked for -------------------------------------------------------------

    def _concerns(self, workload: WorkloadState, queue: ClusterQueueNode) -> bool:
        """Tell whether a workload asks for a topology, itself or by its ClusterQueue."""
        return workload.asks_for_topology or self._has_only_topologies(queue)

    def _has_only_topologies(self, queue: ClusterQueueNode) -> bool:
        flavors = self._flavors
        for group in queue.resource_groups:  # a plain loop: it is asked for every head
            for quotas in group.flavors:
                flavor = flavors.get(quotas.name)
                if flavor is None or flavor.topology_name is None:
                    return False
        return True

    def mismatch(
        self,
        flavor: ResourceFlavor,
        pod_set: PodSet,
        request: TopologyRequest,
        queue: ClusterQueueNode,
        group: ResourceGroup,
    ) -> str:
        """Return why a flavor does not suit what a pod set asks of a topology, ``""`` if it does.

        Parameters
        ----------
        flavor
            The flavor.
        pod_set, request
            The pod set, and what it asks.
        queue, group
            The ClusterQueue and its resource group that offer the flavor.
        """
        name = flavor.metadata.name
        if not request.is_explicit:
            if flavor.topology_name is None or self._has_only_topologies(queue):
                return ""
            return f'Flavor "{name}" supports only TopologyAwareScheduling'
        if flavor.topology_name is None:
            # Such a flavor may still have quota for resources that no node has.
            requested = pod_requests(pod_set.template.spec)
            if not any(resource in group.covered_resources for resource in requested):
                return ""
            return f'Flavor "{name}" does not support TopologyAwareScheduling'
        topology = self.forest.flavors.get(name)
        if topology is None:
            return f'Flavor "{name}" information missing in TAS cache'
        layers = request.slices if self._rules.placement.in_layers else request.slices[:1]
        levels = {request.level(topology.levels), *(layer.level for layer in layers)}
        if not levels <= set(topology.levels):
            return f'Flavor "{name}" does not contain the requested level'
        return ""

    def _wanted(
        self, assignment: Assignment, workload: WorkloadState, queue: ClusterQueueNode
    ) -> Wanted:
        """Return the pod sets that need a place, by flavor; those that have one don't.

        Where the flavors of a pod set make no place possible, this is noted in the assignment.
        """
        implied = self._has_only_topologies(queue)
        sought: list[_Sought] = []
        elastic = self._rules.elastic_topology and is_elastic(workload.obj)
        for index, request in enumerate(workload.topology_requests):
            if not (request.is_explicit or implied):
                continue
            # By its name: the pod sets of a group are next to each other in an assignment.
            result = assignment.pod_set(workload.obj.pod_sets[index].name)
            if result.count == 0:
                continue
            if result.topology is not None and not _is_unhealthy(result, workload):
                continue
            if elastic and (way := _named_level(request)):
                text = f"{way} topology is not supported with ElasticJobsViaWorkloadSlices"
                assignment.fail(result, text)
                continue
            flavor = self._flavor_of(assignment, result, queue)
            if flavor is None:
                return NOTHING_WANTED
            if self._cluster.delays_topology(workload, queue.name, flavor):
                result.delayed_topology = "Pending"
                continue
            replaced = assignment.replaced if elastic else None
            before = None if replaced is None else replaced.topology_assignments.get(result.name)
            sought.append((index, self.forest.flavors[flavor], result.count, before))
        if not sought:
            return NOTHING_WANTED
        updates = list(_updates(workload))
        key = tuple(sought)
        found: Wanted | None = None if updates else workload.searches.get(key)
        if found is None:
            found = self._searches(workload, sought, updates)
            if not updates:  # these differ from one attempt to the next
                workload.searches[key] = found
        return found

    def _searches(
        self,
        workload: WorkloadState,
        sought: Iterable[_Sought],
        updates: Sequence[PodSetUpdate],
    ) -> Wanted:
        """Return what is sought for pod sets, each with its flavor and the number of pods.

        Last comes where the pods of the slice are that the workload replaces, if they stay there.
        """
        found: dict[str, list[PlacementRequest]] = {}
        for index, flavor, count, previous in sought:
            pod_set, request = workload.obj.pod_sets[index], workload.topology_requests[index]
            wanted = PlacementRequest(
                pod_set=pod_set.name,
                flavor=flavor.name,
                request=request,
                pod=pod_set.template.spec,
                requests=workload.pod_amounts[pod_set.name],
                count=count,
                implied=not request.is_explicit,
                updates=tuple(update for update in updates if update.name == pod_set.name),
                previous=previous,
            )
            found.setdefault(flavor.name, []).append(wanted)
        return searches(self.forest.flavors, found, self._rules.placement)

    def _flavor_of(
        self, assignment: Assignment, result: PodSetResult, queue: ClusterQueueNode
    ) -> str | None:
        """Return the one flavor with a topology that a pod set was assigned; note why not."""
        known = self.forest.flavors
        names = {flavor.name for flavor in result.flavors.values() if flavor.name in known}
        if len(names) == 1:
            return names.pop()
        offered = (quotas.name for group in queue.resource_groups for quotas in group.flavors)
        if not any(name in known for name in offered):
            text = "workload requires Topology, but there is no TAS cache information"
            assignment.fail(result, text)
            return None
        listed = ", ".join(sorted(names))
        text = f"more than one TAS flavor assigned: {listed}" if names else "no TAS flavor assigned"
        assignment.fail(result, text)
        return None

    def keep_places(self, result: PodSetResult, workload: WorkloadState) -> None:
        """Take over the domains that a workload has already, or what delays them."""
        assert workload.admission is not None
        for each in workload.admission.pod_set_assignments:
            if each.name == result.name:
                result.delayed_topology = each.delayed_topology_request
        result.topology = workload.topology_assignments.get(result.name)

    def with_topology(self, found: Mapping[str, FlavorAssignment]) -> dict[str, FlavorAssignment]:
        """Return the flavors that have a topology: pods that request nothing are placed there."""
        return {name: each for name, each in found.items() if each.name in self.forest.flavors}

    # --- finding a place ---------------------------------------------------------------

    def place_assignment(
        self, assignment: Assignment, workload: WorkloadState, queue: ClusterQueueNode
    ) -> None:
        """Find domains for an assignment of flavors; without room, see if preemption helps."""
        if not self._concerns(workload, queue):
            return
        wanted = assignment.wanted = self._wanted(assignment, workload, queue)
        if not wanted:
            return
        if assignment.mode is Mode.Fit:
            found = self._place(wanted, workload, queue.name)
            failed = first_failure(found)
            if failed is None:
                _take_over(assignment, found)
            else:
                result = assignment.pod_set(failed)
                result.reasons = (*result.reasons, found[failed].reason)
                assignment.set_mode_of(result, Mode.Preempt)
        # For the pods of a node that failed, Kueue does not ask whether preemption helps.
        if assignment.mode is Mode.Preempt and not workload.unhealthy_nodes:
            found = self._place(wanted, workload, queue.name, empty=True)
            failed = first_failure(found)
            if failed is not None:
                if self._rules.observability:
                    _mark_attempt(assignment, failed, found[failed].flavor)
                assignment.set_mode_of(assignment.pod_set(failed), Mode.NoFit)
            else:
                # Quota that is free may be in domains that are not.
                for search in wanted:
                    for each in search.members:
                        result = assignment.pod_set(each.pod_set)
                        assignment.set_mode_of(result, Mode.Preempt)

    def place_after_preemption(
        self,
        assignment: Assignment,
        workload: WorkloadState,
        queue: ClusterQueueNode,
        *,
        empty: bool,
    ) -> None:
        """Find the domains that a preemptor will get, to keep others out of them.

        Its targets are removed; without targets, domains are found as if they were all ``empty``.
        """
        if not workload.is_on_unhealthy_node:
            found = self._place(assignment.wanted, workload, queue.name, empty=empty)
            _take_over(assignment, found)

    def has_place(self, wanted: Wanted, workload: WorkloadState, queue: str) -> bool:
        """Tell whether all pod sets have a place now."""
        return first_failure(self._place(wanted, workload, queue)) is None

    def _place(
        self, wanted: Wanted, workload: WorkloadState, queue: str, *, empty: bool = False
    ) -> dict[str, Placed]:
        record = None
        if (recorder := self._recorder) is not None:

            def record(facts: Facts) -> None:
                recorder.record(facts, workload.key, queue)

        return place(self.forest, wanted, workload, empty=empty, record=record)

    # --- what is used ------------------------------------------------------------------

    def usage(
        self, assignment: Assignment, workload: WorkloadState, queue: ClusterQueueNode
    ) -> FlavorUsage:
        """Return what an assignment uses of domains, beyond what the workload uses already."""
        found: dict[str, tuple[DomainUsage, ...]] = {}
        for result in assignment.pod_sets:
            names = {flavor.name for flavor in result.flavors.values()} & self.forest.flavors.keys()
            if result.topology is None or len(names) != 1:
                continue
            before = workload.topology_assignments.get(result.name)
            topology = result.topology if before is None else _beyond(result.topology, before)
            more = domain_usage(topology, workload.pod_amounts[result.name])
            if more:
                (name,) = names
                found[name] = (*found.get(name, ()), *more)
        return found or _NO_USAGE


def _named_level(request: TopologyRequest) -> str:
    """Return which way a level is named, which an elastic job can't do; ``""`` if none is."""
    if request.required is not None:
        return "required"
    return "preferred" if request.preferred is not None else ""


def _beyond(now: TopologyAssignment, before: TopologyAssignment) -> TopologyAssignment:
    """Return the pods of an assignment that another one does not have in the same domain."""
    counted = {domain.values: domain.count for domain in before.domains}
    counts = ((each, each.count - counted.get(each.values, 0)) for each in now.domains)
    more = tuple(replace(each, count=count) for each, count in counts if count > 0)
    return TopologyAssignment(now.levels, more)


def _updates(workload: WorkloadState) -> Iterator[PodSetUpdate]:
    """Yield what admission checks that passed want changed in the pods."""
    for check in workload.admission_checks.values():
        if check.state == "Ready":
            yield from check.pod_set_updates


def _is_unhealthy(result: PodSetResult, workload: WorkloadState) -> bool:
    assert result.topology is not None
    unhealthy = workload.unhealthy_nodes
    return any(domain.values[-1] in unhealthy for domain in result.topology.domains)


def _take_over(assignment: Assignment, found: Mapping[str, Placed]) -> None:
    for name, placed in found.items():
        result = assignment.pod_set(name)
        result.topology = placed.assignment
        if placed.assignment is not None and result.delayed_topology is not None:
            result.delayed_topology = "Ready"


def _mark_attempt(assignment: Assignment, pod_set: str, flavor: str) -> None:
    """Note in the verdict on a flavor that it has no place, for all pod sets of the group."""
    attempts = assignment.pod_set(pod_set).attempts
    marked = tuple(
        each._replace(mode=Mode.NoFit, no_fit_reason="TopologyPlacementFailed")
        if each.flavor == flavor
        else each
        for each in attempts
    )
    for result in assignment.pod_sets:
        if result.attempts is attempts:
            result.attempts = marked
