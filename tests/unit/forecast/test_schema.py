"""What ``kueuelab try --json`` writes is as docs/try.schema.json describes it."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from submitted import job
from test_when import answer, workload

from kueuelab.forecast import Answer, try_job

SCHEMA = json.loads(
    (Path(__file__).parents[3] / "docs" / "try.schema.json").read_text(encoding="utf-8")
)


def answers() -> dict[str, Answer]:
    """Return answers that have everything between them."""
    running = workload("r", admitted=10)
    return {
        "pending": answer(running, runs="30m..2h", seeds=5),
        "unknown": answer(running, seeds=5),
        "preempting": answer(running, workload("p"), runs="30m", priority="high"),
        "admitted": answer(),
        "now": answer(running, when=False, changes=False),
        "refused": try_job(
            job("jobs", name="Bad"), "{kind: Namespace, apiVersion: v1, metadata: {name: default}}"
        ),
    }


@pytest.mark.parametrize("name", ["pending", "unknown", "preempting", "admitted", "now", "refused"])
def test_answers_are_as_the_schema_says(name: str) -> None:
    found = json.loads(json.dumps(answers()[name].as_data()))
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(found, SCHEMA, cls=jsonschema.Draft202012Validator)
    assert found["format"] == SCHEMA["properties"]["format"]["const"]
