"""The reason in short: what a person with a pending job wants to know first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kueuelab.trace import steps
from kueuelab.trace.explain_order import processed_before
from kueuelab.trace.explain_preemption import queue_why, shown_searches, verdict_why
from kueuelab.trace.explanation import Line
from kueuelab.trace.merge_lines import merge_similar_lines
from kueuelab.trace.uncounted_devices import uncounted_devices
from kueuelab.trace.without_place import without_place
from kueuelab.trace.wording import amount_text, time_text, verdict_of
from kueuelab.trace.workload_moment import WorkloadMoment, not_ready, workload_at

__all__ = ["queue_trouble", "reason", "targets_left", "went_first"]

#: How many ClusterQueues are named that use what is missing.
_USERS: Final = 3
#: How many different rules against preemption are named here; all of them are further down.
_RULES: Final = 3


def reason(at: WorkloadMoment) -> Iterator[Line]:
    """Say in a sentence or two why the workload does not run."""
    match at.phase:
        case "Pending":
            yield from _pending(at)
        case "QuotaReserved":
            yield from _checks(at)
        case "Admitted":
            if at.view.condition("PodsReady").status == "False":
                yield Line(at.words("reason.podsNotReady"), rule="PodsReady")


def _pending(at: WorkloadMoment) -> Iterator[Line]:
    requeue = at.view.requeue_state
    held = at.held
    trouble = queue_trouble(at)
    if not at.view.active:
        yield Line(at.words("status.inactive"), about=at.workload, verdict="Deactivated")
    elif trouble:
        yield Line(trouble, about=at.queue, rule="queue")
    elif (devices := uncounted_devices(at.view)) is not None:
        yield Line(at.words("reason.devices", message=devices.message), rule="devices")
    elif "requeueAt" in requeue:
        yield Line(at.words("reason.backoff", until=requeue["requeueAt"]), rule="backoff")
    elif held and at.view.place in ("active", "inflight"):
        yield from _held(at, held)
    elif at.is_stale:
        yield from _evicted(at)
    elif at.cycle is None:
        yield from _unseen(at)
    else:
        yield from _look(at)


def queue_trouble(at: WorkloadMoment) -> str:
    """Return what is wrong with the workload's queues, ``""`` if nothing is."""
    place = at.view.local_queue, at.queue, at.words
    known = at.instant.queue_troubles
    if place not in known:
        known[place] = _queue_trouble(at)
    return known[place]


def _queue_trouble(at: WorkloadMoment) -> str:
    name = at.view.queue_name
    namespace = at.workload.partition("/")[0]
    local_queue = at.state.local_queue(at.view.local_queue)
    cluster_queue = at.state.cluster_queue(at.queue)
    words = at.words
    if not local_queue:
        return words("reason.noLocalQueue", localQueue=name, namespace=namespace)
    if local_queue.stop_policy != "None":
        policy = local_queue.stop_policy
        return words("reason.stoppedLocalQueue", localQueue=name, policy=policy)
    if not cluster_queue:
        return words("reason.noClusterQueue", localQueue=name, queue=at.queue)
    if not cluster_queue.is_active:
        message = ""
        for index in at.trace.index.of_queue(at.queue):
            facts = at.trace[index].facts
            if index <= at.at and isinstance(facts, steps.QueueStatusChanged):
                message = facts.message
        return words("reason.inactiveQueue", queue=at.queue, message=message)
    return ""


def _held(at: WorkloadMoment, held: str) -> Iterator[Line]:
    """Say that nothing is admitted until the pods of others are ready."""
    others = at.words.several(not_ready(at.state))
    form = "reason.waitsForPods" if held == at.workload else "reason.heldUp"
    yield Line(at.words(form, others=others, held=held), about=held, rule="WaitForPodsReady")


def _evicted(at: WorkloadMoment) -> Iterator[Line]:
    step = at.evicted_since
    assert step is not None
    facts = step.facts
    assert isinstance(facts, steps.Evicted)
    time = time_text(step.time)
    if facts.preemptor:
        text = at.words("reason.preempted", preemptor=facts.preemptor, time=time)
    else:
        text = at.words("reason.evicted", reason=facts.reason, time=time)
    yield Line(text, facts.preemptor, "Evicted", facts.preemption_reason or facts.reason)
    yield from _unseen(at)


def _unseen(at: WorkloadMoment) -> Iterator[Line]:
    """Say why it was not looked at, or not since it lost its quota."""
    like = at.set_aside_with
    if like:
        text = at.words("reason.set-aside-with", like=like)
        yield Line(text, about=like, rule="equivalent")
        known = at.instant.of_likes
        if (like, at.words) not in known:
            twin = workload_at(at.instant, like, at.words)
            is_known = twin.cycle is not None and not twin.is_stale
            known[like, at.words] = ([], _look(twin) if is_known else iter(()))
        yield from _made_once(*known[like, at.words])
    else:
        form = "reason.notLookedAt" if at.is_stale else "reason.new"
        yield Line(at.words(form), rule="not-looked-at")


