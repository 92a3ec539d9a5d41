"""Levers on Kueue's Configuration: found, verified by a run, with the cost for other queues."""

from __future__ import annotations

from typing import Any

import pytest
from small_labs import flavor, job, lab, queue

from kueuelab.errors import NotModelledError
from kueuelab.session.patch import patch_between
from kueuelab.whatif.changes import change_as_data
from kueuelab.whatif.configuring import BLOCK_ADMISSION, EXCLUDE, STRATEGY, Configure
from kueuelab.whatif.lab import LabRun
from kueuelab.whatif.report import Suggestion

DISK = "ephemeral-storage"
LEVERS = ("excludeResource", "excludeLimited", "ignoreUndeclared", "unblock")


def uncovered(
    cpu: int = 1, *others: Any, configuration: dict[str, Any] | None = None, resource: str = DISK
) -> LabRun:
    """Run a job that asks for a resource that its ClusterQueue does not cover."""
    wanted = {**job("late", "q", cpu), "requests": {"cpu": cpu, resource: 1}}
    objects = [flavor(), queue("q", {"default": 4}), *others]
    return lab(objects, [job("first", "q", 2), wanted], configuration).run()


def covering(name: str, resource: str) -> list[dict[str, Any]]:
    """Return a ClusterQueue that has quota for a resource."""
    found = queue(name, {"default": 4})
    groups = found[0]["spec"]["resourceGroups"]
    groups[0]["coveredResources"].append(resource)
    groups[0]["flavors"][0]["resources"].append({"name": resource, "nominalQuota": 4})
    return found


def levers(run: LabRun, workload: str = "late", at: str | None = None) -> dict[str, Suggestion]:
    found = run.what_would_admit(run.key_of(workload), at)
    costs = [each.disturbance for each in found]
    assert costs == sorted(costs)
    return {each.kind: each for each in found if each.kind in LEVERS}


def test_the_two_levers_are_found_in_order_and_do_it() -> None:
    run = uncovered()
    found = run.what_would_admit(run.key_of("late"))
    kinds = [each.kind for each in found]
    assert kinds == ["coverage", "excludeResource", "ignoreUndeclared", "dropRequest"]
    for each in found:
        after = run.fork().change(*each.changes).run()
        assert after.cluster.workloads["default/late"].has_quota_reservation, each
        assert each.evicts == ()
    assert "no quota limits it, in no ClusterQueue" in found[1].text
    assert change_as_data(found[1].changes[0]) == {"do": "configure", "values": {EXCLUDE: [DISK]}}


def test_the_same_from_the_start() -> None:
    for change in (Configure({EXCLUDE: [DISK]}), Configure({STRATEGY: "IgnoreUndeclared"})):
        run = uncovered().fork(0).change(change).run()
        assert run.cluster.workloads["default/late"].has_quota_reservation


def test_what_is_too_large_is_not_helped() -> None:
    assert levers(uncovered(8)) == {}


def test_who_loses_a_limit_is_named() -> None:
    run = uncovered(1, covering("other", "example.com/gpu-memory"), resource="example.com/gpu")
    lever = levers(run)["excludeLimited"]
    assert "the quota that ClusterQueue other has for example.com/gpu-memory" in lever.text
    assert lever.queues == ("other",)
    # A name that begins otherwise is not touched.
    run = uncovered(1, covering("other", "example.com/fpga"), resource="example.com/gpu")
    assert set(levers(run)) == {"excludeResource", "ignoreUndeclared"}


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        ({"featureGates": {"QuotaCheckStrategy": False}}, {"excludeResource"}),
        ({"resources": {"quotaCheckStrategy": "IgnoreUndeclared"}}, set()),
        ({"resources": {"excludeResourcePrefixes": [DISK]}}, set()),
        (
            {"resources": {"excludeResourcePrefixes": ["example.com/"]}},
            {"excludeResource", "ignoreUndeclared"},
        ),
    ],
)
def test_what_the_configuration_has_already(
    configuration: dict[str, Any], expected: set[str]
) -> None:
    run = uncovered(configuration=configuration)
    found = levers(run)
    assert set(found) == expected
    known = configuration.get("resources", {}).get("excludeResourcePrefixes", [])
    if "excludeResource" in found:
        assert found["excludeResource"].changes == (Configure({EXCLUDE: [*known, DISK]}),)


def test_what_is_admitted_holds_what_it_held() -> None:
    run = lab(
        [flavor(), queue("q", {"default": 4})], [job("first", "q", 3), job("late", "q", 3)]
    ).run()
    after = run.fork().change(Configure({EXCLUDE: ["cpu"]})).run()
    states = after.cluster.workloads
    assert states["default/first"].usage == {("default", "cpu"): 3000}
    assert states["default/late"].has_quota_reservation
    assert states["default/late"].usage == {}


def test_the_patch_is_a_part_of_the_configuration() -> None:
    run = uncovered()
    lever = levers(run)["ignoreUndeclared"]
    before = run.fork()
    after = before.change(*lever.changes)
    patch = patch_between(before.objects(), after.objects(), lever.changes)
    assert (patch.manifests, patch.left_out) == ((), ())
    text = patch.as_text()
    assert text.startswith("# No cluster serves the kind Configuration")
    assert text.endswith(
        "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
        "resources:\n  quotaCheckStrategy: IgnoreUndeclared\n"
    )
    assert patch_between(before.objects(), after.objects()).configuration == ""


def blocked(cpu: int) -> LabRun:
    """Run a job that waits until the pods of another one are ready, which they never are."""
    configuration = {"waitForPodsReady": {"timeout": "10m", "blockAdmission": True}}
    found = lab(
        [flavor(), queue("q", {"default": 4})],
        [job("slow", "q", 1), job("late", "q", cpu)],
        configuration,
    )
    return found.fork().pods_ready("slow", False).lab.run()


def test_admission_that_is_blocked() -> None:
    run = blocked(1)
    found = run.what_would_admit("default/late", "3s")
    assert [each.kind for each in found] == ["wait", "unblock"]
    lever = found[1]
    assert lever.changes == (Configure({BLOCK_ADMISSION: False}),)
    assert lever.time < found[0].time
    after = run.fork("3s").change(*lever.changes).run(until=5)
    assert after.cluster.workloads["default/late"].has_quota_reservation
    assert not run.fork("3s").run(until=5).cluster.workloads["default/late"].has_quota_reservation


def test_admission_that_is_blocked_and_does_not_fit() -> None:
    assert levers(blocked(8), at="3s") == {}


def test_other_fields_are_refused() -> None:
    fork = uncovered().fork().change(Configure({"fairSharing.preemptionStrategies": []}))
    with pytest.raises(NotModelledError, match="fairSharing"):
        fork.run()
