"""A large input is shown as it was read, and decided when more is asked for."""

from __future__ import annotations

import io
import json
from functools import cache
from typing import Any

import pytest

from kueuelab import scenarios
from kueuelab.bench.cluster_dump import DumpShape, write_dump
from kueuelab.progress import WorkStopped
from kueuelab.session.handler import Handler
from kueuelab.session.opened_input import OpenedInput
from kueuelab.whatif.lab import Lab

#: More workloads than an input has that is decided at once.
SHAPE = DumpShape(queues=10, pending=490, admitted=20)


@cache
def dump() -> str:
    text = io.StringIO()
    write_dump(SHAPE, text)
    return text.getvalue()


def opened(text: str, **more: Any) -> tuple[Handler, dict[str, Any]]:
    handler = Handler()
    command = {"do": "open", "name": "dump.json", "text": text, "decide": False}
    handler.answer(command | more)
    return handler, handler.answer({"do": "load"})["branches"][-1]


def test_what_was_read_is_told_as_it_is_and_decided_when_more_is_asked() -> None:
    handler, branch = opened(dump())
    assert branch["stage"] == "read"
    assert branch["about"] == "5,100 workloads, as read"
    overview = handler.answer({"do": "overview"})
    assert overview["pending"] == 4_900
    assert "evicted" not in [each["id"] for each in overview["figures"]]
    causes = overview["causes"]
    cause = causes[0]
    assert sum(each["count"] for each in causes) == 4_900
    assert cause["title"].startswith("Kueue said: couldn't assign flavors")
    table = handler.answer({"do": "workloads", "cause": cause["id"], "count": 1})
    assert table["found"] == cause["count"]
    (row,) = table["rows"]
    assert row["why"].startswith("Kueue says: couldn't assign flavors")
    details = handler.answer({"do": "workload", "workload": row["workload"]})
    assert "Kueue says" in details["sentence"]
    assert not handler.history.present.branches[-1].decided

    handler.answer({"do": "levers", "workload": row["workload"]})
    (after,) = handler.answer({"do": "hello"})["opened"]["branches"]
    assert after["stage"] == "decided"
    # It ran as if it had run at once, and that is no change which could be undone.
    whole, at_once = opened(dump(), decide=True)
    assert after == at_once
    assert handler.answer({"do": "overview"}) == whole.answer({"do": "overview"})
    assert not handler.answer({"do": "undo"})["branches"]
    assert handler.answer({"do": "redo"})["branches"][-1]["stage"] == "decided"


def test_a_run_that_is_stopped_leaves_what_was_read() -> None:
    handler, _ = opened(dump())
    before = handler.answer({"do": "overview"})

    def turn() -> None:
        raise WorkStopped

    with pytest.raises(WorkStopped):
        handler.reply(json.dumps({"do": "decide"}), turn=turn)
    assert not handler.history.present.branches[-1].decided
    assert handler.answer({"do": "overview"}) == before
    assert handler.answer({"do": "decide"})["branches"][-1]["stage"] == "decided"


def test_a_small_input_is_decided_at_once() -> None:
    handler, branch = opened(scenarios.text("reclaim-1-take-back"), name="take-back.yaml")
    assert branch["stage"] == "decided"
    assert handler.answer({"do": "decide"})["branches"] == [branch]


@pytest.mark.parametrize("name", scenarios.dumps())
def test_what_is_read_is_the_first_state_of_the_run(name: str) -> None:
    lab = Lab(OpenedInput(scenarios.dump(name)).spec())
    read, run = lab.as_read().trace, lab.run().trace
    assert len(read) <= len(run)
    assert read.cycles == ()
    last = len(read) - 1
    assert list(read.steps[:last]) == list(run.steps[:last])
    assert read[last].facts == run[last].facts
    phases = [
        {key: view.phase for key, view in trace.state_at(last).workloads.items()}
        for trace in (read, run)
    ]
    assert phases[0] == phases[1]


def test_many_causes_are_one_for_all_queues() -> None:
    text = io.StringIO()
    write_dump(DumpShape(queues=60, pending=4, admitted=3), text)
    handler, _ = opened(text.getvalue())
    causes = handler.answer({"do": "overview"})["causes"]
    merged = [each for each in causes if "ClusterQueues" in each["title"]]
    assert merged
    assert len(causes) < 40
    assert sum(each["count"] for each in causes) == handler.answer({"do": "overview"})["pending"]
    for each in causes:
        table = handler.answer({"do": "workloads", "cause": each["id"]})
        assert (table["found"], table["cause"]) == (each["count"], each["title"])