def _made_once(made: list[Line], rest: Iterator[Line]) -> Iterator[Line]:
    """Yield lines that were made before, and make others only when they are asked for."""
    number = 0
    while True:
        if number == len(made):
            line = next(rest, None)
            if line is None:
                return
            made.append(line)
        yield made[number]
        number += 1


def _checks(at: WorkloadMoment) -> Iterator[Line]:
    for check in at.view.checks:
        if check.state != "Ready":
            values = {"check": check.name, "state": check.state, "message": check.message}
            text = at.words.with_optional("reason.check", "message", **values)
            yield Line(text, check.name, check.state)


# --- what the last look found ------------------------------------------------------------


def _look(at: WorkloadMoment) -> Iterator[Line]:
    """Say in short what came of the last cycle that looked at it."""
    processed = at.last("EntryProcessed", "NotNominated")
    facts = None if processed is None else processed.facts
    if isinstance(facts, steps.NotNominated):
        message = facts.message.rstrip(".")
        yield Line(
            at.words("reason.notNominated", queue=at.queue, message=message), rule=facts.reason
        )
    elif isinstance(facts, steps.EntryProcessed):
        yield from _entry(at, facts)
    elif at.view.place == "inflight":
        yield Line(at.words("reason.underWay"), rule="inflight")


def _entry(at: WorkloadMoment, facts: steps.EntryProcessed) -> Iterator[Line]:
    words = at.words
    if facts.status == "assumed":
        yield Line(words("reason.assumed"), verdict="assumed")
    elif facts.status in ("skipped", "preemptionGated"):
        message = facts.message.rstrip(".")
        took, kept = went_first(at)
        if facts.status != "skipped" or not (took or kept):
            yield Line(words("reason.gated", message=message), facts.status, facts.requeue_reason)
        for form, others in (("skipped", took), ("kept", kept)):
            if others and facts.status == "skipped":
                text = words(
                    f"reason.{form}",
                    others=words.several(others),
                    count=len(others),
                    message=message,
                )
                numbers = {form: list(others)}
                yield Line(text, verdict=facts.status, rule=facts.requeue_reason, numbers=numbers)
    elif facts.requeue_reason == "PendingPreemption" and facts.targets:
        keys = [key for key, _ in facts.targets]
        left = targets_left(at, facts)
        form = "reason.preempts" if left else "reason.preempted.done"
        text = words(form, targets=words.several(left or keys))
        yield Line(text, rule="PendingPreemption", numbers={"waitsFor": list(left)})
    else:
        yield from _no_fit(at)


def went_first(at: WorkloadMoment) -> tuple[list[str], list[str]]:
    """Return what was processed before it and got the quota, and what had it kept for it."""
    took: list[str] = []
    kept: list[str] = []
    for key, (step, held) in processed_before(at).items():
        facts = step.facts
        assert isinstance(facts, steps.EntryProcessed)
        if held:
            (took if facts.status == "assumed" else kept).append(key)
    return took, kept


def targets_left(at: WorkloadMoment, facts: steps.EntryProcessed) -> list[str]:
    """Return those that it preempts which hold their quota still."""
    since = 0 if at.look is None else at.look.first
    return [
        key
        for key, _ in facts.targets
        if at.state.workload(key).phase == "Evicted" or not _evicted_since(at, key, since)
    ]


def _evicted_since(at: WorkloadMoment, key: str, since: int) -> bool:
    """Tell whether a workload was evicted, or is gone, after a step."""
    if not at.state.workload(key):
        return True
    return any(
        since < index <= at.at and at.trace[index].kind == "Evicted"
        for index in at.trace.index.single_steps(key)
    )


def _no_fit(at: WorkloadMoment) -> Iterator[Line]:
    words = at.words
    obstacles = (*_obstacles(at), *_no_place(at))
    if obstacles:
        values = dict(at.looked_at) if at.is_past else {}
        form = "reason.noFit.then" if values else "reason.noFit"
        if at.moved_from:
            form = "reason.noFit.moved"
            values |= {"queue": at.moved_from, "now": at.queue}
        elif replaced := _replaced(at):
            form = "reason.noFit.slice.then" if values else "reason.noFit.slice"
            values["replaced"] = replaced
        text = words(form, obstacles=words.clauses(obstacles), **values)
        yield Line(text, rule="no-fit", numbers={"obstacles": list(obstacles)})
    against = merge_similar_lines(_against(at), words)
    if against:
        rules = list(against[:_RULES])
        if len(against) > _RULES:
            rules.append(words("reason.rest", count=len(against) - _RULES))
        form = "reason.no-targets.then" if at.is_past else "reason.no-targets"
        yield Line(words(form, rules=words.clauses(rules)), rule="no-candidates")


