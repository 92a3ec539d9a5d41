"""What happens between the seconds, at one instant, and before 1970."""

from __future__ import annotations

import pytest
from simulation_lab import START, Lab, basic_lab, check, checks, flavor, local, queue, work

from kueuelab.manifests.decode import decode_configuration, decode_object
from kueuelab.model.times import SECOND, format_time, parse_time
from kueuelab.simulation import Cluster
from kueuelab.simulation.status import read_back

WAIT = {"timeout": "10s", "requeuingStrategy": {"backoffBaseSeconds": 5, "backoffLimitCount": 0}}


def lab_of(*objects: dict[str, object], **configuration: object) -> Lab:
    cluster = Cluster(decode_configuration(configuration), start=START)
    cluster.load([decode_object(obj) for obj in objects])  # type: ignore[misc]
    return Lab(cluster)


def test_workloads_of_one_second_queue_in_the_order_in_which_they_were_created() -> None:
    lab = basic_lab()
    lab.wait(0.2)
    lab.create(work("z"))
    lab.wait(0.3)
    lab.create(work("a"))
    assert lab.pending() == ["z", "a"]


def test_the_wait_is_reported_to_the_part_of_a_second() -> None:
    lab = basic_lab()
    lab.wait(0.8)
    lab.create(work("a"))
    lab.wait(0.4)
    lab.cluster.cycle()
    assert lab.messages("QuotaReserved") == [
        "Quota reserved in ClusterQueue cq, wait time since queued was 0s"
    ]


def test_a_timeout_counts_from_the_part_of_a_second() -> None:
    lab = basic_lab(waitForPodsReady={"timeout": "10s"})
    lab.create(work("a"))
    lab.wait(0.5)
    lab.cluster.cycle()
    assert lab.cluster.next_timer() == START + 10 * SECOND + SECOND // 2


def test_a_merge_patch_brings_back_whole_seconds() -> None:
    """Reactivated after it was requeued: since then Kueue holds what the server answered."""
    lab = basic_lab(waitForPodsReady={"timeout": "10s", "requeuingStrategy": {}})
    lab.create(work("a"))
    lab.wait(0.75)
    lab.cluster.cycle()
    lab.wait(100)
    lab.cluster.complete_evictions()
    state = lab.cluster.workload("default/a")
    requeued = state.conditions["Requeued"]
    assert (requeued.status, requeued.last_transition_time % SECOND) == ("True", SECOND * 3 // 4)
    assert state.requeue_state is not None
    lab.cluster.set_active("default/a", False)
    assert state.requeue_state is None
    assert {c.last_transition_time % SECOND for c in state.conditions.values()} == {0}


def test_reading_back_leaves_what_is_whole() -> None:
    lab = basic_lab()
    lab.create(work("a"))
    lab.cluster.cycle()
    state = lab.cluster.workload("default/a")
    before = dict(state.conditions)
    read_back(state)
    assert state.conditions == before


def test_timers_of_one_instant_fire_as_they_were_set() -> None:
    lab = lab_of(flavor(), queue(), local(), waitForPodsReady={"timeout": "10s"})
    lab.create(work("b", priority=1), work("a"))
    lab.cluster.cycle()
    lab.cluster.cycle()
    lab.events()
    lab.wait(10)
    assert lab.events() == [f"EvictedDueToPodsReadyTimeout {name}" for name in "ba"]


def test_what_takes_one_write_comes_before_what_takes_three() -> None:
    """All timers of an instant fire first; then each workload gets its turn, again and again."""
    wait = {
        "timeout": "10s",
        "requeuingStrategy": {"backoffBaseSeconds": 1, "backoffLimitCount": 1},
    }
    lab = basic_lab(waitForPodsReady=wait)
    lab.create(work("a"))
    lab.cluster.cycle()
    lab.wait(10)
    lab.cluster.complete_evictions()
    lab.wait(1)
    lab.create(work("b"))
    lab.cluster.cycle()
    lab.cluster.cycle()
    assert lab.admitted() == ["a", "b"]
    lab.events()
    lab.wait(10)
    assert lab.events() == [
        "EvictedDueToPodsReadyTimeout b",
        "EvictedDueToDeactivatedDueToRequeuingLimitExceeded a",
    ]


def test_a_cycle_that_waits_for_pods_goes_on_at_once() -> None:
    lab = lab_of(
        flavor(),
        check("c"),
        queue(admissionChecksStrategy=checks("c")),
        local(),
        waitForPodsReady={**WAIT, "blockAdmission": True},
    )
    lab.create(work("a"), work("b"))
    lab.cluster.cycle()
    lab.cluster.cycle()
    assert lab.cluster.is_blocked
    lab.events()
    assert lab.cluster.set_check("default/a", "c", "Rejected")
    assert not lab.cluster.is_blocked
    assert lab.events() == [
        "AdmissionCheckRejected a",
        "QuotaReserved b",
        "EvictedDueToDeactivatedDueToAdmissionCheck a",
    ]


@pytest.mark.parametrize("start", ["1969-12-31T12:00:00Z", "1970-01-01T00:00:00Z"])
def test_time_before_1970_is_a_time_like_others(start: str) -> None:
    cluster = Cluster(decode_configuration({"waitForPodsReady": WAIT}), start=parse_time(start))
    objects = [flavor(), check("c"), queue(admissionChecksStrategy=checks("c")), local()]
    cluster.load([decode_object(obj) for obj in objects])  # type: ignore[misc]
    lab = Lab(cluster)
    lab.create(work("a"))
    lab.cluster.cycle()
    assert lab.events() == ["QuotaReserved a"]
    assert cluster.set_check("default/a", "c", "Ready")
    assert lab.events() == ["Admitted a"]
    lab.wait(9)
    assert lab.admitted() == ["a"]
    assert format_time(cluster.now) == format_time(parse_time(start) + 9 * SECOND)


def test_a_retried_check_backs_off_before_1970_too() -> None:
    cluster = Cluster(start=parse_time("1969-12-31T12:00:00Z"))
    objects = [flavor(), check("c"), queue(admissionChecksStrategy=checks("c")), local()]
    cluster.load([decode_object(obj) for obj in objects])  # type: ignore[misc]
    lab = Lab(cluster)
    lab.create(work("a"))
    lab.cluster.cycle()
    lab.cluster.set_check("default/a", "c", "Retry", requeue_after_seconds=5)
    lab.wait(4)
    assert lab.condition("a", "Evicted") == ""
    lab.wait(1)
    lab.cluster.complete_evictions()
    assert lab.pending() == ["a"]
