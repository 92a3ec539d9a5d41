"""A decision that Kueue leaves to chance is no difference, whichever way it went."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "simulation"))
from simulation_lab import flavor, local, queue

from kueuelab.live.decisions import ObservedDecision
from kueuelab.live.redecide import Redecider
from kueuelab.manifests import load_scenario
from kueuelab.model import (
    Admission,
    Condition,
    Configuration,
    FairSharing,
    PodSetAssignment,
    Workload,
    WorkloadStatus,
)
from kueuelab.model.times import SECOND

NOW = 1_800_000_000 * SECOND
KUEUE = "kueue.x-k8s.io/v1beta2"


def redecider() -> Redecider:
    """Return two teams that borrowed one cpu each, and the owner's job that wants one back."""
    objects = [{"kind": "Cohort", "metadata": {"name": "all"}, "spec": {}}, flavor()]
    reclaim = {"reclaimWithinCohort": "Any"}
    for name, cohort, cpu in (("owner", "all", "2"), ("team-a", "a", "0"), ("team-b", "b", "0")):
        if cohort != "all":
            parent = {"parentName": "all"}
            objects.append({"kind": "Cohort", "metadata": {"name": cohort}, "spec": parent})
        objects += [queue(name, cpu, cohortName=cohort, preemption=reclaim), local(name, name)]
    container = {"name": "main", "resources": {"requests": {"cpu": "1"}}}
    pods = {"name": "main", "count": 1, "template": {"spec": {"containers": [container]}}}
    for name, queue_name in (("a0", "team-a"), ("b0", "team-b"), ("mine", "owner")):
        spec = {"queueName": queue_name, "podSets": [pods]}
        objects.append({"kind": "Workload", "metadata": {"name": name, "uid": name}, "spec": spec})
    manifests = load_scenario([{"apiVersion": KUEUE, **each} for each in objects]).manifests
    strategies = ("LessThanOrEqualToFinalShare", "LessThanInitialShare")
    found = Redecider(Configuration(fair_sharing=FairSharing(strategies)), NOW)
    assigned = PodSetAssignment("main", {"cpu": "default"}, {"cpu": 1000}, 1)
    reserved = (Condition("QuotaReserved", "True", "QuotaReserved", "", NOW),)
    loaded = []
    for objs in manifests.objects.values():
        for obj in objs:
            if isinstance(obj, Workload) and obj.metadata.name != "mine":
                status = WorkloadStatus(reserved, Admission(obj.queue_name, (assigned,)))
                loaded.append(replace(obj, status=status))
            else:
                loaded.append(obj)
    found.state.load(loaded)
    return found


@pytest.mark.parametrize(("target", "by_chance"), [("b0", False), ("a0", True)])
def test_either_of_two_equal_cohorts_may_give_the_target(target: str, by_chance: bool) -> None:
    observed = ObservedDecision(
        "default/mine", NOW, target=f"default/{target}", reason="InCohortReclamation"
    )
    decision = redecider().decide(observed)
    assert decision.agrees, decision
    assert decision.by_chance is by_chance
    assert ("Kueue leaves it to chance" in str(decision)) is by_chance


def test_what_chance_does_not_give_differs() -> None:
    observed = ObservedDecision(
        "default/mine", NOW, target="default/a0", reason="InCohortFairSharing"
    )
    assert not redecider().decide(observed).agrees
