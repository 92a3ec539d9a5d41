from __future__ import annotations

import pytest
from simulation_lab import START, flavor, queue

from kueuelab.errors import UnknownObjectError
from kueuelab.manifests.decode import decode_object
from kueuelab.model import (
    AdmissionCheck,
    ClusterQueue,
    FeatureGates,
    LimitRange,
    RuntimeClass,
    Workload,
)
from kueuelab.model.times import SECOND
from kueuelab.simulation import adjust
from kueuelab.simulation.clock import Clock
from kueuelab.simulation.events import Event, truncated_for_condition, truncated_for_event
from kueuelab.simulation.objects import ObjectStore, with_defaults
from kueuelab.simulation.queue_status import QueueStatus
from kueuelab.simulation.requeue_backoff import backoff_seconds


class TestClock:
    def test_timers_fire_in_order_of_time(self) -> None:
        clock, fired = Clock(0), []
        for name, due in (("c", 5), ("b", 5), ("a", 9)):
            clock.set_timer(("w", name), due, lambda name=name: fired.append((name, clock.now)))
        while clock.next_due() is not None:
            clock.fire_next()
        assert fired == [("c", 5), ("b", 5), ("a", 9)]

    def test_a_cancelled_timer_does_not_fire(self) -> None:
        clock = Clock(0)
        clock.set_timer(("w", "a"), 5, lambda: None)
        clock.cancel(("w", "a"))
        clock.fire_next()
        assert clock.now == 0

    def test_all_timers_of_an_instant_fire_before_anything_else_is_done(self) -> None:
        clock, fired = Clock(0), []
        for name, due in (("c", 5), ("b", 5), ("a", 9)):
            clock.set_timer(("w", name), due, lambda name=name: fired.append(name))
        clock.fire_next()
        assert (fired, clock.now) == (["c", "b"], 5)

    def test_it_holds_parts_of_a_second(self) -> None:
        assert Clock(START + 700_000_000).read() == START + SECOND * 7 // 10

    def test_the_earliest_time_of_a_key_counts(self) -> None:
        clock, fired = Clock(0), []
        for due in (7, 5, 6):
            clock.set_timer(("w", "a"), due, lambda: fired.append(clock.now))
        while clock.next_due() is not None:
            clock.fire_next()
        assert fired == [5]

    def test_timers_of_an_instant_fire_in_the_order_in_which_they_were_set(self) -> None:
        clock, fired = Clock(0), []
        for name, due in (("c", 5), ("a", 5), ("b", 3)):
            clock.set_timer(("w", name), due, lambda name=name: fired.append(name))
        clock.fire_next()
        clock.fire_next()
        assert fired == ["b", "c", "a"]


class TestEvents:
    def test_messages_are_cut_by_bytes(self) -> None:
        assert truncated_for_event("a" * 1024) == "a" * 1024
        assert truncated_for_event("a" * 1025) == "a" * 1020 + " ..."
        assert len(truncated_for_event("ä" * 600).encode()) <= 1024
        assert truncated_for_condition("a" * 1025) == "a" * 1025

    def test_text(self) -> None:
        assert str(Event("Warning", "Pending", "no", "default/a", 0)) == (
            "Warning Pending default/a: no"
        )


class TestObjects:
    def test_defaults(self) -> None:
        workload = with_defaults(decode_object({"kind": "Workload", "metadata": {"name": "a"}}), 5)
        assert workload.metadata.uid == "uid-default-a"
        assert workload.metadata.creation_timestamp == 5
        node = with_defaults(decode_object(flavor("x")), 5)
        assert node.metadata.uid == "uid--x"

    def test_what_is_not_there(self) -> None:
        with pytest.raises(UnknownObjectError, match="there is no ClusterQueue named 'a'"):
            ObjectStore().require("ClusterQueue", "a")
        assert ObjectStore().namespace_labels("nobody") == {}


def _workload(spec: dict[str, object]) -> Workload:
    obj = decode_object(
        {
            "kind": "Workload",
            "metadata": {"name": "a"},
            "spec": {"podSets": [{"name": "main", "count": 1, "template": {"spec": spec}}]},
        }
    )
    assert isinstance(obj, Workload)
    return obj


def _limits(**item: object) -> LimitRange:
    obj = decode_object(
        {"kind": "LimitRange", "metadata": {"name": "l"}, "spec": {"limits": [item]}}
    )
    assert isinstance(obj, LimitRange)
    return obj


def _requests(workload: Workload) -> dict[str, str]:
    spec = workload.pod_sets[0].template.spec
    return {name: str(value) for name, value in spec.containers[0].resources.requests.items()}


