"""The page about saved runs says what is in a file: each section, column and node, and no other."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.bench.cluster_dump import DumpShape, dump_objects
from kueuelab.trace.coding import fields_of
from kueuelab.trace.export import write_trace

PAGE = (Path(__file__).parents[3] / "docs" / "saved-runs.md").read_text("utf-8")
_CODE = re.compile(r"`([^`]+)`")


def documents() -> list[dict[str, Any]]:
    found = []
    dump: Any = kl.load(list(dump_objects(DumpShape(12))))
    for run in (dump.run(), scenarios.load("reclaim-1-take-back").run()):
        stream = StringIO()
        write_trace(run.trace, stream)
        found.append(json.loads(stream.getvalue()))
    return found


DOCUMENTS = documents()


def rows(heading: str) -> dict[str, str]:
    """Return the rows of a table of the page: the first cell, and the second one."""
    table = PAGE.split(f"| {heading} |", 1)[1].split("\n\n", 1)[0]
    cells = [line.split(" | ", 1) for line in table.splitlines()[2:]]
    return {first.removeprefix("| "): second.removesuffix(" |") for first, second in cells}


def test_sections() -> None:
    named = [name for cell in rows("field") for name in _CODE.findall(cell)]
    for document in DOCUMENTS:
        assert set(named) - {"until"} <= set(document) <= set(named)
    assert [document for document in DOCUMENTS if "until" in document]
    said = {name: text for cell, text in rows("field").items() for name in _CODE.findall(cell)}
    for document in DOCUMENTS:
        for section in ("ranks", "runs", "steps", "changes"):
            assert set(document[section]) <= set(_CODE.findall(said[section])), section
        for name in ("texts", "values", "nodes", "paths"):
            assert isinstance(document[name], list)


def test_columns() -> None:
    for document in DOCUMENTS:
        for kind, table in document["facts"].items():
            hints = {key: hint for _, key, hint in fields_of(kind)}
            assert table["columns"].keys() == hints.keys()
            every = list(zip(*table["columns"].values(), strict=True)) or [()] * table["count"]
            assert len(every) == table["count"]
            if kind != "CandidateConsidered":  # Their ranks belong to the row.
                assert len(set(every)) == len(every)
            for key, column in table["columns"].items():
                most = {str: len(document["texts"]), int: None, bool: None}
                limit = most.get(hints[key], len(document["values"]))
                assert limit is None or all(0 <= number < limit for number in column)


def test_nodes() -> None:
    named = {json.dumps(sorted(_names(cell))) for cell in rows("node")}
    found = {json.dumps(sorted(node)) for document in DOCUMENTS for node in document["nodes"]}
    assert found - {'["groups", "known"]'} <= named
    assert {'["rows"]', '["candidates"]', '["list"]', '["groups"]', '["order"]'} <= found


def _names(cell: str) -> list[str]:
    return re.findall(r'"(\w+)":', cell)


def test_nothing_is_there_twice() -> None:
    for document in DOCUMENTS:
        for section in ("texts", "values", "nodes", "paths"):
            found = [json.dumps(each) for each in document[section]]
            assert len(set(found)) == len(found), section


def test_entries() -> None:
    for document in DOCUMENTS:
        steps = document["steps"]
        assert sum(document["runs"]["count"]) == len(steps["kind"]) == len(steps["facts"])
        for kind, number in zip(steps["kind"], steps["facts"], strict=True):
            name = document["texts"][kind]
            table = document["facts"][name]["count"] if name else len(document["nodes"])
            assert 0 <= number < table
