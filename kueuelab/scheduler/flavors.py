"""Flavor assignment: which flavor each resource of each pod set gets.

A part of nomination, the third step of a scheduling cycle. Flavors of a resource group are
tried in the order of the ClusterQueue, from where the last attempt stopped, until
``flavorFungibility`` says to stop; otherwise the best flavor seen is assigned. See https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/#flavorfungibility
and KEP-582.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kueuelab.frozen import new_tuple
from kueuelab.model import (
    FlavorResource,
    ResourceFlavor,
    ResourceGroup,
    amount_string,
)
from kueuelab.quantity import format_amount
from kueuelab.quota import ClusterQueueNode
from kueuelab.scheduler.assignment import (
    Assignment,
    FlavorAssignment,
    FlavorAttempt,
    Mode,
    PodSetResult,
    PreemptionMode,
    most_severe,
)
from kueuelab.scheduler.attempts import hardest_obstacle, merge_attempts
from kueuelab.scheduler.flavor_log import FlavorLog
from kueuelab.scheduler.flavor_rules import FlavorRules
from kueuelab.scheduler.placement import accepts_any_pod, flavor_mismatch
from kueuelab.scheduler.placer import Placer
from kueuelab.scheduler.rank import BEST, WORST, Rank, goes_on_after, preferred
from kueuelab.scheduler.slices import beyond_replaced
from kueuelab.trace.recorder import Recorder
from kueuelab.workload import LastAssignment, PodSetRequests, WorkloadState
from kueuelab.workload.requests import resource_order
from kueuelab.workload.variants import allowed_flavors

__all__ = ["FlavorAssigner", "Oracle"]

#: Returns what preemption could do for an amount of one flavor and resource, and how far that
#: borrows. It is given how far the amount borrows as things are.
Oracle = Callable[[FlavorResource, int, int], tuple[PreemptionMode, int]]

_NO_FIT = PreemptionMode.NoFit
_FIT = PreemptionMode.Fit
_IMPOSSIBLE = Mode.NoFit


@dataclass(slots=True)
class _Scan:
    """The result of the scan of one resource group; without a flavor if ``flavors`` is empty."""

    flavors: dict[str, FlavorAssignment]
    reasons: list[str]
    attempts: list[FlavorAttempt]


@dataclass(slots=True)
class _Group:
    """Pod sets that must get the same flavors (``podSetGroupName``); mostly just one."""

    indices: list[int]
    results: list[PodSetResult]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(result.name for result in self.results)


class FlavorAssigner:
    """Assigns flavors to one workload in one ClusterQueue.

    Parameters
    ----------
    workload, queue
        The head and its ClusterQueue.
    flavors
        All ResourceFlavors by name.
    rules
        The Configuration's part.
    oracle
        Returns what preemption could do.
    placer
        Finds domains in the topologies of flavors.
    cycle
        Number of the scheduling cycle.
    pinned
        Pod set to resource to flavor: only these flavors are considered, if given.
    recorder
        Records each flavor considered, if given.
    replaced
        The slice of an elastic job that the workload replaces, if it does: its flavors are kept,
        and only what is needed beyond it has to fit.
    """

    __slots__ = (
        "_allowed",
        "_cycle",
        "_explicit",
        "_flavors",
        "_log",
        "_oracle",
        "_pinned",
        "_placer",
        "_queue",
        "_replaced",
        "_rules",
        "_workload",
    )

    def __init__(
        self,
        workload: WorkloadState,
        queue: ClusterQueueNode,
        flavors: Mapping[str, ResourceFlavor],
        rules: FlavorRules,
        oracle: Oracle,
        placer: Placer,
        cycle: int,
        pinned: Mapping[str, Mapping[str, str]] | None = None,
        recorder: Recorder | None = None,
        replaced: WorkloadState | None = None,
    ) -> None:
        self._workload = workload
        self._queue = queue
        self._flavors = flavors
        self._rules = rules
        self._oracle = oracle
        self._placer = placer
        self._cycle = cycle
        self._pinned = pinned
        self._replaced = replaced
        self._allowed = allowed_flavors(workload.obj) if rules.concurrent else None
        self._explicit = rules.topology and workload.asks_for_topology
        self._log = FlavorLog(recorder, workload, queue) if recorder is not None else None

    def assign(self, counts: Sequence[int] | None = None) -> Assignment:
        """Return the flavors found, for other pod counts than requested if given."""
        workload = self._workload
        last = LastAssignment((), self._queue.generation, self._cycle, workload.scheduling_hash)
        assignment = Assignment(last, replaced=self._replaced)
        for group in self._groups(counts):
            if not self._assign_group(group, assignment):
                break
        else:
            if self._rules.topology and assignment.mode is not _IMPOSSIBLE:
                self._placer.place_assignment(assignment, self._workload, self._queue)
        if self._rules.observability and assignment.mode is _IMPOSSIBLE:
            groups = self._queue.resource_groups
            assignment.no_fit_reason = hardest_obstacle(assignment.pod_sets, groups)
        return assignment

    def _groups(self, counts: Sequence[int] | None) -> list[_Group]:
        pod_sets = self._workload.requests
        if counts is None and len(pod_sets) == 1:
            return [_Group([0], [self._initial_result(pod_sets[0], is_scaled=False)])]
        groups: dict[str | int, _Group] = {}
        topology_requests = self._workload.topology_requests
        for index, requests in enumerate(pod_sets):
            scales = False
            if counts is not None and requests.name not in self._workload.topology_assignments:
                # Pods that have their places keep them, all of them.
                scales = True
                requests = requests.scaled_to(counts[index])
            name = topology_requests[index].group or index
            group = groups.get(name)
            result = self._initial_result(requests, is_scaled=scales)
            if group is None:
                groups[name] = _Group([index], [result])
            else:
                group.indices.append(index)
                group.results.append(result)
        return list(groups.values())

    def _initial_result(self, requests: PodSetRequests, *, is_scaled: bool) -> PodSetResult:
        """Return the result before the scan; a second pass keeps what the first one found.

        A search for fewer pods forgets that their place was delayed.
        """
        wanted = requests.requests
        if self._queue.resource_group("pods") is not None:
            wanted = dict(
                sorted({**wanted, "pods": requests.count}.items(), key=_by_resource_order)
            )
        result = PodSetResult(requests.name, requests.count, wanted)
        if self._rules.topology and requests.flavors:
            for resource, name in requests.flavors.items():
                result.flavors[resource] = FlavorAssignment(name, Mode.Fit)
            if not is_scaled:
                self._placer.keep_places(result, self._workload)
        return result

    def _assign_group(self, group: _Group, assignment: Assignment) -> bool:
        """Add the flavors of a group; tell whether all that request something have some."""
        wanted = _total(group.results)
        found: dict[str, FlavorAssignment] = {}
        for result in group.results:
            found.update(result.flavors)
        reasons: list[str] = []
        attempts: dict[str, FlavorAttempt] = {}
        for resource, amount in wanted.items():
            if resource in found:
                continue
            covering = self._queue.resource_group(resource)
            if covering is None:
                # What is not requested need not be covered.
                if amount == 0 or self._rules.ignore_undeclared:
                    continue
                reasons = [f"resource {resource} unavailable in ClusterQueue"]
                found = {}
                break
            scan = self._scan(group, covering, wanted, resource, assignment.usage)
            merge_attempts(attempts, scan.attempts, covering, resource, self._rules.observability)
            if not scan.flavors and wanted:
                reasons, found = scan.reasons, {}
                break
            found.update(scan.flavors)
            reasons += scan.reasons
        # Mostly it is one, and to be gone through is what takes the time.
        several = len(attempts) > 1
        seen = tuple([attempts[n] for n in sorted(attempts)] if several else attempts.values())
        has_all = True
        for index, result in zip(group.indices, group.results, strict=True):
            result.flavors = {name: found[name] for name in result.requests if name in found}
            if not result.requests and self._workload.topology_requests[index].group:
                result.flavors = self._placer.with_topology(found)
            if reasons:
                result.reasons = tuple(reasons)
            result.attempts = seen
            assignment.add(result)
            has_all = has_all and not result.failed
        return has_all

    def _scan(
        self,
        group: _Group,
        covering: ResourceGroup,
        wanted: Mapping[str, int],
        resource: str,
        assumed: Mapping[FlavorResource, int],
    ) -> _Scan:
        """Try the group's flavors one after another."""
        policy = self._queue.flavor_fungibility
        requests = {n: value for n, value in wanted.items() if n in covering.covered_resources}
        scan = _Scan({}, [], [])
        best = WORST
        stop_rule = ""
        index = self._first_flavor(group, resource)
        last_tried = index - 1
        while index < len(covering.flavors):
            last_tried = index
            name = covering.flavors[index].name
            index += 1
            mismatch = self._mismatch(group, covering, name, resource)
            if mismatch:
                scan.reasons.append(mismatch)
                if not mismatch.startswith("skipping flavor"):
                    reason = "NoMatchingFlavor" if self._rules.observability else ""
                    scan.attempts.append(
                        FlavorAttempt(name, Mode.NoFit, reasons=(mismatch,), no_fit_reason=reason)
                    )
                if self._log is not None:
                    self._log.rejected(group.names, name, mismatch)
                continue
            rank, flavors = self._try_flavor(group, name, requests, assumed, scan)
            if self._rules.fungibility:
                if not goes_on_after(rank, policy):
                    scan.flavors, best = flavors, rank
                    stop_rule = "stopped"
                    break
                if preferred(rank, best, policy):
                    scan.flavors, best = flavors, rank
            elif rank.mode > best.mode:
                scan.flavors, best = flavors, rank
                if best.mode is _FIT:
                    stop_rule = "stopped"
                    break
        if self._rules.fungibility:
            exhausted = last_tried == len(covering.flavors) - 1
            for flavor in scan.flavors.values():
                flavor.tried_flavor_idx = -1 if exhausted else last_tried
        if best.mode is _FIT:
            scan.reasons = []
        if self._log is not None:
            self._log.chosen(
                group.names,
                tuple(requests),
                next((each.name for each in scan.flavors.values()), ""),
                best,
                stop_rule or "best-seen",
                self._rules.fungibility,
                last_tried + 1,
                len(covering.flavors),
            )
        return scan

    def _first_flavor(self, group: _Group, resource: str) -> int:
        last = self._workload.last_assignment
        if last is None or not self._rules.fungibility:
            return 0
        return last.next_flavor(group.indices[0], resource)

    def _mismatch(self, group: _Group, covering: ResourceGroup, name: str, resource: str) -> str:
        """Return why this flavor can't be used, whatever the quota; ``""`` if it can."""
        flavor = self._flavors.get(name)
        unpinned = not self._pinned and not self._explicit and self._allowed is None
        if flavor is not None and unpinned and accepts_any_pod(flavor):
            return ""
        pod_sets = [self._workload.obj.pod_sets[index] for index in group.indices]
        if self._pinned and not any(
            self._pinned.get(ps.name, {}).get(resource) == name for ps in pod_sets
        ):
            return (
                f"skipping flavor {name} as it is not found in the nomination mapping "
                f"for resource {resource}"
            )
        if self._allowed is not None and name not in self._allowed:
            return (
                f"skipping flavor {name} due to WorkloadAllowedResourceFlavorAnnotation annotation"
            )
        if flavor is None:
            return f"flavor {name} not found"
        for index, pod_set in zip(group.indices, pod_sets, strict=True):
            reason = ""
            if self._rules.topology:
                request = self._workload.topology_requests[index]
                reason = self._placer.mismatch(flavor, pod_set, request, self._queue, covering)
            reason = reason or flavor_mismatch(flavor, pod_set.template.spec)
            if reason:
                return reason
        return ""

    def _try_flavor(
        self,
        group: _Group,
        name: str,
        requests: Mapping[str, int],
        assumed: Mapping[FlavorResource, int],
        scan: _Scan,
    ) -> tuple[Rank, dict[str, FlavorAssignment]]:
        """Compare every resource with this flavor's quota; the worst result counts."""
        policy = self._queue.flavor_fungibility
        worst, most_borrowed = BEST, 0
        flavors: dict[str, FlavorAssignment] = {}
        reasons: list[str] = []
        obstacle = ""
        for resource, amount in requests.items():
            fr = (name, resource)
            if self._replaced is not None:
                held = self._replaced.requests
                amount, mismatch = beyond_replaced(held, group.indices, fr, amount)
                if mismatch:
                    worst = WORST
                    reasons.append(mismatch)
                    obstacle = most_severe(obstacle, "NoMatchingFlavor")
            rank, reason, no_fit = self._compare_with_quota(group, fr, assumed.get(fr, 0), amount)
            if reason:
                reasons.append(reason)
                obstacle = most_severe(obstacle, no_fit)
            mode, borrow = rank
            if borrow > most_borrowed:
                most_borrowed = borrow
            if rank is not worst and preferred(worst, rank, policy):
                worst = rank
            if worst.mode is not _NO_FIT:
                flavors[resource] = FlavorAssignment(name, mode.mode, borrow)
        scan.reasons += reasons
        scan.attempts.append(
            new_tuple(
                FlavorAttempt,
                (
                    name,
                    worst.mode.mode,
                    most_borrowed,
                    worst.mode.possibility,
                    tuple(sorted(set(reasons))) if reasons else (),
                    obstacle if self._rules.observability else "",
                ),
            )
        )
        return worst, flavors

    def _compare_with_quota(
        self, group: _Group, fr: FlavorResource, assumed: int, request: int
    ) -> tuple[Rank, str, str]:
        """Return how an amount fits, the reason if it doesn't, and the kind of obstacle."""
        queue, binary = self._queue, self._rules.binary
        needed = assumed + request
        available = queue.available(fr)
        potential = queue.potential_available(fr)
        reason, obstacle = "", ""
        if needed > potential:
            rank = Rank(_NO_FIT, 0)
            reason = (
                f"insufficient quota for {fr[1]} in flavor {fr[0]}, previously considered "
                f"podsets requests ({amount_string(fr[1], assumed, binary)}) + "
                f"current podset request ({format_amount(fr[1], request, binary)}) > "
                f"maximum capacity ({amount_string(fr[1], potential, binary)})"
            )
            obstacle = "ExceedsMaxQuota"
        else:
            borrow, may_reclaim = queue.lowest_subtree_that_fits(fr, needed)
            if needed <= available:
                rank = Rank(_FIT, borrow) if borrow else BEST
            else:
                reason = (
                    f"insufficient unused quota for {fr[1]} in flavor {fr[0]}, "
                    f"{amount_string(fr[1], needed - available, binary)} more needed"
                )
                rank, obstacle = Rank(_NO_FIT, borrow), "WaitingForQuota"
                if (
                    queue.quota(fr).nominal >= needed
                    or may_reclaim
                    or self._may_preempt_while_borrowing()
                ):
                    rank, obstacle = Rank(*self._oracle(fr, needed, borrow)), ""
        if self._log is not None:
            self._log.considered(group.names, fr, assumed, needed, rank, reason)
        return rank, reason, obstacle

    def _may_preempt_while_borrowing(self) -> bool:
        policy = self._queue.preemption
        borrow = policy.borrow_within_cohort
        if borrow is not None and borrow.policy != "Never":
            return True
        return self._rules.fair_sharing and policy.reclaim_within_cohort != "Never"


def _by_resource_order(item: tuple[str, int]) -> tuple[int, str]:
    return resource_order(item[0])


def _total(results: Sequence[PodSetResult]) -> Mapping[str, int]:
    if len(results) == 1:
        return results[0].requests
    total: dict[str, int] = {}
    for result in results:
        for name, value in result.requests.items():
            total[name] = total.get(name, 0) + value
    return dict(sorted(total.items(), key=_by_resource_order))
