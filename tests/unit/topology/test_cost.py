"""What placing costs: it grows with what changed, not with all nodes, pods and attempts."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from topology_lab import asking, center, forest, placed, use

from kueuelab.bench import run_shape
from kueuelab.bench.shapes import TAS
from kueuelab.model import ObjectMeta, Resources, Workload
from kueuelab.topology import GroupSearch, capacity
from kueuelab.workload import WorkloadState

RACK = {"required": "rack"}


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often a leaf is counted."""
    calls: Counter[str] = Counter()
    count = capacity._count_in

    def counting(*args: Any, **more: Any) -> Any:
        calls["leaves"] += 1
        return count(*args, **more)

    monkeypatch.setattr(capacity, "_count_in", counting)
    return calls


def test_a_search_counts_only_the_hosts_that_changed_since_the_last_one(
    counted: Counter[str],
) -> None:
    made = forest(center({"b": {f"r{number}": (4,) * 10 for number in range(20)}}))
    placed(made, asking(3, RACK))
    assert counted == {"leaves": 200}
    placed(made, asking(3, RACK))
    assert counted == {"leaves": 200}
    use(made, "ns/w", "r3-n5", 2)
    use(made, "ns/v", "r7-n1", 4)
    # Two hosts have changed; another number of pods of the same kind shares the counts.
    placed(made, asking(30, RACK))
    assert counted == {"leaves": 202}


def test_what_a_workload_seeks_is_derived_once_for_all_its_attempts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    derived: Counter[str] = Counter()
    of = GroupSearch.of

    def counting(*args: Any) -> GroupSearch:
        derived["searches"] += 1
        return of(*args)

    monkeypatch.setattr(GroupSearch, "of", counting)
    classes = tuple(replace(kind, count=6) for kind in TAS.classes)
    tight = replace(TAS, cohorts=1, queues=2, classes=classes, racks=1, hosts=1)
    tally = run_shape(tight).tally
    assert tally.finished == tight.workloads
    assert tally.heads > tight.workloads
    assert derived["searches"] <= tight.workloads + tally.evictions


def test_a_new_spec_is_derived_anew() -> None:
    state = WorkloadState(Workload(ObjectMeta("a")), Resources())
    state.searches["key"] = ()
    state.refresh()
    assert state.searches
    state.set_obj(Workload(ObjectMeta("a")))
    assert not state.searches
