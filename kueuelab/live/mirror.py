"""A simulated cluster that repeats each change of a real cluster, and records it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, cast

from kueuelab.errors import InputError, UnknownObjectError
from kueuelab.live.conditions import pending_message
from kueuelab.live.decisions import Counts, Decision, ObservedDecision
from kueuelab.live.kueue_memory import Remembered
from kueuelab.live.observed_changes import (
    observed_decisions,
    observed_facts,
    preemptor_uid,
)
from kueuelab.live.pruning import pruned
from kueuelab.live.record_window import EVERYTHING, Keep, RecordWindow
from kueuelab.live.redecide import MOMENT, Redecider
from kueuelab.live.resources import KUEUE_GROUP, WORKLOADS, Json
from kueuelab.live.snapshot import takes_room
from kueuelab.manifests import decode_object, read_object
from kueuelab.messages import Message
from kueuelab.model import ClusterObject, Configuration, Node, Workload
from kueuelab.simulation import Cluster
from kueuelab.simulation.control_plane import ControlPlane
from kueuelab.simulation.objects import kind_of
from kueuelab.trace import Trace
from kueuelab.trace.reading import State
from kueuelab.trace.steps import EventEmitted
from kueuelab.workload import WorkloadState

__all__ = ["Change", "Mirror"]

#: Kinds that are ignored: what matters of a job is its Workload.
_NOT_MIRRORED: Final = ("Job", "Event")


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a cluster: an object before and after, ``None`` where there was none."""

    time: int
    before: ClusterObject | Workload | None
    after: ClusterObject | Workload | None


