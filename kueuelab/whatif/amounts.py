"""Changes by an amount: quotas, limits, requests, counts of pods, priorities; the smallest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from kueuelab.model import UNLIMITED, amount_string
from kueuelab.whatif.proposals import Proposal, edit_queue, edit_workload, proposal
from kueuelab.whatif.subject import Demand, Subject
from kueuelab.whatif.words import words

__all__ = ["lending", "limits", "priorities", "quotas", "smaller", "smallest"]

#: Tells whether a proposal admits the workload.
Works = Callable[[Proposal], bool]


def smallest(works: Callable[[int], bool], low: int, high: int) -> int:
    """Return the smallest number above ``low`` that works, where ``high`` does.

    Examples
    --------
    >>> smallest(lambda number: number >= 37, 0, 100)
    37
    """
    while high - low > 1:
        middle = (low + high) // 2
        if works(middle):
            high = middle
        else:
            low = middle
    return high


def _smallest_amounts(
    subject: Subject,
    make: Callable[[Mapping[str, int]], Proposal],
    guess: Mapping[str, int],
    enough: Mapping[str, int],
    works: Works,
) -> Iterator[Proposal]:
    """Yield the proposal with the smallest amounts that works, resource by resource.

    The guess comes, too, if it is larger: it makes room, so that nobody has to go.
    """
    guessed = any(guess.values()) and works(make(guess))
    if not guessed and not works(make(enough)):
        return
    amounts = dict(guess if guessed else enough)
    for resource, amount in list(amounts.items()):
        unit = subject.unit(resource)
        try_out = partial(_with_amount, works, make, amounts, resource, unit)
        top = -(-amount // unit)
        # A guess is right most of the time: then one unit less is not enough.
        if top and (not guessed or try_out(top - 1)):
            amounts[resource] = smallest(try_out, -1, top) * unit
    if guessed and amounts != guess:
        yield make(guess)
    yield make(amounts)


def _with_amount(
    works: Works,
    make: Callable[[Mapping[str, int]], Proposal],
    amounts: Mapping[str, int],
    resource: str,
    unit: int,
    count: int,
) -> bool:
    return works(make({**amounts, resource: count * unit}))


# --- quota ---------------------------------------------------------------------------------


def quotas(subject: Subject, works: Works) -> Iterator[Proposal]:
    """Yield by how much the quota of each flavor would have to be larger."""
    for demand in subject.demands:
        for flavor in demand.flavors:
            yield from _more_quota(subject, demand, flavor, works)


def _more_quota(subject: Subject, demand: Demand, flavor: str, works: Works) -> Iterator[Proposal]:
    queue, node = subject.queue, subject.node
    assert queue is not None
    assert node is not None
    others = [
        (other, name, resource, amount)
        for other in subject.demands
        if other is not demand and other.flavors
        for name in [subject.best_flavor(other)]
        for resource, amount in subject.lacking(other, name).items()
        if amount
    ]

    def make(amounts: Mapping[str, int]) -> Proposal:
        raised = [(demand, flavor, name, amount) for name, amount in amounts.items() if amount]
        values, shown, sizes = {}, [], [0.0]
        for where, name, resource, amount in (*raised, *others):
            nominal = node.quota((name, resource)).nominal + amount
            values[where.path(name, resource, "nominalQuota")] = amount_string(resource, nominal)
            shown.append(_amount(resource, name, amount))
            sizes.append(amount / subject.requests[resource])
        return proposal(
            "quota",
            edit_queue(queue.name, values),
            queues=(queue.name,),
            size=max(sizes),
            where=f"ClusterQueue {queue.name}",
            amounts=words().join(shown),
        )

    guess = subject.lacking(demand, flavor)
    enough = dict(guess)
    for state in (*subject.waiting(), subject.state):
        for asked in state.requests:
            for resource in enough:
                enough[resource] += asked.requests.get(resource, 0)
    return _smallest_amounts(subject, make, guess, enough, works)


def _amount(resource: str, flavor: str, amount: int) -> str:
    return words().text(
        "amount.of", amount=amount_string(resource, amount), resource=resource, flavor=flavor
    )


# --- limits --------------------------------------------------------------------------------


def limits(subject: Subject, works: Works) -> Iterator[Proposal]:
    """Yield how much more the queue would have to be allowed to borrow."""
    queue, node = subject.queue, subject.node
    assert queue is not None
    assert node is not None
    for demand in subject.demands:
        for flavor in demand.flavors:
            limited = {
                resource: limit
                for resource in demand.requests
                if (limit := node.quota((flavor, resource)).borrowing_limit) is not None
                and limit is not UNLIMITED
            }
            if limited:
                make = _limit_maker(subject, demand, flavor, limited)
                guess = {
                    r: min(demand.requests[r], _beyond(subject, demand, flavor, r)) for r in limited
                }
                enough = {resource: subject.requests[resource] for resource in limited}
                yield from _smallest_amounts(subject, make, guess, enough, works)


def _beyond(subject: Subject, demand: Demand, flavor: str, resource: str) -> int:
    """Return by how much the request goes beyond what the queue may borrow."""
    node = subject.node
    assert node is not None
    quota, fr = node.quota((flavor, resource)), (flavor, resource)
    used = node.usage.get(fr, 0) + demand.requests[resource]
    return max(0, used - quota.nominal - (quota.borrowing_limit or 0))


def _limit_maker(
    subject: Subject, demand: Demand, flavor: str, limited: Mapping[str, int]
) -> Callable[[Mapping[str, int]], Proposal]:
    queue = subject.queue
    assert queue is not None

    def make(amounts: Mapping[str, int]) -> Proposal:
        raised = {name: amount for name, amount in amounts.items() if amount}
        values = {
            demand.path(flavor, name, "borrowingLimit"): amount_string(name, limited[name] + amount)
            for name, amount in raised.items()
        }
        return proposal(
            "borrowingLimit",
            edit_queue(queue.name, values),
            queues=(queue.name,),
            size=max((a / subject.requests[name] for name, a in raised.items()), default=0.0),
            where=f"ClusterQueue {queue.name}",
            amounts=words().join([_amount(name, flavor, a) for name, a in raised.items()]),
        )

    return make


def lending(subject: Subject, works: Works) -> Iterator[Proposal]:
    """Yield which queue of the tree would have to lend more, and how much."""
    everybody = [edit for name in subject.tree_queues if (edit := _lend_all(subject, name))]
    if not everybody:
        return
    changes = tuple(change for each in everybody for change in each.changes)
    queues_ = tuple(name for each in everybody for name in each.queues)
    together = Proposal(
        "lendingLimit",
        "; ".join(each.text for each in everybody),
        changes,
        queues_,
        float(len(everybody)),
    )
    if not works(together):
        return
    alone = [each for each in everybody[:8] if works(each)]
    yield from alone or [together]


def _lend_all(subject: Subject, name: str) -> Proposal | None:
    """Return that a queue lends all it has of what the workload could use."""
    node = subject.cluster.tree.cluster_queues[name]
    spec = subject.cluster.objects.cluster_queues.get(name)
    if spec is None or node is subject.node:
        return None
    values: dict[str, Any] = {}
    shown = []
    for index, group in enumerate(spec.resource_groups):
        for flavor in group.flavors:
            for quota in flavor.resources:
                held = (quota.lending_limit or 0) < quota.nominal
                if (flavor.name, quota.name) in subject.contested and (
                    quota.lending_limit is not None and held
                ):
                    path = f"spec.resourceGroups[{index}].flavors[{flavor.name}]"
                    values[f"{path}.resources[{quota.name}].lendingLimit"] = None
                    more = quota.nominal - quota.lending_limit
                    shown.append(_amount(quota.name, flavor.name, more))
    if not values:
        return None
    return proposal(
        "lendingLimit",
        edit_queue(name, values),
        queues=(name,),
        where=f"ClusterQueue {name}",
        amounts=words().join(shown),
    )


# --- the workload itself -----------------------------------------------------------------------


def priorities(subject: Subject, works: Works) -> Iterator[Proposal]:
    """Yield the lowest priority with which it would be admitted."""
    mine = subject.state.priority
    known = (*subject.holders(), *subject.waiting())
    steps = sorted({state.priority + 1 for state in known if state.priority >= mine})

    def make(index: int) -> Proposal:
        change = edit_workload(subject, {"spec.priority": steps[index]})
        key = subject.key
        return proposal("priority", change, workload=key, before=mine, after=steps[index])

    if steps and works(make(len(steps) - 1)):
        yield make(smallest(lambda index: works(make(index)), -1, len(steps) - 1))


def smaller(
    subject: Subject, works: Works, pods: Callable[[Proposal], Mapping[str, int]]
) -> Iterator[Proposal]:
    """Yield with how many pods, or how much per pod, it would be admitted."""
    for pod_set in [each for each in subject.state.obj.pod_sets if each.count > 1][:2]:
        place = f"spec.podSets[{pod_set.name}]"
        values = {"podSet": pod_set.name, "before": pod_set.count}

        def fewer(count: int, place: str = place, values: Mapping[str, Any] = values) -> Proposal:
            change = edit_workload(subject, {f"{place}.count": count, f"{place}.minCount": None})
            given_up = 1 - count / values["before"]
            return proposal("fewerPods", change, size=given_up, after=count, **values)

        def at_least(
            count: int, place: str = place, values: Mapping[str, Any] = values
        ) -> Proposal:
            change = edit_workload(subject, {f"{place}.minCount": count})
            given_up = 1 - count / values["before"]
            return proposal("partialAdmission", change, size=given_up, after=count, **values)

        if works(fewer(1)):
            # How many pods less? One stays in any case.
            less = smallest(partial(_fewer_work, works, fewer, pod_set.count), 0, pod_set.count - 1)
            yield fewer(pod_set.count - less)
            reached = pods(at_least(1)).get(pod_set.name, 0)
            if 0 < reached < pod_set.count:
                yield at_least(reached)
    yield from _less_per_pod(subject, works)


def _fewer_work(works: Works, fewer: Callable[[int], Proposal], count: int, less: int) -> bool:
    return works(fewer(count - less))


def _less_per_pod(subject: Subject, works: Works) -> Iterator[Proposal]:
    pod_sets = subject.state.obj.pod_sets
    if len(pod_sets) != 1 or len(pod_sets[0].template.spec.containers) != 1:
        return
    if pod_sets[0].template.spec.init_containers or not pod_sets[0].count:
        return
    count = pod_sets[0].count
    values: dict[str, str] = {}
    shown, sizes = [], [0.0]
    for demand in (each for each in subject.demands if each.flavors):
        flavor = subject.best_flavor(demand)
        for resource, lacking in subject.lacking(demand, flavor).items():
            amount = (demand.requests[resource] - lacking) // count
            if lacking and amount > 0:
                path = f"spec.podSets[0].template.spec.containers[0].resources.requests[{resource}]"
                values[path] = amount_string(resource, amount)
                shown.append(f"{amount_string(resource, amount)} {resource}")
                sizes.append(1 - amount * count / demand.requests[resource])
    if values:
        change = edit_workload(subject, values)
        amounts = words().join(shown)
        found = proposal("smallerRequest", change, size=max(sizes), amounts=amounts)
        if works(found):
            yield found
