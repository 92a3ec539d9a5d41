"""The compact file of a record: the same steps, the same bytes, and harmless when it is damaged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.bench.cluster_dump import DumpShape, dump_objects
from kueuelab.errors import InputError
from kueuelab.trace.compact_reading import steps_of
from kueuelab.trace.dump_summary import dump_summary
from kueuelab.trace.explain import why
from kueuelab.trace.export import (
    load_trace,
    trace_from_json,
    trace_to_json,
    write_trace,
)
from kueuelab.trace.state import StateWriter
from kueuelab.trace.statistics import statistics
from kueuelab.trace.step import Step
from kueuelab.trace.step_list import StepBlock, StepList, Stored
from kueuelab.trace.trace import Trace
from kueuelab.views.run_index import RunIndex
from kueuelab.views.timeline import timeline_of

#: A value of each type, numbers beyond any table, and half a character.
VALUES = (None, -1, 10**9, 2**63, 10**30, 1.5, "", "x", True, [], {}, ["x"], {"x": 1}, [None])
#: What a compact file consists of, next to names and versions.
SECTIONS = (
    "facts",
    "nodes",
    "ranks",
    "runs",
    "steps",
    "changes",
    "paths",
    "values",
    "texts",
)


def text_of(trace: Trace) -> str:
    stream = StringIO()
    write_trace(trace, stream)
    return stream.getvalue()


def record_of(queues: int) -> Trace:
    lab: Any = kl.load(list(dump_objects(DumpShape(queues))))
    trace: Trace = lab.run().trace
    return trace


DUMP = record_of(12)
TEXT = text_of(DUMP)


def assert_states_are_those_of_the_steps(trace: Trace) -> None:
    """Check the states that are kept while a file is read, names in order, too."""
    found = trace_from_json(text_of(trace))
    assert len(found.frames.steps) > 2
    writer, kept = StateWriter(), dict(zip(found.frames.steps, found.frames.states, strict=True))
    assert kept.pop(-1) == {}
    for step in trace.steps.stored:
        writer.apply(step)
        if step.index in kept:
            assert json.dumps(kept.pop(step.index)) == json.dumps(writer.state())
    assert not kept


@pytest.mark.parametrize(
    "name", ["cluster-deleted", "lost-worker", "loop-3-each-preempts-the-other", "racks-1-levels"]
)
def test_states_are_kept_while_a_scenario_is_opened(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kueuelab.trace.compact_changes._CLOSEST", 3)
    assert_states_are_those_of_the_steps(scenarios.load(name).run().trace)


def test_states_are_kept_while_a_dump_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kueuelab.trace.compact_changes._CLOSEST", 3)
    assert_states_are_those_of_the_steps(DUMP)


@pytest.mark.parametrize("name", [*scenarios.names(), *scenarios.names("multikueue")])
def test_steps_state_and_bytes_stay(name: str) -> None:
    trace = scenarios.load(name).run().trace
    text = text_of(trace)
    found = trace_from_json(text)
    assert trace_to_json(found) == trace_to_json(trace)
    assert found.raw_at(len(found) - 1) == trace.raw_at(len(trace) - 1)
    assert text_of(found) == text


def test_what_searches_share_stays_shared() -> None:
    found = trace_from_json(TEXT)
    assert found == DUMP
    assert len(found.steps.stored) == len(DUMP.steps.stored)
    assert text_of(found) == TEXT
    workload = DUMP[DUMP.of_kind("Requeued")[-1]].workload
    assert str(why(found, workload)) == str(why(DUMP, workload))


def test_a_file_does_not_grow_with_the_square_of_the_cluster() -> None:
    """Steps do: each search looks at the whole cluster. What searches share is there once."""
    bytes_of_a_step, rows_of_a_step = [], []
    for queues in (10, 40):
        trace = record_of(queues)
        text = text_of(trace)
        document = json.loads(text)
        rows = sum(table["count"] for table in document["facts"].values())
        bytes_of_a_step.append(len(text) / len(trace))
        rows_of_a_step.append(rows / len(trace))
        # What was there before a change is known from the change before.
        assert document["changes"]["before"] == []
    assert bytes_of_a_step[1] < bytes_of_a_step[0] * 0.75
    assert rows_of_a_step[1] < rows_of_a_step[0] * 0.75


def test_cycles_that_repeat_each_other_take_no_room() -> None:
    """Facts, values and searches are in a file once, however many cycles state them."""
    document = json.loads(TEXT)
    once = StepList()
    for entry in (*DUMP.steps.stored, *record_of(12).steps.stored):
        once.append(replace(entry, index=len(once), **_no_changes(entry)))
    twice = json.loads(text_of(Trace(once)))
    assert twice["nodes"] == document["nodes"]
    assert twice["facts"] == document["facts"]


def _no_changes(entry: Stored) -> dict[str, Any]:
    return {"changes": ()} if isinstance(entry, Step) else {}


def test_more_steps_than_there_are_are_refused() -> None:
    document = json.loads(TEXT)
    document["runs"]["count"][0] = 2**40
    with pytest.raises(InputError, match="where"):
        trace_from_json(json.dumps(document))


@pytest.mark.parametrize("ending", [".json", ".json.gz"])
def test_files(tmp_path: Path, ending: str) -> None:
    files = [tmp_path / f"{name}{ending}" for name in "ab"]
    for file in files:
        write_trace(DUMP, file)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert load_trace(files[0]) == DUMP


def test_statistics_and_summaries_separate_no_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a large cluster the verdicts of searches are hundreds of millions of steps."""
    monkeypatch.setattr(StepBlock, "__iter__", None)
    assert list(dump_summary(DUMP))
    assert statistics(DUMP)
    assert timeline_of(RunIndex(DUMP)).workloads


