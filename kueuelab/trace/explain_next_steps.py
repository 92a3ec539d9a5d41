"""What a workload waits for now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kueuelab.trace import steps
from kueuelab.trace.explain_reason import queue_trouble, targets_left, went_first
from kueuelab.trace.explain_state import ahead_of
from kueuelab.trace.explanation import Line
from kueuelab.trace.uncounted_devices import uncounted_devices
from kueuelab.trace.without_place import without_place
from kueuelab.trace.wording import verdict_of
from kueuelab.trace.workload_moment import WorkloadMoment, not_ready, workload_at

__all__ = ["next_steps"]


def next_steps(at: WorkloadMoment) -> Iterator[Line]:
    """Say what the workload now waits for."""
    phase = at.phase
    if phase == "Admitted":
        waits = at.view.condition("PodsReady").status == "False"
        yield Line(at.words("next.podsReady" if waits else "next.admitted"), verdict=phase)
    elif phase in ("Finished", "Evicted"):
        yield Line(at.words(f"next.{phase.lower()}"), verdict=phase)
    elif phase == "QuotaReserved":
        waiting = [check.name for check in at.view.checks if check.state != "Ready"]
        yield Line(at.words("next.checks", checks=at.words.listed(waiting)), verdict=phase)
    elif phase == "Pending":
        yield from _next_of_pending(at)


def _next_of_pending(at: WorkloadMoment) -> Iterator[Line]:
    requeue = at.view.requeue_state
    place = at.view.place
    loop = _loop(at)
    if not at.view.active:
        yield Line(at.words("next.inactive"))
    elif queue_trouble(at):
        yield Line(at.words("next.queue"), about=at.queue)
    elif (devices := uncounted_devices(at.view)) is not None:
        form = "next.devices.retried" if devices.is_retried else "next.devices"
        yield Line(at.words(form), rule="devices")
    elif "requeueAt" in requeue:
        yield Line(at.words("next.backoff", until=requeue["requeueAt"]), numbers=dict(requeue))
    elif loop is not None:
        yield Line(at.words("next.loop", firstCycle=loop.first_cycle), rule="loop")
    elif place == "inadmissible":
        yield from _next_of_inadmissible(at)
    elif place and at.held:
        others = not_ready(at.state)
        text = at.words("next.pods", others=at.words.several(others))
        yield Line(text, rule="WaitForPodsReady", numbers={"notReady": list(others)})
        if place == "active":
            yield from _next_of_active(at)
    elif place == "inflight":
        yield from [*_preempting(at)] or [Line(at.words("next.underWay"))]
    elif place:
        yield from _next_of_active(at)
    else:
        yield Line(at.words("next.somethingChanges"))


def _loop(at: WorkloadMoment) -> steps.LoopFound | None:
    """Return the loop for which the run was stopped here, if it was."""
    for index in reversed(at.trace.of_kind("LoopFound")):
        facts = at.trace[index].facts
        assert isinstance(facts, steps.LoopFound)
        cycles = at.trace.of_kind("CycleStarted")
        if index <= at.at and not (cycles and index < cycles[-1] <= at.at):
            return facts
    return None


def _next_of_active(at: WorkloadMoment) -> Iterator[Line]:
    yield from _preempting(at)
    if at.state.cluster_queue(at.queue).queueing_strategy == "StrictFIFO" and _found_no_room(at):
        # It stays the head of the queue; no cycle can admit it until something changes.
        lines = _quota(at) or _never(at)
        yield from lines
        if lines:
            return
    ahead = ahead_of(at)
    if ahead:
        text = at.words("next.behind", queue=at.queue, ahead=at.words.several(ahead))
        yield Line(text, numbers={"ahead": list(ahead)})
        return
    _, kept = went_first(at)
    processed = at.last("EntryProcessed")
    facts = None if processed is None else processed.facts
    if kept and isinstance(facts, steps.EntryProcessed) and facts.status == "skipped":
        text = at.words("next.kept", others=at.words.several(kept), count=len(kept))
        yield Line(text, rule="kept", numbers={"others": list(kept)})
    else:
        yield Line(at.words("next.turn"))


def _found_no_room(at: WorkloadMoment) -> bool:
    """Tell whether the last look found that it does not fit."""
    processed = at.last("EntryProcessed")
    facts = None if processed is None else processed.facts
    found = isinstance(facts, steps.EntryProcessed) and not facts.status and not facts.targets
    return found and not at.is_stale


def _preempting(at: WorkloadMoment) -> Iterator[Line]:
    processed = at.last("EntryProcessed")
    facts = None if processed is None else processed.facts
    if isinstance(facts, steps.EntryProcessed) and facts.requeue_reason == "PendingPreemption":
        left = targets_left(at, facts)
        if left and not at.is_stale:
            text = at.words("next.preemption", targets=at.words.several(left))
            yield Line(text, rule="PendingPreemption", numbers={"targets": left})


def _next_of_inadmissible(at: WorkloadMoment) -> Iterator[Line]:
    like = at.set_aside_with
    if (at.is_stale or at.cycle is None) and like:
        # What keeps its like out keeps it out.
        at = workload_at(at.instant, like, at.words)
    if at.cycle is None or at.is_stale:
        yield Line(at.words("next.somethingChanges"))
        return
    turned_away = at.last("NotNominated")
    if turned_away is not None:
        facts = turned_away.facts
        assert isinstance(facts, steps.NotNominated)
        text = at.words("next.notNominated", message=facts.message)
        yield Line(text, rule=facts.reason, step=turned_away.index)
        return
    lines = _quota(at) or _never(at)
    searched = without_place(at)
    if not lines and searched is not None:
        text = at.words("next.place", topology=searched.topology, flavor=searched.flavor)
        lines = [Line(text, about=searched.flavor, rule="place")]
    yield from lines or [Line(at.words("next.somethingChanges"))]


def _quota(at: WorkloadMoment) -> list[Line]:
    """Return how much quota has to become free: of each resource group, in one of its flavors."""
    groups: dict[tuple[object, ...], dict[str, dict[str, int]]] = {}
    out: set[tuple[tuple[object, ...], str]] = set()
    first: dict[tuple[object, ...], int] = {}
    for step in at.own:
        facts = step.facts
        if isinstance(facts, steps.FewerPodsTried):
            break
        if not isinstance(facts, steps.FlavorConsidered):
            continue
        group = facts.pod_sets, _group_of(at, facts.flavor)
        lacking = facts.requested - facts.available
        if lacking > 0 and verdict_of(facts) == "ExceedsMaximum":
            out.add((group, facts.flavor))
        elif lacking > 0:
            first.setdefault(group, step.index)
            groups.setdefault(group, {}).setdefault(facts.flavor, {})[facts.resource] = lacking
    lines: dict[str, Line] = {}
    for key, flavors in groups.items():
        ways = {name: each for name, each in flavors.items() if (key, name) not in out}
        if ways:
            line = _quota_line(at, ways, first[key])
            lines.setdefault(line.text, line)
    return list(lines.values())


def _group_of(at: WorkloadMoment, flavor: str) -> tuple[str, ...]:
    """Return the flavors that are tried one after the other with this one."""
    groups = at.state.cluster_queue(at.queue).flavors_by_group
    return next((group for group in groups if flavor in group), (flavor,))


def _quota_line(at: WorkloadMoment, ways: Mapping[str, Mapping[str, int]], step: int) -> Line:
    """Return that quota has to become free, in one flavor or another."""
    needed = [
        at.words.amounts([(flavor, resource, lacking) for resource, lacking in amounts.items()])
        for flavor, amounts in ways.items()
    ]
    when = at.looked_at if at.is_past else {}
    form = "next.quota.then" if when else "next.quota"
    some = needed[0] if len(needed) == 1 else at.words("next.either", ways=at.words.either(needed))
    text = at.words(form, needed=some, queue=at.queue, **when)
    numbers = {
        "ways": [
            {"flavor": flavor, "resource": resource, "lacking": lacking}
            for flavor, amounts in ways.items()
            for resource, lacking in amounts.items()
        ]
    }
    return Line(text, about=next(iter(ways)), numbers=numbers, step=step)


def _never(at: WorkloadMoment) -> list[Line]:
    """Return what has to be changed for a request that can't ever fit as things are."""
    most: dict[tuple[object, ...], dict[str, dict[str, int]]] = {}
    rejected = False
    for step in at.own:
        facts = step.facts
        rejected = rejected or isinstance(facts, steps.FlavorRejected)
        if isinstance(facts, steps.FlavorConsidered) and verdict_of(facts) == "ExceedsMaximum":
            group = facts.pod_sets, _group_of(at, facts.flavor)
            most.setdefault(group, {}).setdefault(facts.flavor, {})[facts.resource] = (
                facts.potential
            )
    found: dict[str, Line] = {}
    for flavors in most.values():
        each = [
            at.words.amounts([(flavor, resource, amount) for resource, amount in amounts.items()])
            for flavor, amounts in flavors.items()
        ]
        form = "next.exceeds" if len(each) == 1 else "next.exceeds.either"
        some = each[0] if len(each) == 1 else at.words.either(each)
        text = at.words(form, queue=at.queue, most=some)
        found.setdefault(text, Line(text, rule="exceeds"))
    lines = list(found.values())
    if rejected:
        lines.append(Line(at.words("next.flavors", queue=at.queue), rule="flavors"))
    return lines
