"""Facts: the writes that a watch of all API servers shows, one line each.

``conformance`` and the history of a job use them; see :class:`FactLog`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from kueuelab.frozen import new_tuple
from kueuelab.model import Condition, amount_string
from kueuelab.multikueue.fact_texts import condition_text, plain_name, read_the_same
from kueuelab.multikueue.jobs import Job
from kueuelab.multikueue.member_cluster import MemberCluster
from kueuelab.multikueue.seen_job import SeenJob
from kueuelab.multikueue.seen_workload import SeenWorkload

if TYPE_CHECKING:
    from kueuelab.multikueue.cluster_set import ClusterSet

__all__ = ["Fact", "FactLog", "sorted_nominations"]

_WATCHED: Final = ("AdmissionCheck", "MultiKueueCluster")
_NOWHERE: Final = "Can't submit new workloads to clusterQueue"
_INACTIVE_QUEUE: Final = f"condition Active=False reason=ClusterQueueIsInactive message={_NOWHERE}"


class Fact(NamedTuple):
    """One field that was written; facts of the same ``write`` have no order.

    Examples
    --------
    >>> print(Fact(2_100_000_000, "w1", "Job", "a", "active=1", 7))
     2.1s w1 Job a: active=1
    """

    time: int
    cluster: str
    kind: str
    name: str
    fact: str
    write: int

    def __str__(self) -> str:
        seconds = self.time / 1_000_000_000
        return f"{seconds:4.1f}s {self.cluster} {self.kind} {self.name}: {self.fact}"


def sorted_nominations(cluster_set: ClusterSet, names: Iterable[str]) -> str:
    """Return nominated clusters as facts have them: all at once they are in no order."""
    listed = sorted(names) if cluster_set.manager.dispatches_all_at_once else list(names)
    return f"[{', '.join(listed)}]"


class FactLog:
    """Watches all clusters and keeps the facts.

    Attributes
    ----------
    facts
        In the order in which they were written; times since the start of the log.
    evictions
        By cluster and Workload: how often it was evicted, by reason and cause.
    """

    __slots__ = (
        "_cluster_set",
        "_jobs",
        "_known",
        "_loop",
        "_names",
        "_nominations",
        "_start",
        "_workloads",
        "_write",
        "evictions",
        "facts",
    )

    def __init__(self, cluster_set: ClusterSet) -> None:
        self._cluster_set = cluster_set
        self._loop = cluster_set.loop
        self._start = cluster_set.loop.now
        self._write = 0
        self._nominations = partial(sorted_nominations, cluster_set)
        # What facts have of queues, by place, and of Workloads and jobs, by cluster.
        self._known: dict[tuple[str, str, str], dict[str, str]] = {}
        self._workloads: dict[str, dict[str, SeenWorkload]] = {}
        self._jobs: dict[str, dict[str, SeenJob]] = {}
        # The copies of a Workload have its name: one text for all of them.
        self._names: dict[str, str] = {}
        self.facts: list[Fact] = []
        self.evictions: dict[tuple[str, str], dict[tuple[str, str], int]] = {}
        for member in cluster_set.members.values():
            self._jobs[member.name] = {}
            seen = self._workloads[member.name] = {}
            for key, state in member.workloads.items():
                seen[key] = self._unseen(key)
                seen[key].follow(member, state, [])
            self._queues(member, silent=True)

    # --- what is watched ---------------------------------------------------------------

    def workload_written(self, member: MemberCluster, key: str) -> None:
        """Keep the changes of a Workload."""
        state, workloads = member.workloads.get(key), self._workloads[member.name]
        known = workloads.get(key)
        if state is None:
            if known is not None:
                del workloads[key]
                self._note(member.name, "Workload", known.name, ["deleted"])
                self.evictions.pop((member.name, key), None)
            return
        facts: list[str] = []
        if known is None:
            known = workloads[key] = self._unseen(key)
            facts.append("created")
        before = known.conditions
        known.follow(member, state, facts)
        conditions = known.conditions
        if conditions is not before and "Evicted" in conditions:
            self._count_eviction(member.name, key, before.get("Evicted"), conditions["Evicted"])
        self._note(member.name, "Workload", known.name, facts)

    def _unseen(self, key: str) -> SeenWorkload:
        name = self._names.get(key)
        if name is None:
            name = self._names[key] = plain_name(key.partition("/")[2])
        return SeenWorkload(name, self._nominations)

    def job_written(self, member: MemberCluster, job: Job, gone: bool) -> None:
        """Keep the changes of a job."""
        jobs, kind = self._jobs[member.name], job.kind.kind
        if gone:
            jobs.pop(job.key, None)
            self._note(member.name, kind, job.name, ["deleted"])
            return
        facts = []
        known = jobs.get(job.key)
        if known is None:
            known = jobs[job.key] = SeenJob()
            facts.append("created")
        facts += known.follow(job)
        self._note(member.name, kind, job.name, facts)

    def objects_written(self, member: MemberCluster) -> None:
        """Keep the changes of queues."""
        self._queues(member)

    def status_written(
        self, member: MemberCluster, kind: str, name: str, condition: Condition
    ) -> None:
        """Keep a condition of another object."""
        self._note(member.name, kind, name, [condition_text(condition)])

    def status_removed(self, member: MemberCluster, kind: str, name: str, type_: str) -> None:
        """Keep that a condition of another object was removed."""
        self._note(member.name, kind, name, [f"condition {type_} removed"])

    def object_came_or_went(self, member: MemberCluster, kind: str, name: str, what: str) -> None:
        """Keep that an object was ``created`` or ``deleted``, if its kind is watched."""
        if kind in _WATCHED:
            self._note(member.name, kind, name, [what])

    # --- text --------------------------------------------------------------------------

    def _note(self, cluster: str, kind: str, name: str, facts: list[str]) -> None:
        if not facts:
            return
        self._write += 1
        time, write = self._loop.now - self._start, self._write
        kept = self.facts
        for fact in facts:
            kept.append(new_tuple(Fact, (time, cluster, kind, name, fact, write)))

    def _count_eviction(
        self, cluster: str, key: str, before: Condition | None, evicted: Condition
    ) -> None:
        if evicted.status != "True" or read_the_same(before, evicted):
            return
        reason, _, cause = evicted.reason.partition("DueTo")
        counts = self.evictions.setdefault((cluster, key), {})
        counts[reason, cause] = counts.get((reason, cause), 0) + 1

    def _queues(self, member: MemberCluster, *, silent: bool = False) -> None:
        """Keep the conditions of ClusterQueues and LocalQueues, and changed quotas."""
        seen: dict[tuple[str, str, str], dict[str, str]] = {}
        for name, status in member.cluster.cluster_queues.items():
            state = "True" if status.active else "False"
            facts = {
                "Active": f"condition Active={state} reason={status.reason} "
                f"message={status.message}"
            }
            for group in status.spec.resource_groups:
                for flavor in group.flavors:
                    for quota in flavor.resources:
                        amount = amount_string(quota.name, quota.nominal)
                        place = f"{flavor.name}/{quota.name}"
                        facts[place] = f"nominalQuota {place}={amount}"
            seen[member.name, "ClusterQueue", name] = facts
        for queue in member.cluster.objects.local_queues.values():
            text = local_queue_condition(member, queue.key)
            seen[member.name, "LocalQueue", queue.key] = {"Active": text}
        for place_, facts in seen.items():
            before = self._known.get(place_)
            self._known[place_] = facts
            if silent or before == facts:
                continue
            name = place_[2].rpartition("/")[2]
            if before is None:
                self._note(member.name, place_[1], name, ["created"])
                if place_[1] == "ClusterQueue":
                    self._queue_without_status(member, place_[2])
                self._note(member.name, place_[1], name, [facts["Active"]])
            else:
                self._note(member.name, place_[1], name, _changed_text(before, facts))
        gone = [
            known
            for known in self._known
            if known[0] == member.name
            and known[1] in ("ClusterQueue", "LocalQueue")
            and known not in seen
        ]
        for known in gone:
            del self._known[known]
            self._note(member.name, known[1], known[2].rpartition("/")[2], ["deleted"])

    def _queue_without_status(self, member: MemberCluster, name: str) -> None:
        """Keep the conditions of LocalQueues whose ClusterQueue has no status yet."""
        for queue in member.cluster.objects.local_queues_of(name):
            known = self._known.get((member.name, "LocalQueue", queue.key))
            if known is None or queue.stop_policy != "None":
                continue
            facts = {"Active": _INACTIVE_QUEUE}
            texts = _changed_text(known, facts)
            self._note(member.name, "LocalQueue", queue.metadata.name, texts)
            self._known[member.name, "LocalQueue", queue.key] = facts


def local_queue_condition(member: MemberCluster, key: str) -> str:
    """Return the condition ``Active`` of a LocalQueue as facts have it."""
    queue = member.cluster.objects.local_queues[key]
    status = member.cluster.cluster_queues.get(queue.cluster_queue)
    if queue.stop_policy != "None":
        found = ("False", "Stopped", "LocalQueue is stopped")
    elif status is None:
        found = ("False", "ClusterQueueDoesNotExist", _NOWHERE)
    elif not status.active:
        return _INACTIVE_QUEUE
    else:
        found = ("True", "Ready", "Can submit new workloads to localQueue")
    return f"condition Active={found[0]} reason={found[1]} message={found[2]}"


def _changed_text(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    return [text for place, text in after.items() if before.get(place) != text]
