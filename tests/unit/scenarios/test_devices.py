"""The scenario about devices: what counts, what does not, and what Kueue looks at again."""

from __future__ import annotations

from kueuelab import scenarios
from kueuelab.trace.pending_cause import cause_of
from kueuelab.trace.workload_moment import workload_moment


def test_devices_count_by_their_class() -> None:
    run = scenarios.load("devices-by-class").run()
    assert run.passed
    text = str(run.timeline)
    assert "default/plain                           admitted by team: main (1 pod: gpus" in text
    assert "DeviceClass nic.example.com is not mapped in DRA configuration" in text


def test_a_template_that_comes_later_is_found_after_a_back_off() -> None:
    run = scenarios.load("devices-by-class").run(until=40)
    late = run.cluster.workloads["default/late"]
    assert late.requests[0].requests == {"cpu": 1000, "gpus": 2}
    assert "insufficient unused quota for gpus" in late.conditions["QuotaReserved"].message


def test_it_is_said_why_devices_are_not_counted_and_what_helps() -> None:
    run = scenarios.load("devices-by-class").run(until=10)
    network = str(run.why("default/network"))
    assert "Kueue can't count the devices that its pods claim" in network
    assert "Kueue looks again when the Workload changes" in network
    assert "Kueue looks again by itself" in str(run.why("default/late"))
    assert cause_of(workload_moment(run.trace, "default/late")).kind == "devices"
    report = run.what_would_admit("default/network")
    assert [each.kind for each in report.obstacles][:2] == ["devices", "devicesUnmapped"]
    assert "dropClaims" in {each.kind for each in report.suggestions}