class TestAdjust:
    def test_nothing_to_adjust_is_the_same_object(self) -> None:
        workload = _workload({"containers": [{"resources": {"requests": {"cpu": "1"}}}]})
        assert adjust.adjusted(workload, (), {}) is workload

    def test_limits_stand_in_for_requests(self) -> None:
        resources = {"requests": {"cpu": "1"}, "limits": {"cpu": "2", "memory": "1Gi"}}
        workload = adjust.adjusted(_workload({"containers": [{"resources": resources}]}), (), {})
        assert _requests(workload) == {"cpu": "1", "memory": "1Gi"}

    def test_limit_range_fills_in_defaults(self) -> None:
        workload = _workload({"containers": [{"resources": {}}]})
        limits = _limits(type="Container", defaultRequest={"cpu": "1"}, default={"memory": "1Gi"})
        assert _requests(adjust.adjusted(workload, [limits], {})) == {"cpu": "1", "memory": "1Gi"}

    def test_runtime_class_adds_overhead(self) -> None:
        runtime_class = decode_object(
            {
                "kind": "RuntimeClass",
                "metadata": {"name": "kata"},
                "overhead": {"podFixed": {"cpu": "100m"}},
            }
        )
        assert isinstance(runtime_class, RuntimeClass)
        workload = _workload({"runtimeClassName": "kata", "containers": [{}]})
        spec = adjust.adjusted(workload, (), {"kata": runtime_class}).pod_sets[0].template.spec
        assert str(spec.overhead["cpu"]) == "100m"
        unknown = _workload({"runtimeClassName": "other", "containers": [{}]})
        assert adjust.adjusted(unknown, (), {"kata": runtime_class}) is unknown

    def test_requests_above_limits(self) -> None:
        resources = {"requests": {"cpu": "2", "memory": "2"}, "limits": {"cpu": "1", "memory": "1"}}
        container = {"resources": resources}
        workload = _workload({"containers": [container], "initContainers": [container]})
        at = "spec.podSets[0].template.spec."
        what = 'Invalid value: ["cpu","memory"]: requests must not exceed its limits'
        assert adjust.resources_problem(workload) == (
            "resources validation failed: "
            f"[{at}initContainers[0]: {what}, {at}containers[0]: {what}]"
        )

    def test_limit_range_bounds(self) -> None:
        workload = _workload(
            {"containers": [{"resources": {"requests": {"cpu": "2"}}}] * 2, "overhead": {}}
        )
        above = adjust.limit_range_problem(workload, [_limits(type="Pod", max={"cpu": "3"})])
        assert above == (
            "resources didn't satisfy LimitRange constraints: spec.podSets[0].template.spec: "
            'Invalid value: ["cpu"]: requests must not be above the limitRange max'
        )
        below = adjust.limit_range_problem(workload, [_limits(type="Container", min={"cpu": "3"})])
        assert below is not None
        assert below.count("requests must not be below the limitRange min") == 2
        tight = [_limits(type="Container", max={"cpu": "5"}), _limits(type="Pod", max={"cpu": "5"})]
        assert adjust.limit_range_problem(workload, tight) is None


class TestQueueStatus:
    @pytest.fixture
    def store(self) -> ObjectStore:
        store = ObjectStore()
        store.put(decode_object(flavor()))  # type: ignore[arg-type]
        return store

    @staticmethod
    def _status(store: ObjectStore, **spec: object) -> QueueStatus:
        cluster_queue = decode_object(queue(**spec))  # type: ignore[arg-type]
        assert isinstance(cluster_queue, ClusterQueue)
        status = QueueStatus(cluster_queue)
        status.refresh(store, FeatureGates())
        return status

    @staticmethod
    def _check(store: ObjectStore, name: str, controller: str = "x", active: bool = True) -> None:
        obj = decode_object(
            {
                "kind": "AdmissionCheck",
                "metadata": {"name": name},
                "spec": {"controllerName": controller},
                "status": {"conditions": [{"type": "Active", "status": str(active)}]},
            }
        )
        assert isinstance(obj, AdmissionCheck)
        store.put(obj)

    def test_ready(self, store: ObjectStore) -> None:
        status = self._status(store)
        assert (status.active, status.reason) == (True, "Ready")
        assert status.message == "Can admit new workloads"

    def test_several_problems_in_order(self, store: ObjectStore) -> None:
        self._check(store, "off", active=False)
        strategy = {"admissionChecks": [{"name": "off"}, {"name": "b"}, {"name": "a"}]}
        status = self._status(
            store, flavors="default gone", stopPolicy="Hold", admissionChecksStrategy=strategy
        )
        assert (status.active, status.reason) == (False, "Stopped")
        assert status.message == (
            "Can't admit new workloads: is stopped, references missing ResourceFlavor(s): gone, "
            "references missing AdmissionCheck(s): a,b, references inactive AdmissionCheck(s): off."
        )

    def test_multikueue_checks(self, store: ObjectStore) -> None:
        self._check(store, "one", "kueue.x-k8s.io/multikueue")
        self._check(store, "two", "kueue.x-k8s.io/multikueue")
        self._check(store, "three", "kueue.x-k8s.io/provisioning-request")
        rules = [{"name": "one"}, {"name": "two", "onFlavors": ["other"]}, {"name": "three"}]
        status = self._status(store, admissionChecksStrategy={"admissionChecks": rules})
        assert status.reason == "MultipleMultiKueueAdmissionChecks"
        assert status.message == (
            "Can't admit new workloads: "
            "Cannot use multiple MultiKueue AdmissionChecks on the same ClusterQueue, "
            "found: one,two, Cannot specify MultiKueue AdmissionCheck per flavor, found: two, "
            "Cannot use both MultiKueue and ProvisioningRequest AdmissionChecks together, "
            "found: one,two, three."
        )

    def test_missing_topology(self, store: ObjectStore) -> None:
        store.put(decode_object(flavor("rack", topologyName="dc")))  # type: ignore[arg-type]
        status = self._status(store, flavors="rack")
        assert status.message == (
            'Can\'t admit new workloads: there is no Topology "dc" for TAS flavor "rack".'
        )

    def test_checks_by_flavor(self, store: ObjectStore) -> None:
        rules = [{"name": "all"}, {"name": "some", "onFlavors": ["b"]}]
        status = self._status(
            store, flavors="a b", admissionChecksStrategy={"admissionChecks": rules}
        )
        assert status.checks_of(None) == ["all"]
        assert status.checks_of(frozenset({"a"})) == ["all"]
        assert status.checks_of(frozenset({"b"})) == ["all", "some"]


def test_the_first_backoff_is_never_capped() -> None:
    assert [backoff_seconds(n, 60, 10) for n in (1, 2, 3)] == [60, 10, 10]
    assert [backoff_seconds(n, 1, 0) for n in (1, 2, 3, 4)] == [1, 2, 4, 8]