class Mirror:
    """Follows a cluster, change by change, and repeats each decision in the lab.

    Its steps record what the cluster did. Before each decision come the steps of the lab's
    own cycle and an Event ``AgreesWithKueue`` or ``DiffersFromKueue``.

    Parameters
    ----------
    configuration
        Kueue's Configuration.
    start
        The time, in nanoseconds since 1970.
    name
        The name of the trace.
    keep
        Whether to keep the state that each decision was made from.
    window
        How much of the record and of the decisions is kept.
    on_complete
        Takes each part of the record before it is forgotten.

    Attributes
    ----------
    decisions
        The decisions so far that are kept, compared with the lab's.
    forgotten
        How many decisions are no longer kept, and how many of those differ.
    seen
        The last version of every workload, also of the deleted ones; with a window, of those
        that were deleted in it.
    problems
        Objects that could not be read, with the reason; the mirror does not have them.
    not_judged
        How many decisions were not repeated: :meth:`feed` was called without ``judge``.
    history
        Every change, if they are kept; the first ones are the objects at the start.
    """

    def __init__(
        self,
        configuration: Configuration,
        start: int,
        name: str = "",
        *,
        keep: bool = False,
        window: Keep = EVERYTHING,
        on_complete: Callable[[Trace], None] | None = None,
    ) -> None:
        self.name = name
        self.decisions: list[Decision] = []
        self.problems: dict[str, str] = {}
        self.seen: dict[str, Workload] = {}
        self.history: list[Change] = []
        self.not_judged = 0
        self._keep = keep
        self.forgotten = Counts()
        self._record = RecordWindow(configuration, start, name, window, on_complete)
        self._redecider = Redecider(configuration, start, keep=keep)
        self._workloads: dict[str, Workload] = {}
        self._objects: dict[tuple[str, str], ClusterObject] = {}
        self._by_uid: dict[str, str] = {}
        #: Workloads that were deleted, and had been before the record that is kept began.
        self._gone: set[str] = set()
        self._long_gone: set[str] = set()
        self._is_judging = True
        # Numbers of decisions that differ, while their cause may still become visible; and the
        # resource version that was written with each.
        self._open: dict[int, str] = {}
        self._version = ""

    def __repr__(self) -> str:
        counts = self.counts
        return (
            f"<Mirror of {self.name or 'a cluster'}: {len(self._workloads)} workloads, "
            f"{counts.judged} decisions, {counts.differing} differ>"
        )

    @property
    def counts(self) -> Counts:
        """How many decisions there were so far, and how many of them differ."""
        return self.forgotten + Counts.of(self.decisions)

    def differing(self, *, settled: bool) -> tuple[Decision, ...]:
        """Return the decisions that are kept and differ, the latest first.

        Parameters
        ----------
        settled
            Leave out those that may still agree, as their cause may become visible.
        """
        first = self.forgotten.judged
        return tuple(
            self.decisions[place]
            for place in range(len(self.decisions) - 1, -1, -1)
            if not self.decisions[place].agrees and not (settled and place + first in self._open)
        )

    @property
    def last_trace(self) -> Trace:
        """The part of the record that follows on the last complete one."""
        return self._record.last_trace

    @property
    def configuration(self) -> Configuration:
        """Kueue's Configuration."""
        return self._record.cluster.configuration

    @property
    def cluster(self) -> Cluster:
        """The simulated cluster in its current state; do not change it."""
        return self._record.cluster

    def objects_by_kind(self) -> dict[str, tuple[ClusterObject, ...]]:
        """Return the objects other than workloads as they are now."""
        found: dict[str, tuple[ClusterObject, ...]] = {}
        for (kind, _), obj in self._objects.items():
            found[kind] = (*found.get(kind, ()), obj)
        return found

    @property
    def now(self) -> int:
        """The time of the last change, in nanoseconds since 1970."""
        return self._record.now

    @property
    def trace(self) -> Trace:
        """The record so far."""
        return self._record.trace

    @property
    def state(self) -> State:
        """The visible state as it is now."""
        return self._record.state

    @property
    def workloads(self) -> Mapping[str, Workload]:
        """The workloads as they are now."""
        return self._workloads

    def memory(self, workload: str) -> Remembered:
        """Return what Kueue remembers of a workload, as far as the decisions that were seen tell.

        Parameters
        ----------
        workload
            ``namespace/name``.

        Raises
        ------
        UnknownObjectError
            If there is no such workload.
        """
        if workload not in self._workloads:
            raise UnknownObjectError("Workload", workload, self._workloads)
        return self._redecider.memory(workload)

    def load(self, objects: Iterable[Json]) -> None:
        """Load the objects that exist at the start."""
        found: list[ClusterObject | Workload] = []
        for obj in objects:
            model = None if self._takes_no_room(obj) else self._read(obj)
            if model is not None:
                self._remember(model)
                found.append(model)
                self._keep_change(None, model)
        self._record.load(found)
        self._redecider.state.load(found)

    def feed(self, time: int, type_: str, obj: Json, *, judge: bool = True) -> None:
        """Process a change: ``ADDED``, ``MODIFIED`` or ``DELETED``, as a watch reports it.

        Without ``judge`` its decisions are not repeated in the lab.
        """
        self._is_judging = judge
        if type_ == "BOOKMARK" or obj.get("kind") in _NOT_MIRRORED:
            return
        self._version = str((obj.get("metadata") or {}).get("resourceVersion") or "")
        if type_ == "DELETED":
            self._advance_to(time)
            self._delete(str(obj.get("kind")), obj["metadata"])
            return
        if self._is_only_status(obj) or self._takes_no_room(obj):
            return
        model = self._read(obj)
        if model is None or self._is_heartbeat(model):
            return
        self._advance_to(time)
        if isinstance(model, Workload):
            self._put_workload(model)
        else:
            self._keep_change(self._objects.get((kind_of(model), model.metadata.key)), model)
            self._remember(model)
            self._record.apply(model)
            self._redecider.state.put(self.now, model)
            self._redecide_with(kind_of(model), model.metadata.key)

    def _keep_change(
        self, before: ClusterObject | Workload | None, after: ClusterObject | Workload | None
    ) -> None:
        if self._keep:
            self.history.append(Change(self.now, before, after))

    def settle(self) -> None:
        """Record the decisions that are still open as different."""
        open_, self._open = self._open, {}
        for index in open_:
            self._record_decision(self._numbered(index))

    # --- inside --------------------------------------------------------------------------

    def _read(self, obj: Json) -> ClusterObject | Workload | None:
        if obj.get("kind") in _NOT_MIRRORED:
            return None
        try:
            return _decoded(pruned(obj))
        except InputError as error:
            name = (obj.get("metadata") or {}).get("name")
            self.problems[f"{obj.get('kind')}/{name}"] = str(error.problem)
            return None

    def _is_only_status(self, obj: Json) -> bool:
        """Tell whether only status counters changed; they follow from the workloads."""
        kind, meta = str(obj.get("kind")), obj.get("metadata") or {}
        if kind not in ("ClusterQueue", "Cohort", "LocalQueue"):
            return False
        namespace = meta.get("namespace") or "default"
        key = f"{namespace}/{meta.get('name')}" if kind == "LocalQueue" else str(meta.get("name"))
        known = self._objects.get((kind, key))
        if known is None or not meta.get("generation"):
            return False
        old = known.metadata
        return old.generation == meta["generation"] and old.labels == (meta.get("labels") or {})

    def _is_heartbeat(self, model: ClusterObject | Workload) -> bool:
        """Tell whether a node only says that it is still there."""
        return isinstance(model, Node) and self._objects.get(("Node", model.metadata.key)) == model

    def _takes_no_room(self, obj: Json) -> bool:
        """Tell whether a pod is neither on a node nor was; others are jobs, or wait."""
        if obj.get("kind") != "Pod" or takes_room(obj):
            return False
        meta = obj["metadata"]
        return ("Pod", f"{meta.get('namespace') or 'default'}/{meta['name']}") not in self._objects

    def _remember(self, model: ClusterObject | Workload) -> None:
        if isinstance(model, Workload):
            self._workloads[model.key] = self.seen[model.key] = model
            self._by_uid[model.metadata.uid] = model.key
        else:
            self._objects[kind_of(model), model.metadata.key] = model

    def _advance_to(self, time: int) -> None:
        """Move the clock; timers of the simulated controllers do not fire."""
        self._record.advance_to(time)
        self._redecider.forget(self.now)
        if self._record.roll(self._number, self._objects.values(), self._workloads):
            self._forget()

    def _delete(self, kind: str, meta: Json) -> None:
        name, namespace = str(meta["name"]), str(meta.get("namespace") or "")
        self.problems.pop(f"{kind}/{name}", None)
        key = f"{namespace}/{name}" if namespace else name
        if kind == "Workload":
            workload = self._workloads.pop(key, None)
            if workload is not None:
                self._keep_change(workload, None)
                self._gone.add(key)
            self._record.delete_workload(key)
            self._redecider.state.remove(self.now, "", key)
            self._redecider.forget_workload(key)
        elif (obj := self._objects.pop((kind, key), None)) is not None:
            self._keep_change(obj, None)
            self._record.discard(kind, name, namespace)
            self._redecider.state.remove(self.now, kind, key)
            self._redecide_with(kind, key)

    def _put_workload(self, model: Workload) -> None:
        before = self._workloads.get(model.key)
        if before is not None and before.metadata.uid != model.metadata.uid:
            self._keep_change(before, None)
            self._record.delete_workload(model.key)
            before = None
        if before is None:
            # First it is created; its first visible status follows as a change.
            new = replace(model, status=replace(model.status, conditions=(), admission=None))
            self._remember(new)
            self._record.create_workload(new)
            self._redecider.state.put(self.now, new)
            self._keep_change(None, new)
            before = new
        self._keep_change(before, model)
        self._settle_expired()
        for observed in observed_decisions(before, model, self.now):
            self._redecide(observed, model)
        self._redecider.state.put(self.now, model)
        self._remember(model)
        self._record.write(model.key, _write_of(model))
        for facts in observed_facts(before, model, self._by_uid):
            self._record.record(facts, model.key)
        if self._open and self._is_judging:
            self._redecide_open(model.key)

    def _redecide(self, observed: ObservedDecision, after: Workload) -> None:
        """Repeat a decision in the lab, and record the result."""
        if observed.target:
            preemptor = self._by_uid.get(preemptor_uid(after), "")
            if not preemptor:
                return
            said = self._workloads.get(preemptor)
            previous = pending_message(said) if said is not None else ""
            observed = replace(observed, workload=preemptor, previous=previous)
        if not self._is_judging:
            self.not_judged += 1
            return
        decision = self._redecider.decide(observed)
        self.decisions.append(decision)
        if decision.agrees:
            self._record_decision(decision)
        else:
            self._open[self._number - 1] = self._version

    def _redecide_open(self, changed: str) -> None:
        """Repeat the open decisions: their cause may have become visible."""
        for index in tuple(self._open):
            found = self._redecider.decide_late(self._numbered(index).observed, changed, self.now)
            if found is not None:
                self._agreed_late(index, found)

    def _redecide_with(self, kind: str, key: str) -> None:
        """Repeat the open decisions with the change of an object that came before them."""
        self._settle_expired()
        for index, version in tuple(self._open.items()):
            if _is_later(self._version, version):
                continue
            observed = self._numbered(index).observed
            found = self._redecider.decide_with(observed, (kind, key))
            if found is not None:
                self._agreed_late(index, found)

    @property
    def _number(self) -> int:
        """How many decisions there were so far."""
        return self.forgotten.judged + len(self.decisions)

    def _numbered(self, number: int) -> Decision:
        return self.decisions[number - self.forgotten.judged]

    def _forget(self) -> None:
        """Forget the decisions and the deleted workloads that the record no longer has."""
        # An open one is kept, with all that follow.
        first = min((self._record.first, *self._open))
        old = self.decisions[: first - self.forgotten.judged]
        self.forgotten += Counts.of(old)
        del self.decisions[: len(old)]
        for key in self._long_gone - self._workloads.keys():
            self.seen.pop(key, None)
        self._by_uid = {each.metadata.uid: key for key, each in self.seen.items()}
        self._long_gone, self._gone = self._gone, set()

    def _agreed_late(self, index: int, decision: Decision) -> None:
        del self._open[index]
        self.decisions[index - self.forgotten.judged] = decision
        self._record_decision(decision)

    def _settle_expired(self) -> None:
        for index in tuple(self._open):
            if self.now - self._numbered(index).observed.time > MOMENT:
                del self._open[index]
                self._record_decision(self._numbered(index))

    def _record_decision(self, decision: Decision) -> None:
        """Record the steps of the lab's cycle, and whether the decision agrees."""
        if decision.steps:
            self._record.record_cycle(decision.steps)
        text = decision.observed.as_text()
        event = EventEmitted("Normal", "AgreesWithKueue", text)
        if not decision.agrees:
            event = EventEmitted(
                "Warning",
                "DiffersFromKueue",
                Message("live.decision.and-lab", decision=text, lab=decision.text),
            )
        self._record.record(event, decision.observed.workload)


