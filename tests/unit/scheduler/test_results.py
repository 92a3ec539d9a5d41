"""The result of nomination: flavors per pod set, the texts about them, and the hardest obstacle."""

from __future__ import annotations

import pytest

from kueuelab.model import (
    FlavorQuotas,
    ResourceGroup,
    ResourceQuota,
    TopologyAssignment,
    TopologyDomain,
)
from kueuelab.model.topology import HOSTNAME
from kueuelab.scheduler.assignment import (
    Assignment,
    FlavorAssignment,
    FlavorAttempt,
    Mode,
    PodSetResult,
    PreemptionMode,
    most_severe,
)
from kueuelab.scheduler.attempts import hardest_obstacle, merge_attempts
from kueuelab.workload import LastAssignment, PodSetRequests


def group(*flavors: str, resource: str = "cpu") -> ResourceGroup:
    quotas = tuple(FlavorQuotas(name, (ResourceQuota(resource, 4),)) for name in flavors)
    return ResourceGroup((resource,), quotas)


def assignment(*results: PodSetResult) -> Assignment:
    made = Assignment(LastAssignment((), 0, 1, ""))
    for result in results:
        made.add(result)
    return made


def result(name: str = "main", **flavors: FlavorAssignment) -> PodSetResult:
    return PodSetResult(name, 2, dict.fromkeys(flavors, 6), flavors)


# --- attempts -----------------------------------------------------------------------------


def test_of_two_verdicts_on_a_flavor_the_worse_counts_with_the_reasons_of_both() -> None:
    cpu = FlavorAttempt("f", Mode.Preempt, 1, "Reclaim", ("b",), "WaitingForQuota")
    memory = FlavorAttempt("f", Mode.NoFit, 0, "", ("a",), "ExceedsMaxQuota")
    worse = FlavorAttempt("f", Mode.NoFit, 1, "Reclaim", ("a", "b"), "ExceedsMaxQuota")
    assert cpu.merged(memory) == memory.merged(cpu) == worse
    # By Kueue's order of modes, not by the alphabet.
    stuck = FlavorAttempt("f", Mode.Preempt, 0, "NoCandidates")
    preempting = FlavorAttempt("f", Mode.Preempt, 0, "Preempt")
    assert cpu.merged(preempting).possibility == "Preempt"
    assert preempting.merged(stuck).possibility == "NoCandidates"
    assert FlavorAttempt("f", Mode.Fit).merged(FlavorAttempt("f", Mode.Fit)).possibility == ""


@pytest.mark.parametrize(
    ("mode", "seen", "possibility"),
    [
        (PreemptionMode.NoFit, Mode.NoFit, ""),
        (PreemptionMode.NoCandidates, Mode.Preempt, "NoCandidates"),
        (PreemptionMode.Preempt, Mode.Preempt, "Preempt"),
        (PreemptionMode.Reclaim, Mode.Preempt, "Reclaim"),
        (PreemptionMode.Fit, Mode.Fit, ""),
    ],
)
def test_what_users_see_of_a_mode(mode: PreemptionMode, seen: Mode, possibility: str) -> None:
    assert (mode.mode, mode.possibility) == (seen, possibility)


def test_obstacles_from_the_mildest_to_the_hardest() -> None:
    order = [
        "",
        "TopologyPlacementFailed",
        "WaitingForQuota",
        "ExceedsMaxQuota",
        "NoMatchingFlavor",
    ]
    for index, mild in enumerate(order):
        for hard in order[index:]:
            assert most_severe(mild, hard) == most_severe(hard, mild) == hard


def test_a_flavor_must_provide_every_resource_of_its_group() -> None:
    """A flavor seen for cpu, but not for memory, can't be used for either."""
    for observability, reason in ((True, "NoMatchingFlavor"), (False, "")):
        into: dict[str, FlavorAttempt] = {}
        both = group("f", "g")
        first = FlavorAttempt("f", Mode.Preempt, 1, "Reclaim", ("z",))
        second = FlavorAttempt("g", Mode.Fit, 1, "", ("x",))
        merge_attempts(into, [first, second], both, "cpu", observability)
        assert set(into) == {"f", "g"}
        merge_attempts(into, [], both, "memory", observability)
        assert into["f"] == first
        stuck = FlavorAttempt("g", Mode.NoFit, 2, "", ("y",))
        merge_attempts(into, [stuck], both, "memory", observability)
        assert into["g"] == FlavorAttempt("g", Mode.NoFit, 2, "", ("x", "y"))
        lacking = "flavor f does not provide resource memory"
        assert into["f"] == FlavorAttempt("f", Mode.NoFit, 1, "Reclaim", (lacking, "z"), reason)