def _replaced(at: WorkloadMoment) -> str:
    """Return the slice that this slice of an elastic job was to replace; ``""`` if none was."""
    for step in at.own:
        if isinstance(step.facts, steps.ReplacesSlice):
            return step.facts.replaced
    return ""


def _obstacles(at: WorkloadMoment) -> Iterator[str]:
    """Yield, for each part of the request that found no flavor, what each flavor lacks."""
    found: dict[str, None] = {}
    several = len({pods for step in at.own if (pods := _pod_sets(step.facts))}) > 1
    for step in at.own:
        facts = step.facts
        if isinstance(facts, steps.FewerPodsTried):
            break
        if isinstance(facts, steps.FlavorConsidered):
            text = _lacking(at, facts)
        elif isinstance(facts, steps.FlavorRejected):
            text = at.words.listed(facts.reasons)
        elif isinstance(facts, steps.FlavorChosen):
            if facts.mode != "Fit":
                yield from found
            found = {}
            continue
        else:
            continue
        if text:
            pod_sets = at.words.listed(_pod_sets(facts))
            text = at.words("reason.of", podSets=pod_sets, text=text) if several else text
            found[text] = None
    yield from found


def _no_place(at: WorkloadMoment) -> Iterator[str]:
    """Say that the quota suffices and a topology has no place, where that is so."""
    facts = without_place(at)
    if facts is not None:
        yield at.words("reason.noPlace", flavor=facts.flavor, topology=facts.topology)


def _pod_sets(facts: object) -> tuple[str, ...]:
    if isinstance(facts, steps.FlavorConsidered | steps.FlavorRejected):
        return facts.pod_sets
    return ()


def _lacking(at: WorkloadMoment, facts: steps.FlavorConsidered) -> str:
    verdict = verdict_of(facts)
    if facts.mode == "Fit":
        return ""
    form = {"ExceedsMaximum": "exceeds", "NoPreemption": "borrow"}.get(verdict, "lacks")
    values: Mapping[str, Any] = {
        name: amount_text(facts.resource, getattr(facts, name))
        for name in ("requested", "available", "potential", "nominal")
    }
    flavor, users = facts.flavor, _users(at, facts)
    if users and form != "exceeds":
        flavor = at.words("reason.used", flavor=flavor, users=users)
    text = at.words(
        f"reason.{form}",
        resource=facts.resource,
        flavor=flavor,
        queue=at.queue,
        policy=_why_no_preemption(at, facts),
        **values,
    )
    kept = [
        at.words(
            "reason.notLent",
            name=part.name,
            amount=amount_text(facts.resource, part.amount),
        )
        for part in at.instant.quota_trees.parts(at.queue, facts.flavor, facts.resource)
        if part.kind == "kept"
    ]
    return at.words("reason.andNotLent", text=text, kept=at.words.listed(kept)) if kept else text


def _users(at: WorkloadMoment, facts: steps.FlavorConsidered) -> str:
    """Return which ClusterQueues of the tree use what is missing, those that use most first."""
    found = at.instant.quota_trees.users(at.queue, facts.flavor, facts.resource)
    shown = [
        at.words("reason.uses", queue=name, amount=amount_text(facts.resource, amount))
        for name, amount in found[:_USERS]
    ]
    more = len(found) - len(shown)
    if more > 0:
        shown.append(at.words("reason.uses.more", count=more))
    return at.words.listed(shown) if shown else ""


def _why_no_preemption(at: WorkloadMoment, facts: steps.FlavorConsidered) -> str:
    """Return the policy by which a queue that would have to borrow may not preempt.

    Another policy does not help where no candidate is left either way: no workload of the queue
    uses anything, and no other queue of its cohort borrows.
    """
    reclaim = at.state.cluster_queue(at.queue).reclaim_within_cohort
    policy = at.words("reason.policies" if reclaim == "Never" else "reason.policy")
    parts = at.instant.quota_trees.parts(at.queue, facts.flavor, facts.resource)
    if facts.used or any(part.kind == "borrowed" for part in parts):
        return policy
    return at.words("reason.policy.noHelp", policy=policy, queue=at.queue)


def _against(at: WorkloadMoment) -> Iterator[Line]:
    """Yield each rule that excludes candidates, with their names; the closest ones first."""
    for search in shown_searches(at):
        if search.targets:
            return
        for verdict in search.verdicts:
            yield _rule(at, verdict_why(search, verdict, at.words), verdict.candidate)
        for skipped in search.skipped:
            cohort = skipped.numbers.get("node") == "Cohort"
            form = "reason.allOfCohort" if cohort else "reason.allOf"
            name = at.words(form, queue=skipped.queue)
            yield _rule(at, queue_why(search, skipped, at.words), name)


def _rule(at: WorkloadMoment, why: str, name: str) -> Line:
    pattern = at.words("reason.rule", why=why, names="{about}")
    return Line(pattern.replace("{about}", name), name, pattern=pattern)
