"""What is sent of a document: the chunk that is shown first at once, the others packed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from example_runs import busy_trace
from fragments import document_in, unpacked
from jsonschema import Draft202012Validator

from kueuelab import frontend
from kueuelab.views import Document

SCHEMA: Any = json.loads(
    (Path(__file__).parents[3] / "docs" / "frames.schema.json").read_text("utf-8")
)


@pytest.fixture(scope="module")
def data() -> Any:
    """A document of several chunks; the second is shown first."""
    document = Document(busy_trace(), start=Document.steps_of_chunk + 7)
    return json.loads(json.dumps(document.as_data(range(3))))


def key_of(chunk: Any) -> Any:
    """Return the key frame that a chunk begins with, as the browser reads it."""
    key = dict(chunk["key"])
    for name, table in chunk["tables"].items():
        rows, key[name] = iter(table["rows"]), {}
        for kind in rows:
            entry = next(rows)
            key[name][entry] = {member: next(rows) for member in table["members"][kind]}
    return key


def test_only_what_is_shown_first_is_not_packed(data: Any) -> None:
    found = frontend.sent(data)["chunks"]
    assert {number: isinstance(each, str) for number, each in found.items()} == {
        "0": True,
        "1": False,
        "2": True,
    }
    for number, chunk in data["chunks"].items():
        sent = found[number] if number == "1" else unpacked(found[number])
        assert key_of(sent) == chunk["key"]
        assert list(key_of(sent).get("bars", ())) == list(chunk["key"].get("bars", ()))
        assert sent["patches"] == chunk["patches"]
    assert {"bars", "chips", "tree"} <= found["1"]["tables"].keys()


def test_what_is_sent_is_as_the_schema_says(data: Any) -> None:
    schema = Draft202012Validator(SCHEMA)
    found = json.loads(json.dumps(frontend.sent(data)))
    schema.validate(found)
    found["chunks"]["1"]["tables"]["chips"]["rows"] = {}
    assert not schema.is_valid(found)


def test_pages_and_cells_hold_what_is_sent(data: Any) -> None:
    found = json.loads(json.dumps(frontend.sent(data)))
    assert document_in(frontend.fragment(data, "")) == found
    text = frontend.page(data).partition('id="run">')[2].partition("</script>")[0]
    assert json.loads(text) == found


def test_both_sides_of_a_comparison_are_sent_so(data: Any) -> None:
    found = frontend.sent({"view": "comparison", "sides": {"before": data, "after": data}})
    assert found["sides"] == {"before": frontend.sent(data), "after": frontend.sent(data)}
