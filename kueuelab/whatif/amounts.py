"""Levers on amounts: quotas, limits, requests, numbers of pods, and the priority."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kueuelab.manifests.scenario import Scale
from kueuelab.messages import Message
from kueuelab.model import ClusterQueue, Cohort, FlavorResource, PodSet, amount_string
from kueuelab.quota.cohort import CohortNode
from kueuelab.quota.node import Node, Quota
from kueuelab.whatif.change_sets import Adjustment, Part
from kueuelab.whatif.changes import Edit
from kueuelab.whatif.proposals import edit_workload
from kueuelab.whatif.references import Reference
from kueuelab.whatif.subject import Demand, Subject
from kueuelab.workload.slices import is_elastic, is_slice, job_of

__all__ = ["Quotas", "borrowing", "fewer_pods", "lending", "less_per_pod", "partial", "priority"]

#: More queues and cohorts than this are not asked to lend more.
_MANY: Final = 12


class Quotas:
    """Levers on one field of the quotas of a ClusterQueue or a Cohort.

    Parameters
    ----------
    subject
        The workload by whose request amounts are measured.
    node
        The node of the quota tree.
    """

    def __init__(self, subject: Subject, node: Node) -> None:
        self._subject = subject
        self._node = node
        self._is_cohort = isinstance(node, CohortNode)
        objects = subject.cluster.objects
        specs: Mapping[str, ClusterQueue | Cohort] = (
            objects.cohorts if self._is_cohort else objects.cluster_queues
        )
        found = specs.get(node.name)
        self._paths: dict[FlavorResource, str] = {}
        for index, group in enumerate(() if found is None else found.resource_groups):
            for flavor in group.flavors:
                for quota in flavor.resources:
                    path = f"spec.resourceGroups[{index}].flavors[{flavor.name}]"
                    self._paths[flavor.name, quota.name] = f"{path}.resources[{quota.name}]"

    def __contains__(self, fr: FlavorResource) -> bool:
        return fr in self._paths

    def quota(self, fr: FlavorResource) -> Quota:
        """Return the quota as it is."""
        return self._node.quota(fr)

    def adjustment(
        self, kind: str, field: str, fr: FlavorResource, now: int, most: int
    ) -> Adjustment:
        """Return an adjustment that raises a field from what it is now, by so much at most."""
        kind = "cohortQuota" if kind == "quota" and self._is_cohort else kind
        name = self._node.name
        reference = Reference("Cohort" if self._is_cohort else "ClusterQueue", "", name)
        path = f"{self._paths[fr]}.{field}"
        requested = self._subject.requests[fr[1]]
        values = {"where": f"{reference.kind} {name}"}

        def part(amount: int) -> Part:
            change = Edit(reference, {path: amount_string(fr[1], now + amount)})
            shown = amount_string(fr[1], amount)
            item = Message("amount.of", amount=shown, resource=fr[1], flavor=fr[0])
            size = amount / requested
            return Part(kind, (change,), values, item, (name,), size)

        return Adjustment(part, most, self._subject.unit(fr[1]))

    def set_nominal(self, fr: FlavorResource, amount: int) -> Edit:
        """Return an edit that sets the nominal quota."""
        reference = Reference("Cohort" if self._is_cohort else "ClusterQueue", "", self._node.name)
        return Edit(reference, {f"{self._paths[fr]}.nominalQuota": amount_string(fr[1], amount)})

    def raised(self, fr: FlavorResource, most: int) -> Adjustment:
        """Return an adjustment that raises the nominal quota."""
        return self.adjustment("quota", "nominalQuota", fr, self.quota(fr).nominal, most)


# --- limits --------------------------------------------------------------------------------


def borrowing(subject: Subject, flavor: str, demand: Demand) -> list[Adjustment]:
    """Return adjustments on the borrowing limits between a queue and the quota of its cohort."""
    node = subject.node
    assert node is not None
    found = []
    for each in (node, *node.ancestors()):
        quotas = Quotas(subject, each)
        for resource, amount in demand.requests.items():
            fr = (flavor, resource)
            if fr in quotas and (limit := quotas.quota(fr).borrowing_limit) is not None:
                most = amount + _competing(subject, node.name, resource)
                found.append(quotas.adjustment("borrowingLimit", "borrowingLimit", fr, limit, most))
    return found


def _competing(subject: Subject, queue: str, resource: str) -> int:
    """Return what other pending workloads of the ClusterQueue ask for; they might go first."""
    return sum(
        asked.requests.get(resource, 0)
        for state in subject.waiting()
        if subject.cluster.plane.queueing.get(state.queue_key) == queue
        for asked in state.requests
    )


def lending(subject: Subject) -> list[Adjustment]:
    """Return adjustments on the lending limits set by others of the tree, the largest first."""
    node = subject.node
    if node is None:
        return []
    above = [node, *node.ancestors()]
    tree, root = subject.cluster.tree, node.root
    queues: list[Node] = [tree.cluster_queues[name] for name in subject.tree_queues]
    lenders = [*queues, *(cohort for cohort in tree.cohorts.values() if cohort.root is root)]
    found: list[tuple[int, str, Adjustment]] = []
    for lender in lenders:
        if lender in above:
            continue
        quotas = Quotas(subject, lender)
        for fr in subject.contested:
            if fr not in quotas or (limit := quotas.quota(fr).lending_limit) is None:
                continue
            kept = lender.local_quota(fr)
            if kept > 0:
                adjustment = quotas.adjustment("lendingLimit", "lendingLimit", fr, limit, kept)
                found.append((-kept, f"{lender.name}/{fr}", adjustment))
    return [adjustment for _, _, adjustment in sorted(found, key=lambda each: each[:2])[:_MANY]]


# --- the workload itself -----------------------------------------------------------------------


def priority(subject: Subject) -> Adjustment | None:
    """Return an adjustment on the priority, to where it passes that of others one by one."""
    own = subject.state.priority
    known = {state.priority for state in (*subject.holders(), *subject.waiting())}
    steps = sorted({value for each in known for value in (each, each + 1) if value > own})
    if not steps:
        return None

    def part(level: int) -> Part:
        after = steps[level - 1]
        change = edit_workload(subject, {"spec.priority": after})
        return Part("priority", (change,), _of_priority(subject, own, after))

    return Adjustment(part, len(steps))


def _of_priority(subject: Subject, before: int, after: int) -> dict[str, Any]:
    return {"workload": subject.key, "before": before, "after": after}


def fewer_pods(subject: Subject) -> Iterator[Adjustment]:
    """Yield adjustments on the number of pods; one stays."""
    for pod_set in [each for each in subject.state.obj.pod_sets if each.count > 1][:2]:
        yield _pods_adjustment(subject, pod_set)


def _pods_adjustment(subject: Subject, pod_set: PodSet) -> Adjustment:
    place, count = f"spec.podSets[{pod_set.name}]", pod_set.count
    job = job_of(subject.state.obj) if is_slice(subject.state.obj) else ""

    def scaled_down(less: int) -> Part:
        after = count - less
        change = Scale(subject.key, {pod_set.name: after})
        values = {"job": job, "podSet": pod_set.name, "before": count, "after": after}
        return Part("scaleDown", (change,), {**values, "count": after}, size=less / count)

    def part(less: int) -> Part:
        after = count - less
        change = edit_workload(subject, {f"{place}.count": after, f"{place}.minCount": None})
        values = {"podSet": pod_set.name, "before": count, "after": after, "count": after}
        return Part("fewerPods", (change,), values, size=less / count)

    return Adjustment(scaled_down if job else part, count - 1)


def partial(subject: Subject) -> Adjustment | None:
    """Return an adjustment on the smallest number of pods to be admitted with."""
    # Kueue has it for one pod set of a workload.
    larger = [each for each in subject.state.obj.pod_sets if each.count > 1]
    if not larger or not subject.cluster.configuration.gates["PartialAdmission"]:
        return None
    if is_elastic(subject.state.obj):
        return None  # Kueue rejects both together.
    chosen = next((each for each in larger if each.min_count is not None), larger[0])
    count = chosen.count
    now = count if chosen.min_count is None else chosen.min_count

    def part(less: int) -> Part:
        after = now - less
        change = edit_workload(subject, {f"spec.podSets[{chosen.name}].minCount": after})
        values = {"podSet": chosen.name, "before": count, "after": after}
        return Part("partialAdmission", (change,), values, size=1 - after / count)

    return Adjustment(part, now - 1) if now > 1 else None


def less_per_pod(subject: Subject) -> list[Adjustment]:
    """Return adjustments on what each pod asks for; something is left of each resource."""
    pod_sets = subject.state.obj.pod_sets
    if len(pod_sets) != 1 or len(pod_sets[0].template.spec.containers) != 1:
        return []
    if pod_sets[0].template.spec.init_containers:
        return []
    resources = pod_sets[0].template.spec.containers[0].resources
    written = {**resources.limits, **resources.requests}
    requests = {
        resource: amount
        for demand in subject.demands
        for resource, amount in demand.requests.items()
        if resource in written
    }
    return [
        _less(subject, resource, amount, pod_sets[0].count)
        for resource, amount in requests.items()
        if amount > pod_sets[0].count
    ]


def _less(subject: Subject, resource: str, total: int, count: int) -> Adjustment:
    place = "spec.podSets[0].template.spec.containers[0].resources"
    container = subject.state.obj.pod_sets[0].template.spec.containers[0]
    # Of what is no resource of Kubernetes' own, requests and limits have to be the same.
    both = "/" in resource and resource in container.resources.limits
    fields = ("requests", "limits") if both else ("requests",)

    def part(less: int) -> Part:
        amount = (total - less) // count
        values = {
            f"{place}.{field}[{resource}]": amount_string(resource, amount) for field in fields
        }
        change = edit_workload(subject, values)
        item = f"{amount_string(resource, amount)} {resource}"
        return Part("smallerRequest", (change,), item=item, size=1 - amount * count / total)

    # With partial admission, less per pod may let more or fewer of them in.
    partly = subject.state.obj.pod_sets[0].min_count is not None
    return Adjustment(part, total - count, count if partly else subject.unit(resource))
