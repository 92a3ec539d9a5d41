"""What the drawer of a workload shows of its job's slices, of variants and of devices."""

from __future__ import annotations

from kueuelab import scenarios
from kueuelab.messages import english
from kueuelab.session.run_facts import RunFacts
from kueuelab.session.workload_details import workload_details
from kueuelab.whatif.lab import Lab


def facts_of(name: str, until: float) -> RunFacts:
    lab = scenarios.load(name)
    assert isinstance(lab, Lab)
    return RunFacts(lab.run(until=until), english())


def test_slices_of_a_job_have_one_history() -> None:
    found = workload_details(facts_of("elastic-scale-up", 70), "default/train-3")
    group = found.group
    assert group is not None
    assert (group.kind, group.group) == ("slices", "default/train")
    assert group.title == "The slices of elastic job train"
    assert [(each.name, each.state, each.is_shown) for each in group.members] == [
        ("train", "Replaced", False),
        ("train-2", "Admitted", False),
        ("train-3", "Pending", True),
    ]
    assert group.members[1].about == "8 pods"
    assert "2 more needed" in group.members[2].about
    said = [event.text for event in found.life]
    assert said[0].startswith("train: submitted to team-jobs")
    assert any(text.startswith("train-2: admitted by team") for text in said)
    assert [event.step for event in found.life] == sorted(event.step for event in found.life)
    same = workload_details(facts_of("elastic-scale-up", 70), "default/train")
    assert same.life == found.life


def test_variants_race_with_their_flavors() -> None:
    found = workload_details(facts_of("concurrent-race", 40), "default/train")
    group = found.group
    assert group is not None
    assert group.title == "The variants of train race for admission"
    assert [(each.name, each.state) for each in group.members] == [
        ("reserved", "Races"),
        ("on-demand", "Won"),
        ("spot", "Lost"),
    ]
    assert "being below lastAcceptableFlavor" in group.members[2].about
    said = [event.text for event in found.life]
    assert said[0] == "submitted to team-jobs, priority 0"
    assert "spot: admitted by team: main (1 pod: cpu/spot)" in said
    ended = workload_details(facts_of("concurrent-race", 999), "default/train").group
    assert ended is not None
    assert [each.state for each in ended.members] == ["Won", "Lost", "Lost"]


def test_devices_are_a_part_of_the_arithmetic() -> None:
    found = workload_details(facts_of("devices-by-class", 20), "default/wide")
    assert found.group is None
    assert found.devices == "Its devices count against quota: 1 gpus for each pod of main."
    sums = {each.resource: each for each in found.arithmetic}
    assert sums["gpus"].missing.text == "2"
    assert workload_details(facts_of("elastic-scale-up", 5), "default/report").devices == ""
