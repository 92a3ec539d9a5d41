"""Where a workload stands: its phase, its place in the queue, its admission checks."""

from __future__ import annotations

from collections.abc import Iterator

from kueuelab.trace import steps
from kueuelab.trace.effect_text import count_text, devices_text, rank_text
from kueuelab.trace.explain_reason import reason
from kueuelab.trace.explanation import Line
from kueuelab.trace.reading import ConditionView, State
from kueuelab.trace.status_read import compare
from kueuelab.trace.uncounted_devices import uncounted_devices
from kueuelab.trace.wording import share_text
from kueuelab.trace.workload_moment import WorkloadMoment, usage_of

__all__ = ["ahead_of", "checks", "overtaken_by", "places", "queue", "queue_order", "status"]


def status(at: WorkloadMoment) -> Iterator[Line]:
    """Say how far the workload is, and what its conditions say."""
    if not at.view:
        yield Line(at.words("status.unknown", workload=at.workload), about=at.workload)
        return
    form = at.phase
    local_queue = at.view.queue_name
    if form == "Pending" and not at.state.cluster_queue(at.queue):
        form = "Pending.noQueue"
    yield Line(
        at.words(
            f"status.{form}",
            workload=at.workload,
            queue=at.queue,
            localQueue=local_queue,
            assignment=at.words.assignment(at.view.admission.assignment),
        ),
        about=at.workload,
        verdict=at.phase,
        numbers={"priority": at.view.priority, "clusterQueue": at.queue},
    )
    yield from reason(at)
    yield from _devices(at)
    if at.phase == "Evicted":
        found = at.view.condition("Evicted")
        yield Line(at.words("status.evictedFor", **_said(found)), rule=found.reason)
    elif at.phase in ("Pending", "QuotaReserved"):
        found = at.view.condition("QuotaReserved" if at.phase == "Pending" else "Admitted")
        if found.message:
            read = compare(at.trace, at.workload, at.at)
            form = (
                "status.message" if read is None or read.outcome == "same" else "status.message.lab"
            )
            yield Line(at.words(form, **_said(found)), rule=found.reason)


def _devices(at: WorkloadMoment) -> Iterator[Line]:
    """Say what the devices that its pods claim count against quota."""
    if uncounted_devices(at.view) is not None:
        return
    for index in reversed(at.trace.index.single_steps(at.workload)):
        facts = at.trace[index].facts
        if index > at.at or not isinstance(facts, steps.DevicesCounted):
            continue
        if facts.counted:
            text = at.words("status.devices", counted=devices_text(facts, at.words))
            yield Line(text, rule="devices", step=index)
        if facts.replaced:
            resources = sorted({resource for _, resource in facts.replaced})
            text = at.words("status.devices.replaced", resources=at.words.listed(resources))
            yield Line(text, rule="devices", step=index)
        return


def _said(condition: ConditionView) -> dict[str, str]:
    return {"reason": condition.reason, "message": condition.message}


# --- the queue -------------------------------------------------------------------------


def ahead_of(at: WorkloadMoment) -> tuple[str, ...]:
    """Return the active workloads in front of this one in its ClusterQueue, in order."""
    if at.view.place == "inflight":
        return ()
    own = queue_order(at.state, at.workload)
    # What the scheduler has taken out of the queue, and holds until pods are ready, is in front.
    found = [
        (view.place != "inflight", queue_order(at.state, view.key), view.key)
        for view in at.instant.taken_or_active(at.queue)
        if view.key != at.workload
    ]
    return tuple(key for behind, order, key in sorted(found) if not behind or order < own)


def overtaken_by(at: WorkloadMoment) -> tuple[str, ...]:
    """Return the workloads of its ClusterQueue that came later, and got quota while it waited.

    Those with a higher priority went before it by right.
    """
    found: dict[str, None] = {}
    for index in at.trace.of_kind("QuotaReserved"):
        step = at.trace[index]
        if index > at.at or step.cluster_queue != at.queue or step.workload == at.workload:
            continue
        other = at.state.workload(step.workload)
        if other and other.priority <= at.view.priority and other.queued_at > at.view.queued_at:
            found[step.workload] = None
    return tuple(found)


