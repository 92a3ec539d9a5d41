"""The queues do what a naive reading of the rules does, whatever happens in whatever order."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import seed
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from naive_queues import NaiveManager
from seeds import IDS, SEEDS

from kueuelab.model import (
    ClusterQueue,
    Configuration,
    FeatureGates,
    LabelSelector,
    LocalQueue,
    ObjectMeta,
    PodSet,
    ReclaimablePod,
    RequeueState,
    Resources,
    Workload,
)
from kueuelab.queues import QueueManager, RequeueReason, is_admissible
from kueuelab.trace.recorder import Recorder
from kueuelab.trace.steps import CycleEnded
from kueuelab.workload import LastAssignment, WorkloadState

CLUSTER_QUEUES = ("a", "b", "c")
COHORTS = ("", "left", "right", "top")
LOCAL_QUEUES = ("x", "y", "z")
NAMESPACES = ("n", "m")
SELECTORS = (LabelSelector(), LabelSelector({"team": "red"}), None)
WORKLOADS = tuple(range(8))

queue_names = st.sampled_from(CLUSTER_QUEUES)
local_queues = st.tuples(st.sampled_from(NAMESPACES), st.sampled_from(LOCAL_QUEUES))
workloads = st.sampled_from(WORKLOADS)
strategies = st.sampled_from(("BestEffortFIFO", "BestEffortFIFO", "StrictFIFO"))


class Queues(RuleBasedStateMachine):
    """Both kinds of queues, and the same life for both."""

    @initialize(
        hashing=st.booleans(), keeps=st.booleans(), recording=st.booleans(), strategy=strategies
    )
    def start(self, hashing: bool, keeps: bool, recording: bool, strategy: str) -> None:
        overrides = {
            "SchedulingEquivalenceHashing": hashing,
            "FlavorFungibilityPreserveScanProgress": keeps,
        }
        configuration = Configuration(gates=FeatureGates(overrides))
        self.gates = configuration.gates
        self.hashing = hashing
        self.places: dict[str, str | None] = {}
        self.replayed = 0
        self.keeps = keeps
        self.now = 100
        self.labels: dict[str, dict[str, str] | None] = {"n": {"team": "red"}, "m": {}}
        self.recorder = Recorder() if recording else None
        self.real = QueueManager(
            configuration, lambda: self.now, lambda name: self.labels[name], self.recorder
        )
        self.naive = NaiveManager(configuration, lambda: self.now, lambda name: self.labels[name])
        self.workloads: dict[int, WorkloadState] = {}
        self.taken: list[WorkloadState] = []
        for number, name in enumerate(CLUSTER_QUEUES):
            self.set_cluster_queue(name, strategy, COHORTS[number % 2], SELECTORS[0])
        for namespace in NAMESPACES:
            for number, name in enumerate(LOCAL_QUEUES):
                self.set_local_queue((namespace, name), CLUSTER_QUEUES[number], stopped=False)
        for number in WORKLOADS[:5]:
            self.create(number, ("n", LOCAL_QUEUES[number % 2]), number % 2, 1)

    # --- objects

    @rule(
        name=queue_names,
        strategy=strategies,
        cohort=st.sampled_from(COHORTS),
        selector=st.sampled_from(SELECTORS),
    )
    def set_cluster_queue(
        self, name: str, strategy: str, cohort: str, selector: LabelSelector | None
    ) -> None:
        spec = ClusterQueue(
            ObjectMeta(name),
            cohort_name=cohort,
            queueing_strategy="StrictFIFO" if strategy == "StrictFIFO" else "BestEffortFIFO",
            namespace_selector=selector,
        )
        self.real.set_cluster_queue(spec)
        self.naive.set_cluster_queue(spec)

    @rule(name=queue_names)
    def remove_cluster_queue(self, name: str) -> None:
        self.real.remove_cluster_queue(name)
        self.naive.remove_cluster_queue(name)

    @rule(name=st.sampled_from(COHORTS[1:]), parent=st.sampled_from(COHORTS))
    def set_cohort(self, name: str, parent: str) -> None:
        self.real.set_cohort(name, parent)
        self.naive.set_cohort(name, parent)

    @rule(name=st.sampled_from(COHORTS[1:]))
    def remove_cohort(self, name: str) -> None:
        self.real.remove_cohort(name)
        self.naive.remove_cohort(name)

    @rule(name=local_queues, points_to=queue_names, stopped=st.booleans())
    def set_local_queue(self, name: tuple[str, str], points_to: str, stopped: bool) -> None:
        meta = ObjectMeta(name[1], name[0])
        states = list(self.workloads.values())
        policy = "Hold" if stopped else "None"
        self.real.set_local_queue(LocalQueue(meta, points_to, stop_policy=policy), states)
        if stopped:
            self.naive.remove_local_queue(meta.key)
        else:
            self.naive.set_local_queue(meta.key, points_to, states)

    @rule(name=st.sampled_from(NAMESPACES), labels=st.sampled_from(({"team": "red"}, {}, None)))
    def set_namespace(self, name: str, labels: dict[str, str] | None) -> None:
        self.labels[name] = labels

    @rule(seconds=st.integers(1, 10))
    def advance(self, seconds: int) -> None:
        self.now += seconds

    # --- workloads

    @rule(number=workloads, queue=local_queues, priority=st.integers(0, 1), pods=st.integers(1, 2))
    def create(self, number: int, queue: tuple[str, str], priority: int, pods: int) -> None:
        if number in self.workloads:
            return
        namespace, name = queue
        meta = ObjectMeta(
            f"w{number}", namespace, uid=f"u{number}", creation_timestamp=number // 2, generation=1
        )
        obj = Workload(meta, (PodSet(count=pods),), queue_name=name, priority=priority)
        self.workloads[number] = WorkloadState(obj, Resources(), hashing=self.hashing)
        self.notify(self.workloads[number])

    @rule(number=workloads, seconds=st.sampled_from((None, 5, 20)))
    def back_off(self, number: int, seconds: int | None) -> None:
        if state := self.workloads.get(number):
            until = None if seconds is None else self.now + seconds
            state.requeue_state = RequeueState(1, until)
            self.notify(state)

    @rule(
        number=workloads,
        type_=st.sampled_from(("Requeued", "Evicted", "PodsReady", "WaitingForReplacementPods")),
        status=st.booleans(),
    )
    def set_condition(self, number: int, type_: str, status: bool) -> None:
        if state := self.workloads.get(number):
            reason = "AdmissionCheck" if type_ == "Evicted" else "Reason"
            state.set_condition(type_, "True" if status else "False", reason, "", self.now)
            self.notify(state)

    @rule(number=workloads, priority=st.integers(0, 2), queue=local_queues, gated=st.booleans())
    def edit(self, number: int, priority: int, queue: tuple[str, str], gated: bool) -> None:
        if state := self.workloads.get(number):
            meta = replace(state.obj.metadata, generation=state.obj.metadata.generation + 1)
            gates = ("gate",) if gated else ()
            name = state.obj.queue_name if gated else queue[1]
            state.set_obj(
                replace(
                    state.obj,
                    metadata=meta,
                    priority=priority,
                    queue_name=name,
                    preemption_gates=gates,
                )
            )
            self.notify(state)

    @rule(number=workloads)
    def rewrite_unchanged(self, number: int) -> None:
        if state := self.workloads.get(number):
            state.set_obj(replace(state.obj))
            self.notify(state)

    @rule(number=workloads, count=st.integers(0, 1))
    def reclaim(self, number: int, count: int) -> None:
        if state := self.workloads.get(number):
            state.reclaimable_pods = (ReclaimablePod("main", count),)
            state.refresh()
            self.notify(state)

    @rule(number=workloads)
    def open_gate(self, number: int) -> None:
        if state := self.workloads.get(number):
            state.preemption_gates = {"gate": "Open"}
            self.notify(state)

    @rule(number=workloads, reserved=st.booleans())
    def reserve(self, number: int, reserved: bool) -> None:
        if state := self.workloads.get(number):
            state.set_condition("QuotaReserved", "True" if reserved else "False", "R", "", self.now)
            self.notify(state)

    @rule(number=workloads)
    def remove(self, number: int) -> None:
        if state := self.workloads.pop(number, None):
            self.real.forget(state.key)
            self.naive.forget(state.key)

    def notify(self, state: WorkloadState) -> None:
        key, last = state.key, state.last_assignment
        stays = self.naive.assigned.get(key) == state.queue_key
        before = self.naive.place(key) if stays else None
        accepted = self.real.add_or_update(state)
        assert accepted == self.naive.add_or_update(state)
        if not is_admissible(state, self.gates):
            self.real.delete(key)
            self.naive.delete(key)
        elif state.queue_key in self.naive.local_queues and before != "inflight":
            same_shape = last is not None and last.scheduling_hash == state.scheduling_hash
            keeps = self.keeps and before is not None and same_shape
            assert state.last_assignment is (last if keeps else None)

    # --- the scheduler

    @precondition(lambda self: not self.taken)
    @rule(inactive=st.sampled_from(("", "", "a", "b")))
    def heads(self, inactive: str) -> None:
        heads = self.real.heads({inactive} - {""})
        found = [(head.workload.key, head.cluster_queue, head.is_preemptor) for head in heads]
        assert found == self.naive.heads(lambda name: name != inactive)
        for head in heads:
            state = head.workload
            assert state.last_evaluated_generation == state.obj.metadata.generation
            self.taken.append(state)

    @precondition(lambda self: self.taken)
    @rule(
        reason=st.sampled_from(tuple(RequeueReason)),
        quota_reason=st.sampled_from(("", "WaitingForQuota")),
        tried=st.sampled_from((None, -1, 0)),
    )
    def requeue(self, reason: RequeueReason, quota_reason: str, tried: int | None) -> None:
        state = self.taken.pop(0)
        if state not in self.workloads.values():
            return
        if tried is not None:
            state.last_assignment = LastAssignment(({"cpu": tried},), 1, 1, state.scheduling_hash)
        expected = self.naive.requeue(state, reason, quota_reason)
        assert self.real.requeue(state, reason, quota_reason) == expected

    @rule(reasons=st.lists(st.sampled_from(tuple(RequeueReason)), min_size=1, max_size=3))
    def cycle(self, reasons: list[RequeueReason]) -> None:
        if not self.taken:
            self.heads("")
        for reason in reasons * len(self.taken):
            if self.taken:
                self.requeue(reason, "", None)

    @rule(cycles=st.integers(1, 4))
    def cycles_that_preempt(self, cycles: int) -> None:
        for _ in range(cycles):
            self.cycle([RequeueReason.PENDING_PREEMPTION])

    @rule(cycles=st.integers(1, 4))
    def cycles_in_vain(self, cycles: int) -> None:
        for _ in range(cycles):
            self.cycle([RequeueReason.NO_FIT])

    @rule(names=st.lists(queue_names, min_size=1, max_size=2))
    def wake(self, names: list[str]) -> None:
        assert self.real.wake(names) == self.naive.wake(names)

    @rule(number=workloads)
    def wake_for(self, number: int) -> None:
        if state := self.workloads.get(number):
            assert self.real.wake_for(state.key) == self.naive.wake_for(state.key)

    # --- what must agree

    @invariant()
    def they_agree(self) -> None:
        if not hasattr(self, "real"):
            return
        for name in CLUSTER_QUEUES:
            queue = self.naive.queues.get(name)
            active, parked = (queue.in_order(), sorted(queue.parked)) if queue else ([], [])
            assert self.real.pending_active(name) == active
            assert self.real.inadmissible(name) == parked
        for state in self.workloads.values():
            key = state.key
            lost = any(each.inflight == key for each in self.naive.queues.values())
            assert self.real.place(key) == self.naive.place(key) or ("inflight" if lost else None)
            queue = self.naive.queue_of(key)
            seen = queue.parked.get(key) if queue else None
            reason = queue.bulk.get(seen.hash) if queue and seen else None
            assert self.real.no_fit_reason(key) == reason
        self.the_record_agrees()

    def the_record_agrees(self) -> None:
        """Replaying the changes gives the places that the workloads have."""
        if self.recorder is None:
            return
        self.recorder.record(CycleEnded(0, 0))
        for step in self.recorder.steps[self.replayed :]:
            for change in step.changes:
                if change.path[::2] != ("workloads", "queue"):
                    continue
                key = change.path[1]
                assert self.places.get(key) == change.before
                self.places[key] = change.after
        self.replayed = len(self.recorder.steps)
        for key in {state.key for state in self.workloads.values()} | set(self.places):
            assert self.places.get(key) == self.real.place(key)


@pytest.mark.parametrize("start", SEEDS, ids=IDS)
def test_queues(start: int) -> None:
    run_state_machine_as_test(seed(start)(type("Seeded", (Queues,), {})))