def _is_later(version: str, other: str) -> bool:
    """Tell whether one resource version is known to come after another."""
    return version.isdecimal() and other.isdecimal() and int(version) > int(other)


def _decoded(obj: Json) -> ClusterObject | Workload:
    """Decode an object of a server; validate it only if that fails."""
    namespace = (obj.get("metadata") or {}).get("namespace") or "default"
    version = str(obj.get("apiVersion"))
    if version == WORKLOADS.api_version or not version.startswith(f"{KUEUE_GROUP}/"):
        with suppress(ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            return cast(ClusterObject, decode_object(obj, namespace=namespace))
    return cast(ClusterObject, read_object(obj, namespace=namespace))


def _write_of(model: Workload) -> Callable[[ControlPlane, WorkloadState], bool]:
    """Return the write that gives the simulated workload the state of the real one."""

    def write(plane: ControlPlane, state: WorkloadState) -> bool:
        status = model.status
        state.set_conditions({each.type: each for each in status.conditions})
        state.admission = status.admission
        state.requeue_state = status.requeue_state
        state.reclaimable_pods = status.reclaimable_pods
        state.admission_checks = {check.name: check for check in status.admission_checks}
        state.preemption_gates = status.preemption_gates
        state.unhealthy_nodes = status.unhealthy_nodes
        state.cluster_name = status.cluster_name
        state.nominated_cluster_names = status.nominated_cluster_names
        state.set_obj(plane.adjusted(model), priority_boost=state.priority - state.obj.priority)
        plane.changed(state.key)
        return True

    return write
