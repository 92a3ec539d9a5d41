"""Where a workload stands: its place in the queue, its checks, evictions, what it waits for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kueuelab.trace import steps
from kueuelab.trace.situation import Situation, cluster_queue_of, usage_of
from kueuelab.trace.step import Step
from kueuelab.trace.story import Line
from kueuelab.trace.wording import share_text, time_text, verdict_of

__all__ = ["ahead_of", "checks", "eviction_lines", "evictions", "next_steps", "queue", "status"]


def status(at: Situation) -> Iterator[Line]:
    """Say how far the workload is, and what its conditions say."""
    if not at.view:
        yield Line(at.words("story.unknown", workload=at.workload), about=at.workload)
        return
    form = at.phase
    local_queue = at.view.get("queueName", "")
    if form == "Pending" and not at.queue:
        form = "Pending.noQueue"
    yield Line(
        at.words(
            f"story.{form}",
            workload=at.workload,
            queue=at.queue,
            localQueue=local_queue,
            assignment=at.words.assignment(_assignment(at.view)),
        ),
        about=at.workload,
        verdict=at.phase,
        numbers={"priority": at.view.get("priority", 0), "clusterQueue": at.queue},
    )
    if not at.view.get("active", True):
        yield Line(at.words("story.inactive"), about=at.workload, verdict="Deactivated")
    conditions = at.view.get("conditions", {})
    if at.phase == "Evicted":
        found = conditions.get("Evicted", {})
        yield Line(at.words("story.evictedFor", **_said(found)), rule=found.get("reason", ""))
    elif at.phase in ("Pending", "QuotaReserved"):
        found = conditions.get("QuotaReserved" if at.phase == "Pending" else "Admitted", {})
        if found.get("message"):
            yield Line(at.words("story.message", **_said(found)), rule=found.get("reason", ""))


def _said(condition: Mapping[str, str]) -> dict[str, str]:
    return {"reason": condition.get("reason", ""), "message": condition.get("message", "")}


def _assignment(view: Mapping[str, Any]) -> Iterator[tuple[str, int, Mapping[str, str]]]:
    for pod_set in (view.get("admission") or {}).get("podSets", ()):
        yield pod_set["name"], pod_set["count"] or 0, pod_set["flavors"]


# --- the queue -------------------------------------------------------------------------


def ahead_of(at: Situation) -> tuple[str, ...]:
    """Return the active workloads in front of this one in its ClusterQueue, in order."""
    waiting = [
        key
        for key, view in at.state.get("workloads", {}).items()
        if view.get("queue") in ("active", "inflight")
        and key != at.workload
        and cluster_queue_of(at.state, key) == at.queue
    ]
    own = _place(at, at.workload)
    return tuple(sorted((key for key in waiting if _place(at, key) < own), key=_by_place(at)))


def _place(at: Situation, key: str) -> tuple[float, int, int, str]:
    view = at.state["workloads"][key]
    used = usage_of(at.state, key)
    usage = 0.0 if used is None else used[1]
    return usage, -view.get("priority", 0), view.get("queuedAt", 0), key


def _by_place(at: Situation) -> Any:
    return lambda key: _place(at, key)


def queue(at: Situation) -> Iterator[Line]:
    """Say where the workload waits and behind whom."""
    if at.phase != "Pending":
        return
    place = at.view.get("queue")
    ahead = ahead_of(at) if place == "active" else ()
    form = place or "none"
    if place == "active":
        form += ".behind" if ahead else ".first"
    elif place == "inadmissible" and not at.has_cohort:
        form += ".alone"
    yield Line(
        at.words(
            f"queue.{form}",
            queue=at.queue,
            priority=at.view.get("priority", 0),
            ahead=at.words.listed(ahead),
        ),
        about=at.queue,
        verdict=str(place or ""),
        numbers={"ahead": list(ahead)},
    )
    yield from _usages(at, (at.workload, *ahead))
    requeue = at.view.get("requeueState") or {}
    if "requeueAt" in requeue:
        yield Line(
            at.words("queue.backoff", until=requeue["requeueAt"], count=requeue.get("count", 0)),
            numbers=dict(requeue),
        )
    elif requeue.get("count"):
        yield Line(at.words("queue.requeues", count=requeue["count"]), numbers=dict(requeue))
    if at.cycle is None:
        yield Line(at.words("queue.neverTried"))


def _usages(at: Situation, workloads: tuple[str, ...]) -> Iterator[Line]:
    """Say what the LocalQueues of some workloads have used, where that decides."""
    found = dict(filter(None, (usage_of(at.state, key) for key in workloads)))
    if found:
        ordered = dict(sorted(found.items(), key=lambda pair: (pair[1], pair[0])))
        usages = at.words.listed(f"{key}: {share_text(usage)}" for key, usage in ordered.items())
        text = at.words("queue.byUsage", queue=at.queue, usages=usages)
        yield Line(text, about=at.queue, numbers=ordered)


# --- checks and evictions --------------------------------------------------------------


def checks(at: Situation) -> Iterator[Line]:
    """Say what the admission checks say."""
    for name, check in sorted(at.view.get("admissionChecks", {}).items()):
        message = at.words.tail(check.get("message", ""))
        text = at.words("check.line", check=name, state=check["state"], message=message)
        yield Line(text + ("" if text.endswith(".") else "."), name, check["state"])


def evictions(at: Situation) -> Iterator[Line]:
    """Say how often, when, why and by whom the workload was evicted."""
    found = [
        index
        for index in at.trace.index.about(at.workload, "subject")
        if index <= at.at and at.trace[index].kind == "Evicted"
    ]
    if not found:
        return
    yield Line(at.words("evictions.count", count=len(found)), numbers={"count": len(found)})
    for index in found:
        yield from eviction_lines(at, at.trace[index])


def eviction_lines(at: Situation, step: Step) -> Iterator[Line]:
    """Say why a workload was evicted at a step."""
    facts = step.facts
    assert isinstance(facts, steps.Evicted)
    time = time_text(step.time)
    if not facts.preemptor:
        text = at.words("evictions.other", time=time, reason=facts.reason, message=facts.message)
        yield Line(text, at.workload, "Evicted", facts.reason, step=step.index)
        return
    paths = {"preemptorPath": facts.preemptor_path, "preemptedPath": facts.preemptee_path}
    yield Line(
        at.words(
            "evictions.preempted",
            time=time,
            cycle=step.cycle,
            preemptor=facts.preemptor,
            reason=facts.preemption_reason,
            **paths,
        ),
        facts.preemptor,
        "Preempted",
        facts.preemption_reason,
        {"cycle": step.cycle, **paths},
        step.index,
    )
    message = f"evictions.reason.{facts.preemption_reason}"
    if message in at.words.catalog:
        text = at.words(
            message,
            preemptor=facts.preemptor,
            preemptorQueue=facts.preemptor_path.rpartition("/")[2],
            queue=facts.preemptee_path.rpartition("/")[2],
        )
        yield Line(text, facts.preemptor, rule=facts.preemption_reason, step=step.index)


# --- what next -------------------------------------------------------------------------


def next_steps(at: Situation) -> Iterator[Line]:
    """Say what the workload now waits for."""
    phase = at.phase
    if phase in ("Admitted", "Finished", "Evicted"):
        yield Line(at.words(f"next.{phase.lower()}"), verdict=phase)
    elif phase == "QuotaReserved":
        waiting = [
            name
            for name, check in sorted(at.view.get("admissionChecks", {}).items())
            if check["state"] != "Ready"
        ]
        yield Line(at.words("next.checks", checks=at.words.listed(waiting)), verdict=phase)
    elif phase == "Pending":
        yield from _next_of_pending(at)


def _next_of_pending(at: Situation) -> Iterator[Line]:
    requeue = at.view.get("requeueState") or {}
    if not at.view.get("active", True):
        yield Line(at.words("next.inactive"))
    elif "requeueAt" in requeue:
        yield Line(at.words("next.backoff", until=requeue["requeueAt"]), numbers=dict(requeue))
    elif at.view.get("queue") == "inadmissible":
        yield from _next_of_inadmissible(at)
    elif at.view.get("queue"):
        yield from _next_of_active(at)
    else:
        yield Line(at.words("next.somethingChanges"))


def _next_of_active(at: Situation) -> Iterator[Line]:
    processed = at.last("EntryProcessed")
    facts = None if processed is None else processed.facts
    if isinstance(facts, steps.EntryProcessed) and facts.requeue_reason == "PendingPreemption":
        workloads = at.state.get("workloads", {})
        left = [key for key, _ in facts.targets if workloads.get(key, {}).get("phase") == "Evicted"]
        if left:
            text = at.words("next.preemption", targets=at.words.listed(left))
            yield Line(text, rule="PendingPreemption", numbers={"targets": left})
    ahead = ahead_of(at)
    if ahead:
        text = at.words("next.behind", queue=at.queue, ahead=at.words.listed(ahead))
        yield Line(text, numbers={"ahead": list(ahead)})
    else:
        yield Line(at.words("next.turn"))


def _next_of_inadmissible(at: Situation) -> Iterator[Line]:
    turned_away = at.last("NotNominated")
    if turned_away is not None:
        facts = turned_away.facts
        assert isinstance(facts, steps.NotNominated)
        text = at.words("next.notNominated", message=facts.message)
        yield Line(text, rule=facts.reason, step=turned_away.index)
        return
    found = False
    for step in at.own:
        facts = step.facts
        if not isinstance(facts, steps.FlavorConsidered):
            continue
        lacking = facts.requested - facts.available
        if lacking <= 0 or verdict_of(facts) == "ExceedsMaximum":
            continue
        found = True
        needed = at.words.amounts([(facts.flavor, facts.resource, lacking)])
        yield Line(
            at.words("next.quota", needed=needed, queue=at.queue),
            about=facts.flavor,
            numbers={"flavor": facts.flavor, "resource": facts.resource, "lacking": lacking},
            step=step.index,
        )
    if not found:
        considered = at.last("FlavorConsidered", "FlavorRejected") is not None
        yield Line(at.words("next.change" if considered else "next.somethingChanges"))