def queue_order(state: State, key: str) -> tuple[float, bool, int, int, str]:
    """Return by what the workloads of a ClusterQueue are ordered; the lowest goes first.

    A workload that waits for its targets stays in front of those with a higher priority.
    """
    view = state.workload(key)
    used = usage_of(state, key)
    usage = 0.0 if used is None else used[1]
    others = state.cluster_queue(view.cluster_queue).preemptor != key
    return usage, others, -view.priority, view.queued_at, key


def queue(at: WorkloadMoment) -> Iterator[Line]:
    """Say in which queue the workload waits, and behind which workloads."""
    if at.phase != "Pending":
        return
    place = at.view.place
    ahead = ahead_of(at) if place == "active" else ()
    form = place or "none"
    if place == "active":
        form += ".behind" if ahead else ".first"
    elif place == "inadmissible" and at.set_aside_with:
        form += ".with"
    elif place == "inadmissible" and not at.has_cohort:
        form += ".alone"
    elif place == "inflight" and at.held:
        form += ".held"
    yield Line(
        at.words(
            f"queue.{form}",
            queue=at.queue,
            priority=at.view.priority,
            ahead=at.words.several(ahead),
            like=at.set_aside_with,
        ),
        about=at.queue,
        verdict=place,
        numbers={"ahead": list(ahead)},
    )
    overtaken = overtaken_by(at)
    if overtaken:
        text = at.words("queue.overtaken", count=len(overtaken), others=at.words.several(overtaken))
        yield Line(text, about=at.queue, rule="overtaken", numbers={"others": list(overtaken)})
    yield from _usages(at, (at.workload, *ahead))
    preemptor = at.state.cluster_queue(at.queue).preemptor
    if place == "active" and preemptor in (at.workload, *ahead):
        text = at.words("queue.preemptor", workload=preemptor, queue=at.queue)
        yield Line(text, about=preemptor, rule="preemptor")
    requeue = at.view.requeue_state
    if "requeueAt" in requeue:
        text = at.words("queue.backoff", until=requeue["requeueAt"])
        yield Line(text, numbers=dict(requeue))
    if requeue.get("count"):
        yield Line(at.words("queue.requeues", count=requeue["count"]), numbers=dict(requeue))


def _usages(at: WorkloadMoment, workloads: tuple[str, ...]) -> Iterator[Line]:
    """Say what the LocalQueues of some workloads have used, where that decides."""
    found = dict(filter(None, (usage_of(at.state, key) for key in workloads)))
    if found:
        ordered = dict(sorted(found.items(), key=lambda pair: (pair[1], pair[0])))
        usages = at.words.several([f"{key}: {share_text(use)}" for key, use in ordered.items()])
        text = at.words("queue.byUsage", queue=at.queue, usages=usages)
        yield Line(text, about=at.queue, numbers=ordered)


# --- pods ------------------------------------------------------------------------------


def places(at: WorkloadMoment) -> Iterator[Line]:
    """Say in which domains of a topology the pods are, in the order of ranks where they have any.

    Quota without an admission has domains, too: the pods will go there.
    """
    if not at.view.holds_quota:
        return
    ranked = at.view.pods
    for pod_set in at.view.admission.pod_sets:
        found = tuple((",".join(values), count) for values, count in pod_set.places)
        if not found:
            continue
        by_rank = ranked.get(pod_set.name)
        form = "counts" if by_rank is None else "ranks"
        runs = count_text(found, at.words) if by_rank is None else rank_text(by_rank, at.words)
        yield Line(
            at.words(f"places.{form}", podSet=pod_set.name, runs=runs),
            about=pod_set.name,
            numbers={"places": dict(found), "ranks": [list(run) for run in by_rank or ()]},
        )


# --- checks ----------------------------------------------------------------------------


def checks(at: WorkloadMoment) -> Iterator[Line]:
    """Say what the admission checks say."""
    for check in at.view.checks:
        values = {"check": check.name, "state": check.state, "message": check.message.rstrip(".")}
        text = at.words.with_optional("check.line", "message", **values)
        yield Line(text, check.name, check.state)