def obstacles(*attempts: tuple[str, str], mode: Mode = Mode.NoFit) -> PodSetResult:
    found = tuple(FlavorAttempt(name, mode, no_fit_reason=reason) for name, reason in attempts)
    return PodSetResult("main", 1, {"cpu": 1}, reasons=("x",), attempts=found)


def test_the_mildest_obstacle_of_a_group_counts_and_the_hardest_of_the_groups() -> None:
    groups = (group("a", "b"), group("c", "d"))
    both = obstacles(
        ("a", "NoMatchingFlavor"),
        ("b", "WaitingForQuota"),
        ("c", "NoMatchingFlavor"),
        ("d", "ExceedsMaxQuota"),
    )
    assert hardest_obstacle([both], groups) == "ExceedsMaxQuota"
    assert hardest_obstacle([both], groups[:1]) == "WaitingForQuota"
    first_only = obstacles(("a", "WaitingForQuota"), ("b", "NoMatchingFlavor"))
    assert hardest_obstacle([first_only], groups) == "WaitingForQuota"
    assert hardest_obstacle([first_only, obstacles(("d", "ExceedsMaxQuota"))], groups) == (
        "ExceedsMaxQuota"
    )


def test_only_what_does_not_fit_is_an_obstacle() -> None:
    groups = (group("a"), group("c"))
    assert hardest_obstacle([], groups) == ""
    fits = PodSetResult("main", 1, {"cpu": 1}, attempts=(FlavorAttempt("a", Mode.Fit),))
    waiting = obstacles(("a", "WaitingForQuota"))
    assert hardest_obstacle([fits, waiting], groups) == "WaitingForQuota"
    mixed = PodSetResult(
        "main",
        1,
        {"cpu": 1},
        reasons=("x",),
        attempts=(
            FlavorAttempt("a", Mode.Preempt, no_fit_reason="NoMatchingFlavor"),
            FlavorAttempt("c", Mode.NoFit, no_fit_reason="WaitingForQuota"),
        ),
    )
    assert hardest_obstacle([mixed], groups) == "WaitingForQuota"


def test_without_any_flavor_none_matches() -> None:
    none = PodSetResult("main", 1, {"cpu": 1}, reasons=("x",))
    assert hardest_obstacle([none, obstacles(("a", "WaitingForQuota"))], (group("a"),)) == (
        "NoMatchingFlavor"
    )


# --- pod sets and assignments -------------------------------------------------------------


def test_the_worst_mode_of_a_pod_set_counts() -> None:
    fit, preempt = FlavorAssignment("f", Mode.Fit), FlavorAssignment("f", Mode.Preempt)
    assert PodSetResult("p", 1, {"cpu": 1}, {"cpu": preempt}).mode is Mode.Fit
    reasons = ("x",)
    assert PodSetResult("p", 1, {}, {"cpu": fit, "gpu": preempt}, reasons).mode is Mode.Preempt
    assert PodSetResult("p", 1, {}, {}, reasons).mode is Mode.NoFit
    assert PodSetResult("p", 1, {}, {"cpu": fit}, error="e").mode is Mode.NoFit


def test_a_pod_set_fails_where_it_requests_something_and_has_no_flavor() -> None:
    fit = FlavorAssignment("f", Mode.Fit)
    assert PodSetResult("p", 1, {"cpu": 1}).failed
    assert PodSetResult("p", 1, {"cpu": 1}, {"cpu": fit}, error="e").failed
    assert not PodSetResult("p", 1, {}).failed
    assert not PodSetResult("p", 1, {"cpu": 1}, {"cpu": fit}).failed


