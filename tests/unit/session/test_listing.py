"""A large input is listed before it is checked: there is a table of what is written in it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuelab import scenarios
from kueuelab.bench.cluster_dump import DumpShape, write_dump
from kueuelab.errors import InputError
from kueuelab.manifests.reading.documents import Document
from kueuelab.messages import english
from kueuelab.progress import WorkStopped
from kueuelab.session.handler import Handler
from kueuelab.session.listing import ListedWorkloads, listing_of
from kueuelab.session.opened_input import OpenedInput
from kueuelab.session.run_facts import RunFacts
from kueuelab.session.workload_rows import IndexedRow
from kueuelab.whatif.lab import Lab

DUMPS = scenarios.dumps()
OPEN = {"do": "open", "name": "dump.json", "decide": False}


@cache
def dump(queues: int = 10) -> str:
    """Return a dump with more workloads than an input has that is decided at once."""
    text = io.StringIO()
    write_dump(DumpShape(queues=queues, pending=490, admitted=20), text)
    return text.getvalue()


@cache
def broken() -> str:
    data = json.loads(dump())
    data["items"][-1]["spec"]["podSets"][0]["count"] = -1
    return json.dumps(data, indent=1)


def opened(text: str | None = None) -> Handler:
    handler = Handler()
    handler.answer({**OPEN, "text": dump() if text is None else text})
    return handler


def stage(handler: Handler) -> str:
    (branch,) = handler.answer({"do": "hello"})["opened"]["branches"]
    return str(branch["stage"])


# --- the table ----------------------------------------------------------------------------


def written(row: IndexedRow) -> IndexedRow:
    """Return a row as far as it is written in the input, and not found out."""
    why = row.why if row.why.startswith("Kueue says") else ""
    return replace(row, position=0, cause="", why=why, why_text="", text="")


@pytest.mark.parametrize("name", [*DUMPS, "generated"])
def test_a_listing_has_the_rows_of_what_is_loaded(name: str) -> None:
    source = OpenedInput(dump() if name == "generated" else scenarios.dump(name))
    listing = listing_of(source.documents() or (), 1)
    assert listing is not None
    listed = ListedWorkloads(listing, english())
    loaded = RunFacts(Lab(source.spec()).as_read(), english())
    assert listed.phases == loaded.phases
    wanted = {row.workload: written(row) for row in loaded.rows}
    found = {row.workload: written(row) for row in listed.rows}
    assert found.keys() == wanted.keys()
    for key, row in wanted.items():
        # What Kueue said last may not be why, once it is looked into.
        assert replace(found[key], why=row.why) == row
        assert row.why in ("", found[key].why)


def test_pending_workloads_come_first_by_queue_and_priority() -> None:
    rows = ListedWorkloads(_listing(json.loads(dump())), english()).rows
    pending = [row for row in rows if row.phase == "Pending"]
    assert rows[: len(pending)] == tuple(pending)
    order = [(row.queue, -row.priority) for row in pending]
    assert order == sorted(order)


def _listing(value: Any) -> Any:
    return listing_of([Document(value)], 0)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
NAMES = ("metadata", "spec", "status", "name", "namespace", "queueName", "admission", "flavors")
MORE = ("conditions", "type", "podSetAssignments", "ownerReferences", "creationTimestamp", "items")
fields = st.recursive(
    json_values,
    lambda inner: (
        st.dictionaries(st.sampled_from(NAMES + MORE), inner, max_size=6)
        | st.lists(inner, max_size=3)
    ),
    max_leaves=20,
)


@given(
    st.dictionaries(st.sampled_from(NAMES + MORE), fields, max_size=6),
    st.sampled_from(("Workload", "LocalQueue")),
)
def test_nothing_that_is_written_wrong_keeps_a_table_from_being_made(
    content: dict[str, Any], kind: str
) -> None:
    workload = {**content, "apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind}
    table = ListedWorkloads(_listing([workload]), english())
    assert len(table.rows) == (kind == "Workload")
    assert table.phases.total() == len(table.rows)


def test_a_scenario_is_not_listed() -> None:
    scenario = {"apiVersion": "kueuelab/v1", "kind": "Scenario", "metadata": {"name": "a"}}
    assert listing_of([Document(json.loads(dump())), Document(scenario)], 1) is None


# --- until it is loaded ---------------------------------------------------------------------


def test_it_is_listed_until_more_is_asked() -> None:
    handler = opened()
    (branch,) = handler.answer({"do": "hello"})["opened"]["branches"]
    assert branch["stage"] == "listed"
    assert branch["about"] == "5,100 workloads, not yet checked"
    assert (branch["workloads"], branch["pending"]) == (5_100, 4_900)
    table = handler.answer({"do": "workloads", "search": "job-gpu", "count": 1})
    assert 0 < table["found"] < table["total"] == 5_100
    names = [each["id"] for each in handler.answer({"do": "workloadFilters"})["filters"]]
    assert "queue" in names
    assert stage(handler) == "listed"
    overview = handler.answer({"do": "overview"})
    assert overview["pending"] == 4_900
    assert stage(handler) == "read"
    at_once = Handler()
    at_once.answer({**OPEN, "text": dump()})
    at_once.answer({"do": "load"})
    assert at_once.answer({"do": "overview"}) == overview


def test_to_load_is_no_change_that_can_be_undone() -> None:
    handler = opened()
    handler.answer({"do": "load"})
    assert handler.answer({"do": "undo"})["branches"] == []
    (branch,) = handler.answer({"do": "redo"})["branches"]
    assert branch["stage"] == "read"


def test_what_is_wrong_is_found_when_it_is_loaded_and_nothing_of_it_stays() -> None:
    handler = opened(broken())
    handler.answer({"do": "workloads"})
    with pytest.raises(InputError, match="should be greater than or equal to 0") as raised:
        handler.answer({"do": "load"})
    (problem,) = raised.value.problems
    assert problem.location is not None
    line = broken().splitlines()[problem.location.line - 1]
    assert (problem.location.file, line.strip()) == ("dump.json", '"count": -1,')
    assert handler.answer({"do": "hello"})["opened"]["branches"] == []


def test_what_cannot_be_read_is_refused_at_once() -> None:
    with pytest.raises(InputError, match=r"dump\.json"):
        opened(dump()[:-9])


def test_to_load_can_be_stopped() -> None:
    handler = opened()

    def turn() -> None:
        raise WorkStopped

    with pytest.raises(WorkStopped):
        handler.reply(json.dumps({"do": "load"}), turn=turn)
    assert stage(handler) == "listed"
    assert handler.answer({"do": "load"})["branches"][-1]["stage"] == "read"


def test_the_table_is_there_while_it_is_loaded() -> None:
    handler = opened()
    found: list[Any] = []

    def turn() -> None:
        for command in ({"do": "workloads", "branch": "dump", "count": 1}, {"do": "kubectl"}):
            if handler.is_quick(json.dumps(command)):
                found.append(json.loads(handler.reply(json.dumps(command))))

    answer = json.loads(handler.reply(json.dumps({"do": "load", "id": 1}), turn=turn))
    assert answer["answer"]["branches"][-1]["stage"] == "read"
    assert len(found) > 100
    assert all(each == found[0] for each in found)
    assert found[0]["answer"]["total"] == 5_100
    # It is no longer listed: nothing is answered out of turn.
    assert not handler.is_quick(json.dumps({"do": "workloads", "branch": "dump"}))


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"do": "open"}', '{"do": "undo"}', '{"do": 1}', "x" * 5_000]
)
def test_other_commands_wait_for_their_turn(text: str) -> None:
    assert not opened().is_quick(text)


# --- files that are sent ----------------------------------------------------------------------


def in_memory(_: Path, text: str) -> bytes:
    return text.encode()


def in_a_file(folder: Path, text: str) -> Path:
    file = folder / "sent"
    file.write_text(text, "utf-8")
    return file


@pytest.mark.parametrize("sent", [in_memory, in_a_file])
def test_a_file_that_was_sent_is_opened_as_its_text_would_be(
    tmp_path: Path, sent: Callable[[Path, str], bytes | Path]
) -> None:
    text = scenarios.text("reclaim-1-take-back")
    one, other = Handler(), Handler()
    one.take_file("a", sent(tmp_path, text))
    command = {"do": "open", "name": "take-back.yaml"}
    assert one.answer({**command, "file": "a"}) == other.answer({**command, "text": text})
    for more in (
        {"do": "lint"},
        {"do": "link"},
        {"do": "buildBegin", "branch": "reclaim-1-take-back"},
    ):
        assert one.answer(more) == other.answer(more)


def test_a_file_is_opened_once() -> None:
    handler = Handler()
    handler.take_file("a", scenarios.text("reclaim-1-take-back").encode())
    command = {"do": "open", "name": "take-back.yaml", "file": "a"}
    handler.answer(command)
    with pytest.raises(InputError, match=r"take-back\.yaml did not arrive"):
        handler.answer(command)


def test_a_file_that_is_no_text_is_refused() -> None:
    handler = Handler()
    handler.take_file("a", b"kind: \xff\n")
    with pytest.raises(InputError, match="UTF-8"):
        handler.answer({"do": "open", "name": "a.yaml", "file": "a"})


def test_a_large_file_has_its_name(tmp_path: Path) -> None:
    handler = Handler()
    handler.take_file("a", in_a_file(tmp_path, broken()))
    handler.answer({**OPEN, "file": "a"})
    with pytest.raises(InputError, match=r"dump\.json:\d+"):
        handler.answer({"do": "load"})
    with pytest.raises(InputError, match="Nothing is open"):
        handler.answer({"do": "workloads", "branch": "dump"})


def test_a_reply_says_what_is_open_if_an_input_was_decided_on_the_way() -> None:
    handler = opened()

    def stages(do: str) -> list[str]:
        found = json.loads(handler.reply(json.dumps({"do": do})))
        return [each["stage"] for each in found.get("opened", {"branches": ()})["branches"]]

    assert [stages(do) for do in ("workloads", "overview", "lint", "lint")] == [
        [],
        ["read"],
        ["decided"],
        [],
    ]
