"""The transcripts of docs/serve.md and docs/mcp.md are what is answered."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from kueuelab.messages import english
from kueuelab.service.answering import Answering
from kueuelab.service.brief import brief
from kueuelab.service.mcp_server import TOOLS
from kueuelab.service.operations import OPERATIONS
from kueuelab.service.served_cluster import FileCluster
from kueuelab.session.wire import decoded, encoded

DOCS = Path(__file__).parents[3] / "docs"
SERVE, MCP = ((DOCS / name).read_text("utf-8") for name in ("serve.md", "mcp.md"))
CALLS = re.findall(r"```text\n(\w+) (\{[^\n]*\})\n\n(.*?)\n```", MCP, re.DOTALL)


@pytest.fixture(scope="module")
def answering() -> Answering:
    return Answering(FileCluster("two-teams"), english())


def answer(answering: Answering, operation: str, fields: dict[str, Any]) -> Any:
    return answering.answer(decoded(OPERATIONS[operation].request, fields))


def test_the_answers_over_http(answering: Answering) -> None:
    pending, change, compared = map(
        json.loads, re.findall(r"```json\n(.*?)\n```", SERVE, re.DOTALL)
    )
    asked = {"queue": "cq-b", "count": 1}
    assert encoded(answer(answering, "pending", asked)) == pending
    assert encoded(answer(answering, "compare", change)) == compared


def test_the_metrics(answering: Answering) -> None:
    shown = re.findall(r"^kueuelab_.*$", SERVE, re.MULTILINE)
    lines = answering.metrics().splitlines()
    assert shown == [line for line in lines if not line.startswith("#")]


@pytest.mark.parametrize(("tool", "fields", "text"), CALLS, ids=[call[0] for call in CALLS])
def test_the_answers_to_an_assistant(
    answering: Answering, tool: str, fields: str, text: str
) -> None:
    assert brief(answer(answering, TOOLS[tool], json.loads(fields)), english()) == text


def test_the_pages_name_every_operation_and_tool() -> None:
    for operation in OPERATIONS.values():
        assert f"`{operation.method} {operation.path}`" in SERVE
    assert all(f"`{tool}`" in MCP for tool in TOOLS)
    assert {call[0] for call in CALLS} >= {"try_job", "pending", "why", "levers", "compare"}
