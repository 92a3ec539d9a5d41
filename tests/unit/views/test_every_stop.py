"""At each stop the decision panel has numbers or facts, and says what the step changes."""

from __future__ import annotations

import pytest

from kueuelab import scenarios
from kueuelab.trace import Trace
from kueuelab.views import Document
from kueuelab.views.frame.text import decision_text

#: README's scenario, and those of notebooks 02, 09 and 22.
SHOWN = (
    "reclaim-1-take-back",
    "queues-1-flavors-and-namespaces",
    "queues-2-first-come-first-served",
    "fair-1-three-teams",
    "fair-2-whose-job",
    "racks-1-levels",
)


@pytest.mark.parametrize("name", SHOWN)
def test_no_stop_is_empty(name: str) -> None:
    trace = scenarios.load(name).run().trace
    document = Document(trace)
    stops = trace.of_kind(*document.moves["decision"], *document.moves["cycle"])
    assert len(stops) > 20
    for index in (*range(document.start), *stops):
        frame = document.frame(index)
        said = decision_text(frame, len(trace), len(trace.cycles))
        assert "What this step changes:" in said
        assert ("changed" in frame) == bool(trace[index].changes) or trace[index].kind == "Woken"
    for index in stops:
        assert document.frame(index)["numbers"], (index, trace[index].kind)


def test_a_step_without_numbers_has_those_of_its_workload_in_the_cycle(late: Trace) -> None:
    document = Document(late)
    for index in late.of_kind("EntryProcessed"):
        cycle = late.cycle_at(index)
        assert cycle is not None
        considered = [
            place
            for place in late.of_kind("FlavorConsidered", "FitChecked")
            if cycle.first <= place < index and late[place].workload == late[index].workload
        ]
        frame = document.frame(index)
        assert frame["numbers"] == document.frame(considered[-1])["numbers"]
        assert frame["numbersOf"].startswith("From an earlier step of this cycle")


def test_going_back_and_stepping_on_say_the_same(late: Trace) -> None:
    maker = Document(late)
    whole = [maker.frame(index) for index in range(len(late))]
    for index in reversed(range(len(late))):
        assert maker.frame(index)["numbers" if "numbers" in whole[index] else "at"] == (
            whole[index].get("numbers") or whole[index]["at"]
        )


def test_what_changes_is_said_in_words(late: Trace) -> None:
    document = Document(late)
    evicted = late.of_kind("Evicted")[0]
    frame = document.frame(evicted)
    assert frame["changed"].splitlines()[0] == "job-1: Admitted → Evicted"
    assert "What this step changes:\n  job-1: Admitted → Evicted" in decision_text(frame, 103, 5)
    held = document.frame(late.of_kind("QuotaHeld")[0])["changed"].splitlines()[0]
    assert held == "team-a: 0 → 200m cpu/default in the snapshot"


def test_a_workload_that_was_evicted_waits_since_then() -> None:
    trace = scenarios.load("reclaim-1-take-back").run().trace
    released = trace.of_kind("QuotaReleased")[0]
    numbers = dict(Document(trace).frame(released)["numbers"].values())
    assert numbers["waiting"] == "since 7s, for 0s"
    assert numbers["requests"] == "500m cpu"


def test_where_no_time_goes_by_there_is_no_chart() -> None:
    for name in scenarios.names():
        trace = scenarios.load(name).run().trace
        data = Document(trace).as_data()
        assert bool(data["charts"]) == (trace[-1].time > trace[0].time), name
