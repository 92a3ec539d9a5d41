"""Quotas and limits that are moved: what would come of other values, without keeping a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from kueuelab.collector import without_collection
from kueuelab.errors import UnknownObjectError
from kueuelab.model import ClusterQueue, FlavorResource, ResourceQuota, amount_string
from kueuelab.session.answers import Amount, CostItem, CostPart
from kueuelab.session.quota_messages import (
    QuotaBar,
    QuotaOutcome,
    QuotaSetting,
    QuotaSlider,
    QuotaSliders,
)
from kueuelab.session.run_facts import RunFacts
from kueuelab.simulation import Cluster
from kueuelab.trace.wording import amount_text
from kueuelab.whatif.changes import carry_out
from kueuelab.whatif.fork import Fork

__all__ = ["fork_with_quotas", "quota_outcome", "quota_sliders"]

#: So many ClusterQueues of a cohort tree have sliders: the workload's own, and the largest others.
_MOST_QUEUES: Final = 5
_MOST_FLAVORS: Final = 6
#: A slider has about so many stops.
_STOPS: Final = 40
_MOST_ITEMS: Final = 6
_NO_LIMIT: Final = -1


def quota_sliders(facts: RunFacts, workload: str) -> QuotaSliders:
    """Return the quotas and limits that could let a workload in.

    Those are the quotas of the resources that it requests: nominal quota and borrowing limit of its
    ClusterQueue, nominal quota and lending limit of the other ClusterQueues of the cohort tree
    (https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/#cohort).
    """
    key = facts.run.key_of(workload)
    queues = _queues(facts, key)
    sliders = tuple(
        slider
        for number, queue in enumerate(queues)
        for slider in _sliders(facts, queue, own=number == 0, key=key)
    )
    note = "" if sliders else facts.words.text("session.quotas.none")
    return QuotaSliders(sliders, note, quota_outcome(facts, key, ()))


def fork_with_quotas(facts: RunFacts, settings: Iterable[QuotaSetting]) -> Fork:
    """Return a fork at the end of a run in which quotas have other values.

    Raises
    ------
    InputError
        If a value does not go there.
    """
    values: dict[str, dict[str, str | None]] = {}
    for each in settings:
        values.setdefault(each.object, {})[each.field] = each.value
    fork = facts.lab_run.fork()
    for name, fields in values.items():
        fork = fork.edit(name, fields)
    return fork


def quota_outcome(
    facts: RunFacts, workload: str, settings: tuple[QuotaSetting, ...]
) -> QuotaOutcome:
    """Return what would come of other quotas at the end of a run.

    Raises
    ------
    InputError
        If a value does not go there.
    """
    key, words = facts.run.key_of(workload), facts.words
    changes = fork_with_quotas(facts, settings).changes
    before = _holding(facts.run.cluster)
    with without_collection(), facts.copies.lend() as player:
        if changes:
            player.intervene()
            for change in changes:
                carry_out(player, change)
            player.play()
        cluster = player.cluster
        after = _holding(cluster)
        states = cluster.workloads
        lost = [each for each in before if each not in after and each in states]
        lost = [each for each in lost if not states[each].is_finished]
        gained = [each for each in after if each not in before and each != key]
        is_in = key in after or key not in states or states[key].is_finished
        bars = tuple(_bars(facts, cluster, key))
        message = "" if is_in else _message(cluster, key)
    parts = (_part(facts, "evicts", lost), _part(facts, "gains", gained))
    form = "admitted" if is_in else "pending" if message else "waiting"
    is_free = is_in and bool(settings) and not lost
    return QuotaOutcome(
        words.text(f"session.quotas.{form}", workload=key, message=message),
        "ok" if is_in else "warn",
        bars,
        tuple(each for each in parts if each.count),
        words.text("session.quotas.free") if is_free else "",
    )


def _holding(cluster: Cluster) -> dict[str, None]:
    """Return the workloads that hold quota."""
    return {
        key: None
        for key, state in cluster.workloads.items()
        if state.has_quota_reservation and not state.is_evicted and not state.is_finished
    }


def _message(cluster: Cluster, key: str) -> str:
    reserved = cluster.workloads[key].conditions.get("QuotaReserved")
    return "" if reserved is None else reserved.message


def _part(facts: RunFacts, kind: str, workloads: list[str]) -> CostPart:
    title = facts.words.text(f"session.cost.{kind}", count=len(workloads))
    items = tuple(CostItem(each, each, "") for each in workloads[:_MOST_ITEMS])
    return CostPart(kind, title, len(workloads), items)


# --- which quotas -------------------------------------------------------------------------


def _queues(facts: RunFacts, key: str) -> list[str]:
    """Return the ClusterQueue of a workload, and the largest others of its cohort tree."""
    cluster = facts.run.cluster
    if key not in cluster.workloads:
        raise UnknownObjectError("workload", key, cluster.workloads)
    name = cluster.plane.queue_of(cluster.workloads[key])[0]
    if name not in cluster.tree.cluster_queues:
        return []
    resources = _requests(cluster, key)

    def size(queue: str) -> int:
        quotas = _quotas(cluster.objects.cluster_queues[queue])
        return sum(quota.nominal for _, _, quota in quotas if quota.name in resources)

    others = [each for each in cluster.tree.cluster_queues_in_tree(name) if each != name]
    others = [each for each in others if each in cluster.objects.cluster_queues]
    return [name, *sorted(others, key=lambda each: (-size(each), each))[: _MOST_QUEUES - 1]]


def _requests(cluster: Cluster, key: str) -> dict[str, int]:
    """Return what all pods of a workload request together."""
    found: dict[str, int] = {}
    for asked in cluster.workloads[key].requests:
        for resource, amount in asked.requests.items():
            found[resource] = found.get(resource, 0) + amount
    return found


def _quotas(queue: ClusterQueue) -> Iterator[tuple[str, str, ResourceQuota]]:
    """Yield the quotas of a ClusterQueue: its flavor, and its path in the manifest."""
    for index, group in enumerate(queue.resource_groups):
        for flavor in group.flavors:
            for quota in flavor.resources:
                path = f"spec.resourceGroups[{index}].flavors[{flavor.name}]"
                yield flavor.name, f"{path}.resources[{quota.name}]", quota


def _sliders(facts: RunFacts, name: str, key: str, *, own: bool) -> Iterator[QuotaSlider]:
    cluster = facts.run.cluster
    requests = _requests(cluster, key)
    queue = cluster.objects.cluster_queues[name]
    has_cohort = cluster.tree.root_name(name) is not None
    found = [each for each in _quotas(queue) if each[2].name in requests]
    for flavor, path, quota in found[:_MOST_FLAVORS]:
        limits = {"borrowingLimit": quota.borrowing_limit} if own else {}
        if not own:
            limits = {"lendingLimit": quota.lending_limit}
        most = _most(cluster, name, (flavor, quota.name)) + requests[quota.name]
        fields = {"nominalQuota": quota.nominal, **(limits if has_cohort else {})}
        for field, value in fields.items():
            is_limit = field != "nominalQuota"
            # The API server refuses to lend more than the nominal quota.
            end = quota.nominal if field == "lendingLimit" else most
            stops = _stops(quota.name, end, value, past=end == most)
            amounts = [Amount(each, amount_text(quota.name, each)) for each in stops]
            if is_limit:
                amounts.append(Amount(_NO_LIMIT, facts.words.text("session.quotas.no-limit")))
            yield QuotaSlider(
                object=f"ClusterQueue/{name}",
                field=f"{path}.{field}",
                kind=field,
                name=name,
                label=facts.words.text(
                    f"session.quotas.{_dashed(field)}", resource=quota.name, flavor=flavor
                ),
                own=own,
                stops=tuple(amounts),
                at=len(amounts) - 1 if value is None else stops.index(value),
            )


def _dashed(field: str) -> str:
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in field)


def _most(cluster: Cluster, name: str, fr: FlavorResource) -> int:
    """Return the nominal quota of a cohort tree, or twice that of a ClusterQueue if it is more."""
    nodes = cluster.tree.cluster_queues
    whole = sum(nodes[each].quota(fr).nominal for each in cluster.tree.cluster_queues_in_tree(name))
    return max(whole, 2 * nodes[name].quota(fr).nominal)


def _stops(resource: str, most: int, value: int | None, *, past: bool = True) -> list[int]:
    """Return round amounts up to a limit or just past it, with one value among them.

    Examples
    --------
    >>> _stops("gpu", 6, 3)
    [0, 1, 2, 3, 4, 5, 6]
    >>> _stops("cpu", 100_000, 500)[:4]
    [0, 500, 5000, 10000]
    """
    unit = 1000 if resource == "cpu" and most >= 1000 else 1
    factors = (2, 2, 2) if resource == "memory" else (2, 2.5, 2)
    number = 0
    while most > unit * _STOPS:
        unit = int(unit * factors[number % 3])
        number += 1
    found = {unit * step for step in range(-(-most // unit) + 1)}
    if not past:
        found = {each for each in found if each < most} | {most}
    return sorted(found if value is None else {*found, value})


def _bars(facts: RunFacts, cluster: Cluster, key: str) -> Iterator[QuotaBar]:
    """Yield the quotas of the queues that have sliders, and their use."""
    requests = _requests(facts.run.cluster, key)
    for name in _queues(facts, key):
        node = cluster.tree.cluster_queues[name]
        found = [e for e in _quotas(cluster.objects.cluster_queues[name]) if e[2].name in requests]
        for flavor, _, quota in found[:_MOST_FLAVORS]:
            resource, used = quota.name, node.usage.get((flavor, quota.name), 0)
            borrowed = max(0, used - quota.nominal)
            nominal, own, beyond, whole = (
                Amount(each, amount_string(resource, each))
                for each in (quota.nominal, used - borrowed, borrowed, used)
            )
            form = "session.quota.borrows" if borrowed else "session.quota.plain"
            values = {"used": whole.text, "nominal": nominal.text, "borrowed": beyond.text}
            text = facts.words.text(form, **values)
            yield QuotaBar(name, flavor, resource, nominal, own, beyond, text)