def test_states_one_after_the_other_apply_each_step_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found = trace_from_json(TEXT)
    last = found.raw_at(len(found) - 1)
    applied = []
    whole = StateWriter.apply
    monkeypatch.setattr(
        StateWriter, "apply", lambda self, step: applied.append(step) or whole(self, step)
    )
    places = range(0, len(found), 3)
    states = [found.raw_at(index) for index in places]
    assert len(applied) < 2 * len(found.steps.stored)
    monkeypatch.undo()
    fresh = trace_from_json(TEXT)
    for index, state in list(zip(places, states, strict=True))[::97]:
        assert fresh.raw_at(index) == state
    assert found.raw_at(len(found) - 1) == last


def test_the_version_before_is_read() -> None:
    text = trace_to_json(DUMP)
    assert '"version":2}' in text
    assert trace_from_json(text) == DUMP


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to values in nested lists and objects; of a list, to its first and last."""
    if isinstance(value, list):
        inner: Any = {0: value[0], -1: value[-1]} if value else {}
    else:
        inner = value
    for key, part in inner.items():
        yield (*path, key)
        if isinstance(part, dict | list):
            yield from places(part, (*path, key))


@pytest.mark.parametrize("name", ["cluster-deleted", "dump"])
def test_every_place_damaged(name: str) -> None:
    """A damaged file is refused in one sentence, or every step of it can be read."""
    sound = record_of(2) if name == "dump" else scenarios.load(name).run().trace
    document = json.loads(text_of(sound))
    refused = 0
    for number, path in enumerate(list(places(document))):
        if path[0] not in SECTIONS:
            continue
        at = document
        for key in path[:-1]:
            at = at[key]
        kept = at[path[-1]]
        at[path[-1]] = VALUES[number % len(VALUES)]
        try:
            found, _ = steps_of(document)
            assert len([step.kind for step in found]) == len(found)
            assert all(change.path for step in found for change in step.changes)
        except InputError:
            refused += 1
        at[path[-1]] = kept
    assert refused > 100


@pytest.mark.parametrize("section", [*SECTIONS, "format", "version"])
def test_a_section_is_missing(section: str) -> None:
    document = json.loads(TEXT)
    del document[section]
    with pytest.raises(InputError):
        trace_from_json(json.dumps(document))


def nodes(*extra: dict[str, Any]) -> str:
    document = json.loads(TEXT)
    first = len(document["nodes"])
    for at, node in enumerate(extra):
        document["nodes"].append({key: node[key] for key in node} | {"list": [first + at - 1] * 2})
    return json.dumps(document)


def test_few_lists_that_stand_for_endless_steps_are_refused() -> None:
    with pytest.raises(InputError, match=r"more than \d+ steps"):
        trace_from_json(nodes(*[{}] * 60))


def test_few_empty_lists_that_take_endless_time_are_refused() -> None:
    document = json.loads(TEXT)
    first = len(document["nodes"])
    document["nodes"].append({"list": []})
    document["nodes"].extend({"list": [first + at] * 2} for at in range(60))
    with pytest.raises(InputError, match=r"more than \d+ steps"):
        trace_from_json(json.dumps(document))


def test_lists_that_are_nested_too_deep_are_refused() -> None:
    document = json.loads(TEXT)
    first = len(document["nodes"])
    document["nodes"].append({"list": []})
    document["nodes"].extend({"list": [first + at]} for at in range(1000))
    with pytest.raises(InputError, match="nested too deep"):
        trace_from_json(json.dumps(document))


def test_a_list_within_itself_is_refused() -> None:
    document = json.loads(TEXT)
    document["nodes"].append({"list": [len(document["nodes"])]})
    with pytest.raises(InputError, match="there is no node"):
        trace_from_json(json.dumps(document))


def test_half_a_character_is_refused() -> None:
    with pytest.raises(InputError, match="half a character"):
        trace_from_json(TEXT.replace('"texts":["', '"texts":["\\ud800', 1))


def test_a_later_version_is_named() -> None:
    with pytest.raises(InputError, match="version 4, and this release reads up to 3"):
        trace_from_json(TEXT.replace('"version":3}', '"version":4}'))
