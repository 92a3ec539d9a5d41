"""The documents of all packaged scenarios are as their schema says, also after each patch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from example_runs import busy_trace, scenario_trace
from jsonschema import Draft202012Validator

from kueuelab.trace import Trace
from kueuelab.views import Document
from kueuelab.views.merge_patch import apply_patch

SCHEMA: Any = json.loads(
    (Path(__file__).parents[3] / "docs" / "frames.schema.json").read_text("utf-8")
)
DOCUMENT = Draft202012Validator(SCHEMA)
FRAME = Draft202012Validator({**SCHEMA["$defs"]["Frame"], "$defs": SCHEMA["$defs"]})


def check(document: Any) -> None:
    DOCUMENT.validate(document)
    for chunk in document["chunks"].values():
        frame = chunk["key"]
        for number, patch in enumerate(chunk["patches"]):
            frame = apply_patch(frame, patch)
            if number % 61 == 0:
                FRAME.validate(frame)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_documents_are_as_the_schema_says(trace: Trace) -> None:
    check(Document(trace).as_data(range(min(3, Document(trace).count)), whys=len(trace) < 120))


def test_of_several_clusters_and_of_many_queues_too() -> None:
    check(Document(scenario_trace("lost-worker")).as_data())
    busy = Document(busy_trace())
    check(busy.as_data([busy.count // 2]))


@pytest.mark.parametrize(
    "change", [{"steps": "many"}, {"chunks": {"0": {}}}, {"marks": [[1, "star"]]}, {"version": 2}]
)
def test_what_is_no_document_is_refused(within: Trace, change: dict[str, Any]) -> None:
    document = Document(within).as_data()
    assert DOCUMENT.is_valid(document)
    assert not DOCUMENT.is_valid({**document, **change})
