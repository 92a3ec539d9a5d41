"""A cluster's history as a conformance case: objects, steps, and expected results."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from kueuelab.live.conditions import is_true
from kueuelab.live.decisions import ObservedDecision
from kueuelab.live.mirror import Change, Mirror
from kueuelab.live.observed_changes import observed_decisions, preemptor_uid
from kueuelab.live.resources import Json
from kueuelab.manifests.encode import encode_object
from kueuelab.model import ClusterObject, Workload
from kueuelab.model.times import SECOND, format_time
from kueuelab.simulation import Cluster, CycleRecord
from kueuelab.simulation.objects import kind_of

__all__ = ["history_to_case"]

#: After how long without a change the cluster is at rest: Kueue requeues pending workloads
#: once a second.
_QUIET: Final = 3 * SECOND // 2
#: How many cycles there may be between two visible changes.
_CYCLES: Final = 8
#: Conditions that a decision sets, and that a case states.
_CONDITIONS: Final = ("QuotaReserved", "Admitted", "Evicted", "Preempted", "Finished")

Encode = Callable[[Iterable[ClusterObject]], list[Json]]


def history_to_case(mirror: Mirror, encode: Encode) -> list[Json]:
    """Return what a cluster did: start, objects, steps, and what is expected of each.

    A cluster decides while some of its writes are still in progress: an evicted workload is
    requeued shortly after its quota is released, and jobs of one instant arrive one by one.
    If the lab makes a decision from the state just before it, but no cycles lead to it from
    the steps so far, a new part begins with the state after that decision.

    Parameters
    ----------
    mirror
        The mirror of the cluster, with its history.
    encode
        Encodes the objects that are not workloads.
    """
    return _CaseWriter(mirror, encode).parts()


class _CaseWriter:
    """Runs the case in the lab while it is written, to find where cycles are needed."""

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
                self._objects[_key(each.after)] = each.after
        self._begin(start)

    def parts(self) -> list[Json]:
        for index, change in enumerate(self._changes):
            self._write_change(change)
            last = index + 1 == len(self._changes)
            if last or self._changes[index + 1].time - change.time > _QUIET:
                self._settle(is_end=last)
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

    def _write_change(self, change: Change) -> None:
        before, after = change.before, change.after
        if isinstance(before, Workload) or isinstance(after, Workload):
            self._write_workload(change.time, before, after)  # type: ignore[arg-type]
        elif after is not None:
            self._advance_to(change.time)
            self._objects[_key(after)] = after
            self._cluster.apply(after)
            for obj in self._encode([after]):
                self._step("apply", object=obj)
        elif before is not None:
            self._advance_to(change.time)
            kind, meta = kind_of(before), before.metadata
            self._objects.pop(_key(before), None)
            self._cluster.remove(kind, meta.name, meta.namespace)
            self._step("remove", kind=kind, name=meta.name, namespace=meta.namespace)

    def _advance_to(self, time: int) -> None:
        if time > self._cluster.now:
            self._step("advance", seconds=(time - self._cluster.now) / SECOND)
            self._cluster.advance_to(time)

    def _write_workload(self, time: int, before: Workload | None, after: Workload | None) -> None:
        if before is not None and (after is None or _is_orphan(after)):
            # Its quota is free as soon as Kueue says that its owner is gone.
            if before.key in self._seen:
                self._advance_to(time)
                del self._seen[before.key]
                self._cluster.delete_workload(before.key)
                self._step("delete", workload=before.key)
            return
        assert after is not None
        self._seen[after.key] = after
        if before is None:
            self._advance_to(time)
            self._cluster.create_workload(after)
            self._step("create", object=encode_object(after))
            return
        self._write_external_changes(time, before, after)
        for observed in observed_decisions(before, after, time):
            if not self._write_decision(time, observed, after):
                self._end()
                self._begin(time)
                return
        self._write_end(time, before, after)

    def _write_external_changes(self, time: int, before: Workload, after: Workload) -> None:
        """Write the changes that were not made by Kueue."""
        key, cluster = after.key, self._cluster
        if is_true(after, "DeactivationTarget") and not is_true(before, "DeactivationTarget"):
            self._advance_to_deactivation(time, key)
        elif before.active != after.active and not is_true(before, "DeactivationTarget"):
            self._advance_to(time)
            cluster.set_active(key, after.active)
            self._step("set-active", workload=key, active=after.active)
        if before.priority != after.priority:
            self._advance_to(time)
            cluster.set_priority(key, after.priority)
            self._step("set-priority", workload=key, priority=after.priority)
        checks = {check.name: check for check in before.status.admission_checks}
        for check in after.status.admission_checks:
            old = checks.get(check.name)
            if old is None or (old.state, old.message) == (check.state, check.message):
                continue
            if check.state == "Pending" and is_true(after, "Evicted"):
                continue  # Kueue itself resets it
            self._advance_to(time)
            wait = check.requeue_after_seconds
            cluster.set_check(key, check.name, check.state, check.message, wait)
            said: Json = {"check": check.name, "state": check.state, "message": check.message}
            if wait is not None:
                said["requeueAfterSeconds"] = wait
            self._step("set-check", None, workload=key, **said)
        if cluster.configuration.wait_for_pods_ready is not None:
            ready = is_true(after, "PodsReady")
            if ready != is_true(before, "PodsReady") and is_true(after, "Admitted"):
                self._advance_to(time)
                cluster.pods_ready(key, ready)
                self._step("pods-ready", workload=key, ready=ready)
        if before.status.reclaimable_pods != after.status.reclaimable_pods:
            self._advance_to(time)
            pods = after.status.reclaimable_pods
            cluster.reclaim(key, pods)
            counts = [{"name": pod.name, "count": pod.count} for pod in pods]
            self._step("reclaim", workload=key, reclaimablePods=counts)

    def _advance_to_deactivation(self, time: int, key: str) -> None:
        """Advance to the lab's own timer: the server's times are whole seconds."""
        self._advance_to(time)
        state = self._cluster.workloads.get(key)
        due = self._cluster.next_timer()
        if state is not None and state.active and due is not None and due - time <= _QUIET:
            self._advance_to(due)

    def _write_end(self, time: int, before: Workload, after: Workload) -> None:
        """Write that pods have stopped, and that jobs have finished."""
        released = is_true(before, "QuotaReserved") and not is_true(after, "QuotaReserved")
        if released and is_true(after, "Evicted"):
            going = [
                w
                for w in self._seen.values()
                if is_true(w, "Evicted") and is_true(w, "QuotaReserved")
            ]
            if not going:
                self._advance_to(time)
                self._cluster.complete_evictions()
                self._step("complete-evictions")
        if is_true(after, "Finished") and not is_true(before, "Finished"):
            self._advance_to(time)
            self._cluster.finish(after.key)
            self._step("finish", {"skipped": False}, workload=after.key)

    # --- decisions -----------------------------------------------------------------------

    def _write_decision(self, time: int, observed: ObservedDecision, after: Workload) -> bool:
        """Run cycles until the decision is made, and expect it of the last one.

        Returns whether that is possible. A decision that the lab does not make even from the
        state just before it is expected, too.
        """
        if observed.message:
            return True  # the cases of single cycles state the reason
        if observed.target:
            preemptor = self._by_uid.get(preemptor_uid(after), "")
            if not preemptor:
                return True
            observed = replace(observed, workload=preemptor)
        if self._is_in_effect(observed):
            return True
        before, expected = len(self._steps), _entry(observed)
        self._advance_to(time)
        for _ in range(_CYCLES):
            record = self._cycle()
            if self._is_in_effect(observed) or not record.heads:
                break
        entries = {entry.key: entry.status for entry in record.entries}
        made = self._is_in_effect(observed) and entries.get(observed.workload) == expected["status"]
        if not made and observed not in self._differing:
            self._remove_steps_from(before)
            return False
        self._expect[-1]["cycles"] = [{"entries": [expected]}]
        return True

    def _remove_steps_from(self, place: int) -> None:
        del self._steps[place:], self._expect[place:]

    def _is_in_effect(self, observed: ObservedDecision) -> bool:
        """Tell whether the decision has already been made."""
        state = self._cluster.workloads.get(observed.target or observed.workload)
        if state is None:
            return False
        if observed.target:
            return state.is_evicted
        return state.has_quota_reservation and state.cluster_queue == observed.cluster_queue

    def _cycle(self) -> CycleRecord:
        record = self._cluster.cycle()
        self._step("cycle")
        return record

    def _settle(self, *, is_end: bool) -> None:
        """Run cycles until nothing changes; then the state is the cluster's.

        At the end of a recording the cluster may not be at rest. It is if no cycle changes it.
        """
        steps_before = len(self._steps)
        for number in range(_CYCLES):
            before = self._cluster.state()
            self._cycle()
            if self._cluster.state() == before:
                break
            if is_end and number == 0:
                self._remove_steps_from(steps_before)
                return
        workloads = {key: _state(workload) for key, workload in sorted(self._seen.items())}
        self._expect[-1]["state"] = {"workloads": workloads}


def _key(obj: ClusterObject) -> tuple[str, str]:
    return kind_of(obj), obj.metadata.key


def _is_orphan(workload: Workload) -> bool:
    """Tell whether Kueue noticed that the job was deleted; it then deletes the Workload."""
    return any(
        c.type == "Finished" and c.reason == "OwnerNotFound" for c in workload.status.conditions
    )


def _entry(observed: ObservedDecision) -> Json:
    if observed.target:
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
