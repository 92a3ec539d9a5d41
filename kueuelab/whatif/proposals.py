"""Changes that could admit a workload: what there is to try, before anything is tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kueuelab.manifests.decode import ModelObject
from kueuelab.manifests.scenario import Apply, Finish, SetActive, SetCheck
from kueuelab.model import ObjectMeta, ResourceFlavor
from kueuelab.whatif.changes import Change, Edit
from kueuelab.whatif.references import Reference
from kueuelab.whatif.subject import Subject
from kueuelab.whatif.words import words
from kueuelab.workload import WorkloadState

__all__ = ["Proposal", "checks", "finishing", "policies", "remedies"]

#: More objects of a kind than this are not tried one by one.
_MANY = 4


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change that may help. ``size`` as in a suggestion."""

    kind: str
    text: str
    changes: tuple[Change, ...]
    queues: tuple[str, ...] = ()
    size: float = 1.0


def proposal(
    kind: str, *changes: Change, queues: tuple[str, ...] = (), size: float = 1.0, **values: Any
) -> Proposal:
    """Return a proposal with the sentence of its kind."""
    return Proposal(kind, words().text(f"suggest.{kind}", **values), changes, queues, size)


def edit_queue(name: str, values: Mapping[str, Any]) -> Edit:
    """Return an edit of a ClusterQueue."""
    return Edit(Reference("ClusterQueue", "", name), values)


def edit_workload(subject: Subject, values: Mapping[str, Any]) -> Edit:
    """Return an edit of the workload."""
    meta = subject.state.obj.metadata
    return Edit(Reference("Workload", meta.namespace, meta.name), values)


# --- what is not in order --------------------------------------------------------------------


def remedies(subject: Subject) -> Iterator[Proposal]:
    """Yield changes for what stands in the way but isn't quota."""
    state, cluster = subject.state, subject.cluster
    if not state.active:
        yield proposal("activate", SetActive(state.key, True), workload=state.key)
    yield from _other_local_queues(subject)
    local_queue, queue = subject.local_queue, subject.queue
    if local_queue is not None and local_queue.stop_policy != "None":
        reference = Reference.of(local_queue)
        name = str(reference)
        yield proposal("stopPolicy", Edit(reference, {"spec.stopPolicy": "None"}), object=name)
    if local_queue is not None and queue is None:
        for name in sorted(cluster.objects.cluster_queues)[:_MANY]:
            yield proposal(
                "clusterQueue",
                Edit(Reference.of(local_queue), {"spec.clusterQueue": name}),
                queue=local_queue.key,
                clusterQueue=name,
            )
    if queue is None:
        return
    mine = (queue.name,)
    if queue.stop_policy != "None":
        change = edit_queue(queue.name, {"spec.stopPolicy": "None"})
        name = str(Reference.of(queue))
        yield proposal("stopPolicy", change, queues=mine, object=name)
    labels = cluster.objects.namespace_labels(state.obj.namespace)
    selector = queue.namespace_selector
    if selector is None or not selector.matches(labels):
        change = edit_queue(queue.name, {"spec.namespaceSelector": {}})
        yield proposal("namespaceSelector", change, queues=mine, queue=queue.name)
    for group in queue.resource_groups:
        for flavor in group.flavors:
            if flavor.name not in cluster.objects.flavors:
                missing: ModelObject = ResourceFlavor(ObjectMeta(flavor.name))
                yield proposal("flavor", Apply((missing,)), queues=mine, flavor=flavor.name)
    yield from _placement(subject)


def checks(subject: Subject) -> Proposal:
    """Return that all checks that a workload with quota waits for say Ready."""
    waiting = [n for n, check in subject.state.admission_checks.items() if check.state != "Ready"]
    changes = [SetCheck(subject.key, name, "Ready") for name in sorted(waiting)]
    size = float(len(changes))
    return proposal("check", *changes, size=size, check=words().join(sorted(waiting)))


def _other_local_queues(subject: Subject) -> Iterator[Proposal]:
    namespace = subject.state.obj.namespace
    others = [
        local_queue
        for key, local_queue in sorted(subject.cluster.objects.local_queues.items())
        if local_queue.metadata.namespace == namespace and key != subject.state.queue_key
    ]
    mine = None if subject.local_queue is None else subject.local_queue.cluster_queue
    for local_queue in [each for each in others if each.cluster_queue != mine][:_MANY]:
        change = edit_workload(subject, {"spec.queueName": local_queue.metadata.name})
        yield proposal("queueName", change, queue=local_queue.metadata.name)


def _placement(subject: Subject) -> Iterator[Proposal]:
    """Yield what would make a flavor suit: a toleration, no node selector."""
    if all(demand.flavors for demand in subject.demands):
        return
    pod_sets = subject.state.obj.pod_sets
    selecting = [p.name for p in pod_sets if p.template.spec.node_selector]
    if selecting:
        without = {f"spec.podSets[{n}].template.spec.nodeSelector": None for n in selecting}
        yield proposal("nodeSelector", edit_workload(subject, without))
    for demand in subject.demands:
        for quota in () if demand.flavors else demand.group.flavors:
            flavor = subject.cluster.objects.flavors.get(quota.name)
            if flavor is None or not flavor.node_taints:
                continue
            tolerations = [
                {"key": t.key, "operator": "Equal", "value": t.value, "effect": t.effect}
                for t in flavor.node_taints
            ]
            values = {
                f"spec.podSets[{p.name}].template.spec.tolerations": [
                    *_tolerations(p.template.spec.tolerations),
                    *tolerations,
                ]
                for p in pod_sets
            }
            yield proposal("toleration", edit_workload(subject, values), flavor=quota.name)


