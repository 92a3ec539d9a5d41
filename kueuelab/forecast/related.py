"""The part of a large cluster that decides when a job starts: what shares its quota or nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from kueuelab.forecast.baseline import Baseline
from kueuelab.manifests.scenario import Action
from kueuelab.model import ClusterQueue, LocalQueue, ModelObject, Workload
from kueuelab.model.times import format_duration
from kueuelab.simulation import Cluster
from kueuelab.whatif.copies import Copies
from kueuelab.whatif.lab import Lab

__all__ = ["MOST_WHOLE", "RelatedPart", "related_part"]

#: A cluster of at most so many workloads is played on as a whole.
MOST_WHOLE: Final = 2_000
#: So many pending workloads of each other ClusterQueue are in a part that is larger than that.
_FIRST: Final = 3


@dataclass(frozen=True, slots=True)
class RelatedPart:
    """A part of a cluster that is decided as it is in the whole.

    Attributes
    ----------
    baseline
        The part, with the jobs submitted.
    before
        The part without the jobs.
    total
        How many workloads are in the whole; finished ones do not count.
    pending
        How many pending workloads there are at most in it of each other ClusterQueue; 0 if all are.
    """

    baseline: Baseline
    before: Copies
    total: int
    pending: int


def related_part(
    whole: Baseline, actions: tuple[Action, ...], jobs: Iterable[str]
) -> RelatedPart | None:
    """Return the part of a cluster that decides when jobs start; ``None`` if that is all of it.

    Cohort trees share no quota (https://kueue.sigs.k8s.io/docs/concepts/cohort/). Trees are taken
    together if a flavor with a topology is in both: they share its nodes. While Kueue holds
    admission up until pods are ready, each workload may wait for any other.

    Of a part that is still large, only the pending workloads that come first in their ClusterQueue
    are in it, but for the ClusterQueues of the jobs. The part is only returned if everything in it
    is where it is in the whole.

    Parameters
    ----------
    whole
        The cluster, with the jobs submitted.
    actions
        What submitting them does.
    jobs
        The workloads of the jobs.
    """
    spec, cluster = whole.spec, whole.player.cluster
    if spec.timeline or whole.lab.branches or whole.loop is not None:
        return None
    if cluster.configuration.wait_for_pods_ready is not None:
        return None
    own = {_queue_of(cluster, key) for key in jobs}
    queues = _related(cluster, own)
    kept = {
        each.key
        for each in spec.manifests.workloads
        if each.key in cluster.workloads
        and not cluster.workloads[each.key].is_finished
        and _queue_of(cluster, each.key) in queues
    }
    pending = _FIRST if len(kept) > MOST_WHOLE else 0
    if pending:
        kept -= set(_behind(cluster, queues - own, pending))
    total = sum(not state.is_finished for state in cluster.workloads.values())
    objects = {
        kind: tuple(each for each in found if _is_kept(each, queues, kept))
        for kind, found in spec.manifests.objects.items()
    }
    part = replace(spec, manifests=replace(spec.manifests, objects=objects))
    baseline = Baseline(Lab(part), format_duration(whole.age))
    before = Copies(baseline.player)
    baseline.submit(actions)
    if baseline.loop is not None or not _same(baseline.player.cluster, cluster):
        return None
    return RelatedPart(baseline, before, total, pending)


def _queue_of(cluster: Cluster, key: str) -> str:
    state = cluster.workloads[key]
    return state.cluster_queue or cluster.plane.queue_of(state)[0]


def _behind(cluster: Cluster, queues: set[str], first: int) -> Iterator[str]:
    """Yield the pending workloads of some ClusterQueues that come behind the first ones."""
    for queue in cluster.queues.cluster_queues():
        if queue.name in queues:
            entries = [(e.order, e.key) for a in (True, False) for e in queue.entries(active=a)]
            yield from (key for _, key in sorted(entries)[first:])


def _related(cluster: Cluster, queues: Iterable[str]) -> set[str]:
    """Return the ClusterQueues of the cohort trees, and of those that share nodes with them."""
    objects, tree = cluster.objects, cluster.tree
    nodes_of = {
        name: {
            flavor.name
            for group in queue.resource_groups
            for flavor in group.flavors
            if flavor.name in objects.flavors and objects.flavors[flavor.name].topology_name
        }
        for name, queue in objects.cluster_queues.items()
    }
    found: set[str] = set()
    left = [name for name in queues if name in tree.cluster_queues]
    shared: set[str] = set()
    while left:
        for name in tree.cluster_queues_in_tree(left.pop()):
            if name not in found:
                found.add(name)
                shared |= nodes_of.get(name, set())
        if not left:
            left = [name for name, own in nodes_of.items() if name not in found and own & shared]
    return found


def _is_kept(obj: ModelObject, queues: set[str], workloads: set[str]) -> bool:
    if isinstance(obj, ClusterQueue):
        return obj.metadata.name in queues
    if isinstance(obj, LocalQueue):
        return obj.cluster_queue in queues
    return not isinstance(obj, Workload) or obj.key in workloads


def _same(part: Cluster, whole: Cluster) -> bool:
    """Tell whether every workload of a part is where it is in the whole."""
    for key, state in part.workloads.items():
        other = whole.workloads.get(key)
        if other is None or (state.cluster_queue, state.usage, state.is_admitted) != (
            other.cluster_queue,
            other.usage,
            other.is_admitted,
        ):
            return False
    return True
