"""Comparing records: equal to themselves, and every change of a value is found."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kueuelab.conformance.cases import Case, read_cases
from kueuelab.conformance.compare import ABSENT, Level, compare_step

RECORDED = Path(__file__).parents[2] / "conformance" / "curated.jsonl.gz"


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return list(read_cases(RECORDED))


def record(**fields: Any) -> dict[str, Any]:
    return {"op": "cycle", "time": "2026-01-01T00:00:00Z", "cycles": [], "events": [], **fields}


def wheres(expected: Any, got: Any, level: Level = Level.ALL) -> list[str]:
    return [difference.where for difference in compare_step(0, expected, got, level)]


def entry(name: str, **fields: Any) -> dict[str, Any]:
    return {"workload": name, "clusterQueue": "q", "status": "assumed", "mode": "Fit", **fields}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Go through the paths of all values without parts."""
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from places(item, (*path, key))
    else:
        yield path


def replaced(value: Any, path: tuple[Any, ...]) -> Any:
    """Copy a record and change the value at one place."""
    changed = copy.deepcopy(value)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    old = inner[path[-1]]
    inner[path[-1]] = not old if isinstance(old, bool) else 7 if isinstance(old, int) else "other"
    return changed


def test_every_record_equals_itself(cases: list[Case]) -> None:
    for case in cases:
        for step in case.expect:
            again = json.loads(json.dumps(step))
            again["extra"] = "makes the two unequal, so that everything is walked"
            assert wheres(step, again) == []


def test_every_change_is_found(cases: list[Case]) -> None:
    checked = 0
    for case in cases[::4]:
        for step in case.expect[:3]:
            for path in places(step):
                found = list(compare_step(0, step, replaced(step, path)))
                assert found, path
                checked += 1
    assert checked > 1000


def test_what_is_left_out_and_what_is_put_in_are_found() -> None:
    one = record(cycles=[{"heads": ["d/a"], "entries": [entry("d/a")]}])
    two = record(cycles=[{"heads": ["d/a"], "entries": [entry("d/a"), entry("d/b")]}])
    (missing,) = compare_step(0, two, one)
    assert (missing.where, missing.got) == ("cycles[0].entries[d/b]", ABSENT)
    (extra,) = compare_step(0, one, two)
    assert (extra.where, extra.expected) == ("cycles[0].entries[d/b]", ABSENT)
    assert wheres(record(cycles=[{"heads": []}]), record()) == ["cycles[0]"]


def test_order_of_processing_is_one_difference() -> None:
    expected = record(cycles=[{"heads": [], "entries": [entry("d/a"), entry("d/b")]}])
    got = record(cycles=[{"heads": [], "entries": [entry("d/b"), entry("d/a", status="skipped")]}])
    order, status = compare_step(0, expected, got)
    assert (order.where, order.field) == ("cycles[0].entries.order", "cycles.entries.order")
    assert (order.expected, order.got) == (["d/a", "d/b"], ["d/b", "d/a"])
    assert status.where == "cycles[0].entries[d/a].status"


def test_absence_means_what_the_format_says() -> None:
    sparse = record(cycles=[{"heads": [], "entries": [entry("d/a")]}])
    full = record(
        cycles=[
            {
                "heads": [],
                "blocked": False,
                "entries": [entry("d/a", isPreemptor=False, message="", targets=[], podSets=[])],
                "inadmissible": [],
            }
        ],
        skipped=False,
    )
    assert wheres(sparse, full) == wheres(full, sparse) == []


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("1", "1000m", True),
        ("1Gi", "1024Mi", True),
        ("1", "1001m", False),
        ("unlimited", "unlimited", True),
        ("unlimited", "9223372036854775807", False),
    ],
)
def test_quantities_count_by_value(left: str, right: str, same: bool) -> None:
    def state(quantity: str) -> dict[str, Any]:
        return {"cohorts": {"c": {"usage": {"f": {"cpu": quantity}}, "subtreeQuota": {}}}}

    found = wheres(record(state=state(left)), record(state=state(right)))
    assert found == ([] if same else ["state.cohorts[c].usage[f][cpu]"])


def test_times_and_shares_count_by_value() -> None:
    def step(time: str, share: str) -> dict[str, Any]:
        return record(time=time, state={"cohorts": {"c": {"preciseWeightedShare": share}}})

    assert (
        wheres(step("2026-01-01T00:00:00Z", "0.50"), step("2026-01-01T01:00:00+01:00", "0.5")) == []
    )
    assert wheres(step("2026-01-01T00:00:00Z", "+Inf"), step("2026-01-01T00:00:00Z", "1")) == [
        "state.cohorts[c].preciseWeightedShare"
    ]


def test_events_are_matched_by_what_they_are_about() -> None:
    def event(name: str, message: str = "m") -> dict[str, str]:
        return {"type": "Normal", "reason": "Admitted", "message": message, "object": name}

    expected = record(events=[event("d/a"), event("d/b"), event("d/c")])
    got = record(events=[event("d/a"), event("d/c", "other")])
    assert wheres(expected, got) == ["events[1]", "events[2].message"]
    assert wheres(expected, got, Level.DECISIONS) == []


def test_level_decisions_leaves_words_out() -> None:
    def step(word: str, name: str = "q") -> dict[str, Any]:
        attempt = {"flavor": word, "mode": "Fit", "borrow": 0, "reasons": [word]}
        pod_set = {"name": "main", "count": 1, "reasons": [word], "flavorAttempts": [attempt]}
        condition = {"type": "Evicted", "status": "True", "reason": "Preempted", "message": word}
        return record(
            cycles=[{"heads": [], "entries": [entry("d/a", message=word, podSets=[pod_set])]}],
            state={"workloads": {"d/a": {"admission": None, "conditions": [condition]}}},
            events=[{"message": word}],
        )

    assert len(wheres(step("a"), step("b"))) == 6
    assert wheres(step("a"), step("b"), Level.DECISIONS) == []


def test_fields_that_a_later_format_adds_are_compared() -> None:
    assert wheres(record(novelty=1), record()) == ["novelty"]
    assert wheres(record(novelty=1), record(), Level.DECISIONS) == []


def test_records_of_the_wrong_kind_are_differences_and_no_errors() -> None:
    assert wheres(record(events="none", cycles=3, state=[]), record(state={})) == [
        "cycles",
        "events",
        "state",
    ]