def _tolerations(found: Any) -> list[dict[str, Any]]:
    from kueuelab.manifests.encode.parts import tolerations

    return list(tolerations(found))


# --- policies ----------------------------------------------------------------------------------


def policies(subject: Subject) -> Iterator[list[Proposal]]:
    """Yield groups of changes of policy, the gentlest of each group first.

    Of each group, the first that helps is enough.
    """
    queue, node = subject.queue, subject.node
    if queue is None or node is None:
        return
    name, preemption = queue.name, queue.preemption

    def preempting(**fields: Any) -> Proposal:
        values = {f"spec.preemption.{field}": value for field, value in fields.items()}
        shown = ", ".join(f"{field}: {_shown(value)}" for field, value in fields.items())
        change = edit_queue(name, values)
        size = float(len(fields))
        return proposal("preemption", change, queues=(name,), size=size, fields=shown, queue=name)

    within = ["Never", "LowerPriority", "LowerOrNewerEqualPriority"]
    stronger = within[within.index(preemption.within_cluster_queue) + 1 :]
    yield [preempting(withinClusterQueue=policy) for policy in stronger]
    if node.parent is not None:
        reclaim = ["Never", "LowerPriority", "Any"]
        current = preemption.reclaim_within_cohort
        stronger = reclaim[reclaim.index(current) + 1 :]
        yield [preempting(reclaimWithinCohort=policy) for policy in stronger]
        borrow = preemption.borrow_within_cohort
        allowed = {"policy": "LowerPriority"}
        found = []
        if borrow is None or borrow.policy == "Never" or borrow.max_priority_threshold is not None:
            if current == "Never":
                found.append(
                    preempting(reclaimWithinCohort="LowerPriority", borrowWithinCohort=allowed)
                )
            else:
                found.append(preempting(borrowWithinCohort=allowed))
        if found and current != "Any":
            found.append(preempting(reclaimWithinCohort="Any", borrowWithinCohort=allowed))
        yield found
        yield list(_cohorts(subject))
    else:
        yield list(_cohorts(subject))
    if queue.queueing_strategy == "StrictFIFO":
        change = edit_queue(name, {"spec.queueingStrategy": "BestEffortFIFO"})
        yield [proposal("strategy", change, queues=(name,), queue=name)]
    yield list(_fungibility(subject))


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {inner}" for name, inner in value.items()) + "}"
    return str(value)


def _fungibility(subject: Subject) -> Iterator[Proposal]:
    queue = subject.queue
    assert queue is not None
    if not any(len(demand.flavors) > 1 for demand in subject.demands):
        return
    fungibility = queue.flavor_fungibility
    for field, current, other in (
        ("whenCanBorrow", fungibility.when_can_borrow, "TryNextFlavor"),
        ("whenCanPreempt", fungibility.when_can_preempt, "MayStopSearch"),
    ):
        if current != other and fungibility.preference is None:
            change = edit_queue(queue.name, {f"spec.flavorFungibility.{field}": other})
            yield proposal(
                "fungibility",
                change,
                queues=(queue.name,),
                fields=f"{field}: {other}",
                queue=queue.name,
            )


def _cohorts(subject: Subject) -> Iterator[Proposal]:
    """Yield the other cohorts with quota that it could use, those with the most to spare first."""
    queue, cluster = subject.queue, subject.cluster
    assert queue is not None
    spare = {
        name: sum(
            max(0, node.subtree_quota.get(fr, 0) - node.usage.get(fr, 0))
            for fr in subject.contested
        )
        for name, node in cluster.tree.cohorts.items()
        if name != queue.cohort_name and node.sorted_queues
    }
    ranked = sorted((name for name in spare if spare[name]), key=lambda name: (-spare[name], name))
    for name in ranked[:_MANY]:
        change = edit_queue(queue.name, {"spec.cohortName": name})
        yield proposal("cohort", change, queues=(queue.name,), queue=queue.name, cohort=name)


# --- who would have to finish --------------------------------------------------------------------


def finishing(subject: Subject) -> Iterator[Proposal]:
    """Yield which workloads would make room by finishing: single ones, else a set."""
    if subject.node is None or not all(demand.flavors for demand in subject.demands):
        return
    holders = sorted(subject.holders(), key=lambda state: (_part(subject, state), state.key))
    singles = [state for state in holders if subject.fits_without([state])]
    for state in singles[: _MANY - 1]:
        yield _finish([state])
    if not singles and (chosen := _set(subject, holders[::-1])):
        yield _finish(chosen)


def _set(subject: Subject, holders: list[WorkloadState]) -> list[WorkloadState]:
    """Return a small set whose quota is enough, the largest users first; none may be left out."""
    holders = holders[:64]
    chosen: list[WorkloadState] = []
    for state in holders:
        chosen.append(state)
        if subject.fits_without(chosen):
            break
    else:
        return []
    for state in list(chosen):
        rest = [each for each in chosen if each is not state]
        if subject.fits_without(rest):
            chosen = rest
    return chosen


def _part(subject: Subject, state: WorkloadState) -> float:
    return max(
        (state.usage.get(fr, 0) / subject.requests[fr[1]] for fr in subject.contested), default=0.0
    )


def _finish(states: list[WorkloadState]) -> Proposal:
    keys = sorted(state.key for state in states)
    queues = tuple(sorted({state.cluster_queue for state in states}))
    changes = [Finish(key) for key in keys]
    count = len(keys)
    shown = words().join(keys)
    return proposal(
        "finish", *changes, queues=queues, size=float(count), workloads=shown, count=count
    )