def test_an_assignment_adds_up_its_pod_sets() -> None:
    one = result("one", cpu=FlavorAssignment("f", Mode.Fit, 1, 0))
    two = result(
        "two",
        cpu=FlavorAssignment("f", Mode.Preempt, 2, -1),
        gpu=FlavorAssignment("g", Mode.Fit, 0, 1),
    )
    two.reasons = ("later", "earlier")
    made = assignment(one)
    assert made.mode is Mode.Fit
    made.add(two)
    assert made.mode is Mode.Preempt
    assert made.borrowing == 2
    assert made.usage == {("f", "cpu"): 12, ("g", "gpu"): 6}
    assert made.last.tried == ({"cpu": 0}, {"cpu": -1, "gpu": 1})
    assert made.contested() == (("f", "cpu"),)
    assert made.flavors_by_pod_set() == {"one": {"cpu": "f"}, "two": {"cpu": "f", "gpu": "g"}}
    assert made.message == "couldn't assign flavors to pod set two: earlier, later"
    made.set_mode(Mode.DeferredFit)
    assert made.mode is Mode.DeferredFit
    assert made.contested() == ()
    assert Assignment(LastAssignment((), 0, 1, "")).mode is Mode.NoFit


def test_a_resource_that_is_not_requested_uses_nothing() -> None:
    made = assignment(PodSetResult("p", 1, {}, {"cpu": FlavorAssignment("f", Mode.Fit)}))
    assert made.usage == {("f", "cpu"): 0}


def test_messages_name_every_pod_set_unless_one_failed_with_an_error() -> None:
    one, two = result("one"), result("two")
    one.reasons, two.reasons = ("a",), ("b",)
    assert assignment(one, result("fine"), two).message == (
        "couldn't assign flavors to pod set one: a; couldn't assign flavors to pod set two: b"
    )
    two.error = "boom"
    assert assignment(one, two).message == "failed to assign flavors to pod set two: boom"


def test_flavors_are_worth_a_word_unless_they_fit_without_borrowing() -> None:
    one, two, three = result("one"), result("two"), result("three")
    one.attempts = (
        FlavorAttempt("f", Mode.Fit),
        FlavorAttempt("g", Mode.Fit, 1),
        FlavorAttempt("h", Mode.Preempt, 0, "Reclaim", ("r", "s")),
    )
    two.attempts = (FlavorAttempt("f", Mode.NoFit, 0, "", ("r",)),)
    three.attempts = (FlavorAttempt("f", Mode.Fit),)
    assert assignment(one, two, three).flavors_considered == (
        "one: g(Fit;borrow=1), h(preemptionMode=Reclaim;r;s) | two: f(NoFit;r)"
    )


def test_what_is_needed_leaves_out_zeros_and_resources_without_a_flavor() -> None:
    fit = FlavorAssignment("f", Mode.Fit)
    one = PodSetResult("one", 1, {"cpu": 3}, {"cpu": fit, "gpu": fit})
    two = PodSetResult("two", 1, {"cpu": 3}, {"cpu": fit})
    made = assignment(one, two)
    requests = [
        PodSetRequests("one", 2, {"cpu": 6, "gpu": 0, "memory": 5}, {}),
        PodSetRequests("two", 1, {"cpu": 4}, {}),
        PodSetRequests("three", 1, {"cpu": 9}, {}),
    ]
    assert made.total_requests(requests) == {("f", "cpu"): 7}


def test_an_admission_has_flavors_usage_and_counts() -> None:
    admission = assignment(result(cpu=FlavorAssignment("f", Mode.Fit))).to_admission("cq")
    (found,) = admission.pod_set_assignments
    assert admission.cluster_queue == "cq"
    assert (found.name, found.flavors, found.resource_usage, found.count) == (
        "main",
        {"cpu": "f"},
        {"cpu": 6},
        2,
    )


def test_an_admission_has_its_domains_by_the_prefixes_of_hosts_unless_told_otherwise() -> None:
    found = result(cpu=FlavorAssignment("f", Mode.Fit))
    names = (f"{room}-with-a-long-name-{host}" for room in ("left", "right") for host in range(9))
    hosts = tuple(TopologyDomain((name,), 1) for name in names)
    found.topology = TopologyAssignment((HOSTNAME,), hosts)
    made = assignment(found)
    by_prefix, whole = (
        made.to_admission("cq", **options).pod_set_assignments[0].topology_assignment
        for options in ({}, {"hostname_prefixes": False})
    )
    assert by_prefix == found.topology.stored(by_hostname_prefix=True)
    assert whole == found.topology.stored(by_hostname_prefix=False)
    assert by_prefix != whole
