"""What would admit a workload that finds no place: another level, or a node more."""

from __future__ import annotations

import kueuelab as kl


def suggestions(name: str, workload: str, at: int) -> set[str]:
    lab = kl.scenarios.load(name)
    assert isinstance(lab, kl.Lab)
    text = str(lab.run(until=at).what_would_admit(f"default/{workload}"))
    lines = (line.partition(". ")[2] for line in text.splitlines())
    return {line.partition(" (admitted")[0] for line in lines if line}


def test_a_level_is_preferred_or_wider_and_a_domain_gets_a_node_more() -> None:
    found = suggestions("topology-1-required", "wide", 10)
    rack, block = "cloud.provider.com/topology-rack", "cloud.provider.com/topology-block"
    assert f"prefer one domain of {rack} instead of requiring it" in found
    assert f"require one domain of {block}, which is wider" in found
    assert "add a node like b1-r1-h1 to b1-r1" in found
    assert "add a node like b1-r2-h1 to b1-r2" in found


def test_without_a_wider_level_none_is_suggested() -> None:
    found = suggestions("topology-10-fragmentation", "big", 20)
    assert "add a node like r1-h1 to r1" in found
    assert not any(each.startswith("require one domain") for each in found)
