"""Recorded scenarios of real clusters: every one of them is among the ways it goes here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kueuelab.conformance import check_file
from kueuelab.conformance.multikueue import Recording, differences_of, is_recording, read_recording
from kueuelab.errors import Location

_FOLDER = Path(__file__).parent / "recorded"
_FILES = sorted(_FOLDER.glob("*.json.gz"))


@pytest.mark.parametrize("path", _FILES, ids=lambda path: path.name.removesuffix(".json.gz"))
def test_recorded(path: Path) -> None:
    outcome = check_file(path)
    assert not outcome.problems
    for result in outcome.results:
        assert result.verdict == "passed", [
            (d.where, d.expected, d.got) for d in result.differences[:5]
        ]


def _recording(name: str) -> tuple[dict[str, Any], Recording]:
    data = read_recording(_FOLDER / f"{name}.json.gz")
    return data, Recording(name, data, Location(name))


def test_a_fact_that_did_not_happen_is_missed() -> None:
    data, recording = _recording("02-all-at-once-one-has-room")
    data["observed"].append(
        {
            "t": 9.9,
            "t2": 9.9,
            "cluster": "w1",
            "kind": "Job",
            "name": "a",
            "fact": "created",
            "write": 999,
        }
    )
    found = differences_of(recording)
    assert any("w1 Job a: created" in str(d.expected) for d in found)


def test_facts_in_another_order_are_noticed() -> None:
    data, recording = _recording("02-all-at-once-one-has-room")
    first = next(f for f in data["observed"] if f["fact"] == "suspend=false")
    first["t"] = first["t2"] = 9.9
    data["observed"].remove(first)
    data["observed"].append(first)
    data["racy"] = []
    assert any(d.path[0] == "order" for d in differences_of(recording))


def test_another_end_is_noticed() -> None:
    data, recording = _recording("02-all-at-once-one-has-room")
    data["final"]["w2"]["clusterQueues"][0]["pendingWorkloads"] = 7
    assert [d.where for d in differences_of(recording)] == [
        "final[w2].clusterQueues[cq].pendingWorkloads"
    ]


def test_what_is_no_recording_is_left_to_others(tmp_path: Path) -> None:
    other = tmp_path / "cases.json"
    other.write_text(json.dumps([{"name": "a"}]), encoding="utf-8")
    assert not is_recording(other)
    damaged = tmp_path / "damaged.json"
    damaged.write_text('{"observed": [], "clusters": {}}', encoding="utf-8")
    outcome = check_file(damaged)
    assert [problem.field for problem in outcome.problems][:1] == ["configuration"]
