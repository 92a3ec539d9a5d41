"""A job with its slices is one chip that grows; variants of a workload are parts of one chip."""

from __future__ import annotations

from typing import Any

import pytest

from kueuelab import scenarios
from kueuelab.views import Document
from kueuelab.views.frame.text import picture_text, queues_text

BAR = "q:team|default|cpu"


@pytest.fixture(scope="module")
def elastic() -> Document:
    return Document(scenarios.load("elastic-scale-up").run())


@pytest.fixture(scope="module")
def race() -> Document:
    return Document(scenarios.load("concurrent-race").run())


def at(document: Document, kind: str, workload: str, number: int = 0) -> dict[str, Any]:
    """Return the frame of a step of a kind about a workload."""
    trace = document.run_index.trace
    found = [index for index in trace.of_kind(kind) if trace[index].workload == workload]
    return document.frame(found[number])


def chips_of(frame: dict[str, Any], group: str) -> list[dict[str, Any]]:
    return [chip for chip in frame.get("chips", {}).values() if chip.get("group") == group]


def test_a_job_has_one_chip_in_a_bar_at_every_step(elastic: Document) -> None:
    amounts = []
    for index in range(len(elastic.run_index.trace)):
        frame = elastic.frame(index)
        chips = [chip for chip in chips_of(frame, "default/train") if chip.get("bar") == BAR]
        assert len(chips) <= 1
        cycle = frame["at"]["cycle"]
        amounts += [chip["amount"] // 1000 for chip in chips if not cycle]
    assert list(dict.fromkeys(amounts)) == [4, 8, 6]


def test_the_slice_that_is_admitted_is_a_part_of_its_job(elastic: Document) -> None:
    held = at(elastic, "QuotaHeld", "default/train-2", 1)
    (chip,) = (chip for chip in chips_of(held, "default/train") if "bar" in chip)
    assert chip["amount"] == 8000
    assert chip["workload"] == "default/train"
    assert chip["parts"]["default/train"] == {"amount": 4000, "phase": "Admitted"}
    assert chip["parts"]["default/train-2"]["reserved"]
    assert "train 8 p5 [slices: train 4, train-2 4 (reserved)]" in picture_text(held)


def test_a_slice_that_waits_shows_what_it_adds(elastic: Document) -> None:
    pending = at(elastic, "Pending", "default/train-3")
    (chip,) = (chip for chip in chips_of(pending, "default/train") if "queue" in chip)
    assert (chip["asks"], chip["adds"]) == ({"cpu": 12_000}, {"cpu": 4_000})
    assert chip["parts"] == {"default/train-3": {"replaces": "default/train-2"}}
    scaled = at(elastic, "SliceScaled", "default/train-3")
    (chip,) = (chip for chip in chips_of(scaled, "default/train") if "queue" in chip)
    assert (chip["asks"], chip["adds"]) == ({"cpu": 6_000}, {"cpu": 0})


def test_variants_are_parts_of_one_chip_by_the_order_of_flavors(race: Document) -> None:
    created = at(race, "Admitted", "default/train")
    (waiting,) = (chip for chip in chips_of(created, "default/train") if "queue" in chip)
    parts = [(part["flavor"], part["outcome"]) for part in waiting["parts"].values()]
    assert parts == [("reserved", "waits"), ("on-demand", "waits")]
    (held,) = (chip for chip in chips_of(created, "default/train") if "bar" in chip)
    assert held["bar"] == "q:team|spot|cpu"
    assert [part["outcome"] for part in held["parts"].values()] == ["won"]
    text = picture_text(created)
    assert "train 4 p0 [variants: spot (won)]" in text
    assert "train 4 p0 [variants: reserved (races, inadmissible), on-demand" in text


def test_a_variant_that_lost_is_shown_beside_those_that_race(race: Document) -> None:
    migrated = at(race, "Admitted", "default/train", 1)
    (waiting,) = (chip for chip in chips_of(migrated, "default/train") if "queue" in chip)
    outcomes = {part["flavor"]: part["outcome"] for part in waiting["parts"].values()}
    assert outcomes == {"reserved": "waits", "spot": "lost"}
    # Where all are decided, nothing waits.
    last = at(race, "Admitted", "default/train", 2)
    assert [chip for chip in chips_of(last, "default/train") if "queue" in chip] == []


def test_the_table_of_a_queue_has_each_variant(race: Document) -> None:
    lines = queues_text(at(race, "Pending", "default/train-variant-on-demand-7cf25")).splitlines()
    named = [line for line in lines if "default/train-variant" in line]
    assert len(named) == 3
    # The parent itself neither queues nor counts.
    assert not any(" default/train " in line for line in lines)
