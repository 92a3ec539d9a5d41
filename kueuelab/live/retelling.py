"""The whole run of a cluster, told again as steps of a case."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from kueuelab.live.mirror import Change, Mirror
from kueuelab.live.observe import observed_in, preemptor_uid
from kueuelab.live.redecide import Observed
from kueuelab.live.resources import Json
from kueuelab.manifests.encode import encode_object
from kueuelab.model import Workload
from kueuelab.model.times import SECOND, format_time
from kueuelab.simulation import Cluster, CycleRecord
from kueuelab.simulation.objects import ClusterObject, kind_of

__all__ = ["retold"]

#: After how long without a change nothing more was to come: Kueue wakes those who wait
#: once a second.
_QUIET: Final = 3 * SECOND // 2
#: How many cycles may lie between two things that can be seen.
_CYCLES: Final = 8
#: Conditions that a decision sets, and that cases have.
_CONDITIONS: Final = ("QuotaReserved", "Admitted", "Evicted", "Preempted", "Finished")

Encode = Callable[[Iterable[ClusterObject]], list[Json]]


def retold(mirror: Mirror, encode: Encode) -> list[Json]:
    """Return what a cluster did: start, objects, steps, and what is expected of each.

    A cluster decides while some of what it wrote is still under way: an evicted workload is
    queued again a moment after its quota is free, jobs of one instant come one by one. Where
    the lab makes a decision from the state just before it, but no cycles lead to it from what
    was told, a new part begins, with the state after that decision.

    Parameters
    ----------
    mirror
        What followed the cluster, with its history.
    encode
        Encodes objects other than workloads.
    """
    return _Retelling(mirror, encode).parts()


class _Retelling:
    """Plays the case while it is written, to see where cycles have to be."""

    def __init__(self, mirror: Mirror, encode: Encode) -> None:
        history = mirror.history
        start = history[0].time
        first = [each for each in history if each.time == start and each.before is None]
        self._configuration = mirror.configuration
        self._changes = history[len(first) :] if history[: len(first)] == first else history
        self._encode = encode
        self._differing = [d.observed for d in mirror.decisions if not d.agrees]
        self._by_uid = {w.metadata.uid: w.key for w in mirror.seen.values()}
        self._parts: list[Json] = []
        self._seen: dict[str, Workload] = {}
        self._objects: dict[tuple[str, str], ClusterObject] = {}
        for each in first:
            if isinstance(each.after, Workload):
                self._seen[each.after.key] = each.after
            elif each.after is not None:
                self._objects[_place(each.after)] = each.after
        self._begin(start)

    def parts(self) -> list[Json]:
        for index, change in enumerate(self._changes):
            self._tell(change)
            last = index + 1 == len(self._changes)
            if last or self._changes[index + 1].time - change.time > _QUIET:
                self._come_to_rest(is_end=last)
        self._end()
        return self._parts

    def _begin(self, time: int) -> None:
        """Begin a part with what is there now."""
        self._start = time
        self._steps: list[Json] = []
        self._expect: list[Json] = []
        self._present = self._encode(self._objects.values())
        self._present += [encode_object(workload) for workload in self._seen.values()]
        self._cluster = Cluster(self._configuration, start=time)
        self._cluster.load([*self._objects.values(), *self._seen.values()])

    def _end(self) -> None:
        if self._steps:
            part = {
                "startTime": format_time(self._start),
                "objects": self._present,
                "steps": self._steps,
                "expect": self._expect,
            }
            self._parts.append(part)

    # --- steps ---------------------------------------------------------------------------

    def _step(self, op: str, expect: Json | None = None, **more: object) -> None:
        self._steps.append({"op": op, **more})
        self._expect.append({"op": op, **(expect or {})})

    def _tell(self, change: Change) -> None:
        before, after = change.before, change.after
        if isinstance(before, Workload) or isinstance(after, Workload):
            self._workload(change.time, before, after)  # type: ignore[arg-type]
        elif after is not None:
            self._pass_to(change.time)
            self._objects[_place(after)] = after
            self._cluster.apply(after)
            for obj in self._encode([after]):
                self._step("apply", object=obj)
        elif before is not None:
            self._pass_to(change.time)
            kind, meta = kind_of(before), before.metadata
            self._objects.pop(_place(before), None)
            self._cluster.remove(kind, meta.name, meta.namespace)
            self._step("remove", kind=kind, name=meta.name, namespace=meta.namespace)

    def _pass_to(self, time: int) -> None:
        if time > self._cluster.now:
            self._step("advance", seconds=(time - self._cluster.now) / SECOND)
            self._cluster.advance_to(time)

    def _workload(self, time: int, before: Workload | None, after: Workload | None) -> None:
        if before is not None and (after is None or _is_orphan(after)):
            # Its quota is free as soon as Kueue says that its owner is gone.
            if before.key in self._seen:
                self._pass_to(time)
                del self._seen[before.key]
                self._cluster.delete_workload(before.key)
                self._step("delete", workload=before.key)
            return
        assert after is not None
        self._seen[after.key] = after
        if before is None:
            self._pass_to(time)
            self._cluster.create_workload(after)
            self._step("create", object=encode_object(after))
            return
        self._asked_for(time, before, after)
        for observed in observed_in(before, after, time):
            if not self._decided(time, observed, after):
                self._end()
                self._begin(time)
                return
        self._ended(time, before, after)

    def _asked_for(self, time: int, before: Workload, after: Workload) -> None:
        """Tell what somebody else than Kueue changed."""
        key, cluster = after.key, self._cluster
        if _is(after, "DeactivationTarget") and not _is(before, "DeactivationTarget"):
            self._deactivated_by_kueue(time, key)
        elif before.active != after.active and not _is(before, "DeactivationTarget"):
            self._pass_to(time)
            cluster.set_active(key, after.active)
            self._step("set-active", workload=key, active=after.active)
        checks = {check.name: check for check in before.status.admission_checks}
        for check in after.status.admission_checks:
            old = checks.get(check.name)
            if old is None or (old.state, old.message) == (check.state, check.message):
                continue
            if check.state == "Pending" and _is(after, "Evicted"):
                continue  # Kueue itself starts over
            self._pass_to(time)
            wait = check.requeue_after_seconds
            cluster.set_check(key, check.name, check.state, check.message, wait)
            said: Json = {"check": check.name, "state": check.state, "message": check.message}
            if wait is not None:
                said["requeueAfterSeconds"] = wait
            self._step("set-check", None, workload=key, **said)
        if cluster.configuration.wait_for_pods_ready is not None:
            ready = _is(after, "PodsReady")
            if ready != _is(before, "PodsReady") and _is(after, "Admitted"):
                self._pass_to(time)
                cluster.pods_ready(key, ready)
                self._step("pods-ready", workload=key, ready=ready)
        if before.status.reclaimable_pods != after.status.reclaimable_pods:
            self._pass_to(time)
            pods = after.status.reclaimable_pods
            cluster.reclaim(key, pods)
            counts = [{"name": pod.name, "count": pod.count} for pod in pods]
            self._step("reclaim", workload=key, reclaimablePods=counts)

    def _deactivated_by_kueue(self, time: int, key: str) -> None:
        """Let the lab's own timer do it: a server stamps whole seconds, so it is early or late."""
        self._pass_to(time)
        state = self._cluster.workloads.get(key)
        due = self._cluster.next_timer()
        if state is not None and state.active and due is not None and due - time <= _QUIET:
            self._pass_to(due)

    def _ended(self, time: int, before: Workload, after: Workload) -> None:
        """Tell of pods that are gone, and of jobs that are done."""
        released = _is(before, "QuotaReserved") and not _is(after, "QuotaReserved")
        if released and _is(after, "Evicted"):
            going = [w for w in self._seen.values() if _is(w, "Evicted") and _holds(w)]
            if not going:
                self._pass_to(time)
                self._cluster.complete_evictions()
                self._step("complete-evictions")
        if _is(after, "Finished") and not _is(before, "Finished"):
            self._pass_to(time)
            self._cluster.finish(after.key)
            self._step("finish", {"skipped": False}, workload=after.key)

    # --- decisions -----------------------------------------------------------------------

    def _decided(self, time: int, observed: Observed, after: Workload) -> bool:
        """Let cycles pass until the decision is made, and expect it of the last one.

        Tells whether it can be told so. A decision that the lab does not make even from the
        state just before it is expected all the same.
        """
        if observed.message:
            return True  # the cycles of the single cases tell why
        if observed.victim:
            preemptor = self._by_uid.get(preemptor_uid(after), "")
            if not preemptor:
                return True
            observed = replace(observed, workload=preemptor)
        if self._stands(observed):
            return True
        told, expected = len(self._steps), _entry(observed)
        self._pass_to(time)
        for _ in range(_CYCLES):
            record = self._cycle()
            if self._stands(observed) or not record.heads:
                break
        entries = {entry.key: entry.status for entry in record.entries}
        made = self._stands(observed) and entries.get(observed.workload) == expected["status"]
        if not made and observed not in self._differing:
            self._forget_from(told)
            return False
        self._expect[-1]["cycles"] = [{"entries": [expected]}]
        return True

    def _forget_from(self, place: int) -> None:
        del self._steps[place:], self._expect[place:]

    def _stands(self, observed: Observed) -> bool:
        """Tell whether it is so already."""
        state = self._cluster.workloads.get(observed.victim or observed.workload)
        if state is None:
            return False
        if observed.victim:
            return state.is_evicted
        return state.has_quota_reservation and state.cluster_queue == observed.cluster_queue

    def _cycle(self) -> CycleRecord:
        record = self._cluster.cycle()
        self._step("cycle")
        return record

    def _come_to_rest(self, *, is_end: bool) -> None:
        """Let cycles pass until nothing changes; then the state is what the cluster's is.

        At the end of a recording the cluster may not be at rest; it is if no cycle changes it.
        """
        told = len(self._steps)
        for number in range(_CYCLES):
            before = self._cluster.state()
            self._cycle()
            if self._cluster.state() == before:
                break
            if is_end and number == 0:
                self._forget_from(told)
                return
        workloads = {key: _state(workload) for key, workload in sorted(self._seen.items())}
        self._expect[-1]["state"] = {"workloads": workloads}


