"""Where Kueue leaves the outcome to chance, a run says so, and another seed gives another."""

from __future__ import annotations

from typing import Any

import pytest

from kueuelab.manifests import load_scenario
from kueuelab.simulation import Scenario
from kueuelab.trace.diff import diff
from kueuelab.trace.export import trace_to_json

SEEDS = range(24)
FAIR = {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]}


def cohorts(*names: str, weight: str = "1") -> list[dict[str, Any]]:
    """Return a team in each cohort that borrows what the owner below ``all`` lends."""
    found: list[dict[str, Any]] = [
        obj("Cohort", "all", {}),
        obj("ResourceFlavor", "f", {}),
        *queue("owner", "all", "2"),
    ]
    for name in names:
        fair = {"fairSharing": {"weight": weight if name == names[-1] else "1"}}
        found.append(obj("Cohort", name, {"parentName": "all", **fair}))
        found += queue(f"team-{name}", name, "0")
    return found


def obj(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    api = "kueue.x-k8s.io/v1beta2"
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name}, "spec": spec}


def queue(name: str, cohort: str, cpu: str, **spec: Any) -> list[dict[str, Any]]:
    quota = {"name": "f", "resources": [{"name": "cpu", "nominalQuota": cpu}]}
    whole = {
        "namespaceSelector": {},
        "cohortName": cohort,
        "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [quota]}],
        "preemption": {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"},
        **spec,
    }
    return [obj("ClusterQueue", name, whole), obj("LocalQueue", name, {"clusterQueue": name})]


def scenario(
    objects: list[dict[str, Any]], jobs: list[tuple[float, str, str]], **configuration: Any
) -> Scenario:
    timeline = [
        {"at": f"{at}s", "submit": {"job": name, "queue": queue, "requests": {"cpu": "1"}}}
        for at, name, queue in jobs
    ]
    spec = {"configuration": configuration, "manifests": objects, "timeline": timeline}
    return Scenario(
        load_scenario(
            {
                "apiVersion": "kueuelab/v1",
                "kind": "Scenario",
                "metadata": {"name": "chance"},
                "spec": spec,
            }
        )
    )


def fair(weight: str = "1") -> Scenario:
    jobs = [(0.0, "a0", "team-a"), (1.0, "b0", "team-b"), (2.0, "mine", "owner")]
    return scenario(cohorts("a", "b", weight=weight), jobs, fairSharing=FAIR)


def preempted(given: Scenario, seed: int | None) -> str:
    events = given.run(chance=seed).events
    (victim,) = (event.object for event in events if event.reason == "Preempted")
    return victim.removeprefix("default/")


def test_cohorts_with_the_same_share_give_targets_by_chance() -> None:
    given = fair()
    chances = given.run().chances()
    assert {chance.kind for chance in chances} == {"cohort"}
    assert {chance.outcomes for chance in chances} == {("a", "b")}
    assert {preempted(given, seed) for seed in SEEDS} == {"a0", "b0"}
    assert preempted(given, None) == "b0"  # the last one by name, as ever


def test_different_shares_leave_nothing_to_chance() -> None:
    given = fair(weight="2")
    assert given.run().chances() == ()
    assert {preempted(given, seed) for seed in SEEDS} == {"a0"}


@pytest.mark.parametrize("configuration", [{}, {"fairSharing": FAIR}], ids=["classical", "fair"])
def test_heads_of_one_second_go_in_any_order(configuration: dict[str, Any]) -> None:
    objects = [obj("ResourceFlavor", "f", {}), *queue("lender", "one", "1")]
    objects += [*queue("x", "one", "0"), *queue("y", "one", "0")]
    given = scenario(objects, [(0, "jx", "x"), (0, "jy", "y")], **configuration)
    (chance, *_) = given.run().chances()
    assert chance.kind == "order"
    assert len(chance.outcomes) == 2
    assert "by chance" in str(chance)

    def first(seed: int | None) -> str:
        return next(e.object for e in given.run(chance=seed).events if e.reason == "Admitted")

    assert len({first(seed) for seed in SEEDS}) == 2


def test_the_order_of_independent_heads_is_no_chance() -> None:
    objects = [obj("ResourceFlavor", "f", {}), *queue("x", "one", "1"), *queue("y", "two", "1")]
    given = scenario(objects, [(0, "jx", "x"), (0, "jy", "y")])
    assert given.run().chances() == ()


def test_a_seed_gives_the_same_run_again() -> None:
    given = fair()
    first, second = (trace_to_json(given.run(chance=7).trace) for _ in range(2))
    assert first == second


def test_an_explanation_says_what_was_left_to_chance() -> None:
    run = fair().run()
    for workload in ("default/mine", "default/b0"):
        section = run.why(workload).section("chance")
        assert section is not None
        said = "a and b have the same share: targets for default/mine come from b by chance"
        assert any(line.text.endswith(said) for line in section.lines)
    assert run.why("default/a0").section("chance") is None
    assert fair(weight="2").run().why("default/mine").section("chance") is None


def test_runs_that_differ_by_chance_say_so() -> None:
    given = fair()
    other = next(seed for seed in SEEDS if preempted(given, seed) == "a0")
    found = diff(given.run().trace, given.run(chance=other).trace)
    assert found.divergence is not None
    assert {chance.chosen for chance in found.divergence.chances} == {"b", "a"}
    assert "Kueue leaves this to chance" in found.as_text()
    assert found.as_data()["firstDecision"]["chances"]


def test_runs_that_differ_for_another_reason_do_not_speak_of_chance() -> None:
    jobs = [(0.0, "a0", "team-a"), (1.0, "b0", "team-b")]
    one = scenario(cohorts("a", "b"), jobs, fairSharing=FAIR)
    other = scenario(cohorts("a", "b"), jobs[:1], fairSharing=FAIR)
    assert "chance" not in diff(one.run().trace, other.run().trace).as_text()