def _place(obj: ClusterObject) -> tuple[str, str]:
    return kind_of(obj), obj.metadata.key


def _is(workload: Workload, type_: str) -> bool:
    return any(c.type == type_ and c.status == "True" for c in workload.status.conditions)


def _is_orphan(workload: Workload) -> bool:
    """Tell whether Kueue saw that the job is deleted; the Workload is about to be."""
    return any(
        c.type == "Finished" and c.reason == "OwnerNotFound" for c in workload.status.conditions
    )


def _holds(workload: Workload) -> bool:
    return _is(workload, "QuotaReserved")


def _entry(observed: Observed) -> Json:
    if observed.victim:
        return {"workload": observed.workload, "status": ""}
    return {
        "workload": observed.workload,
        "clusterQueue": observed.cluster_queue,
        "status": "assumed",
    }


def _state(workload: Workload) -> Json:
    """Return what is expected of a workload at rest."""
    found: Json = {"admission": None}
    admission = workload.status.admission
    if admission is not None:
        found["admission"] = {
            "clusterQueue": admission.cluster_queue,
            "podSets": [
                {"name": each.name, "count": each.count, "flavors": dict(each.flavors)}
                for each in admission.pod_set_assignments
            ],
        }
    found["conditions"] = [
        {"type": c.type, "status": c.status, "reason": c.reason}
        for c in sorted(workload.status.conditions, key=lambda c: c.type)
        if c.type in _CONDITIONS
    ]
    return found
