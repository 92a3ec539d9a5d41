"""The Model Context Protocol server, by the package's own client, over stdio and HTTP."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import jsonschema
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from typer.testing import CliRunner

from kueuelab.cli import app
from kueuelab.service.mcp_server import TOOLS

WORKLOAD = "team-b/job-b-cpu-2-71f14"
COMMAND = ("-m", "kueuelab", "mcp", "two-teams")
JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: team-b, labels: {kueue.x-k8s.io/queue-name: main}}
spec:
  parallelism: 1
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: train, resources: {requests: {cpu: %d}}}]
"""


async def text_of(client: Client, tool: str, **arguments: Any) -> str:
    found = await client.call_tool(tool, arguments)
    assert not found.is_error, found
    (part,) = found.content
    return str(part.text)  # type: ignore[union-attr]


async def negotiate(client: Client) -> None:
    """What an assistant does: which jobs wait, why, what would help, which size fits."""
    tools = {each.name: each for each in (await client.list_tools()).tools}
    assert list(tools) == list(TOOLS)
    for each in tools.values():
        jsonschema.Draft202012Validator.check_schema(each.input_schema)
        assert each.annotations is not None
        assert each.annotations.read_only_hint
    pending = await text_of(client, "pending", count=2)
    assert pending.startswith("3 workloads are pending.")
    assert pending.endswith("1 more workload.")
    assert "4 requested, 2 available" in await text_of(client, "why", workload=WORKLOAD)
    levers = await text_of(client, "levers", workload=WORKLOAD, costs=True)
    assert "1. raise the nominal quota of ClusterQueue cq-b by 2 cpu/generic" in levers
    assert "8 → 10 cpu" in levers
    refused = await text_of(client, "try_job", jobs=JOB % 64, runs="1h", seeds=2)
    assert "Now: pending" in refused
    assert "What instead:" in refused
    small = await text_of(client, "try_job", jobs=JOB % 1)
    assert "admitted at once by ClusterQueue cq-b" in small
    assert await text_of(client, "lint") == "Found: nothing."
    edits = [{"object": f"Workload/{WORKLOAD}", "values": {"spec.priority": 2000}}]
    assert "end elsewhere" in await text_of(client, "compare", edits=edits)
    for tool, arguments, message in (
        ("why", {"workload": "nothing"}, "there is no workload named 'nothing'"),
        ("why", {}, "workload: The field is missing"),
        ("nothing", {}, "There is no tool nothing"),
    ):
        failed = await client.call_tool(tool, arguments)
        assert failed.is_error
        assert message in str(failed.content[0])


def run(asked: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(asked(), 240))  # type: ignore[arg-type]


def test_over_standard_input_and_output() -> None:
    async def ask() -> None:
        parameters = StdioServerParameters(command=sys.executable, args=list(COMMAND))
        async with Client(parameters) as client:
            await negotiate(client)

    run(ask)


@contextmanager
def served() -> Iterator[tuple[str, str]]:
    """Yield the address and the token of a server over HTTP."""
    command = [sys.executable, *COMMAND, "--http", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = process.stderr.readline() + process.stderr.readline()
        address = re.search(r"http://\S+", said)
        token = re.search(r"The token: (\S+)", said)
        assert address, said
        assert token, said
        try:
            yield address.group(), token.group(1)
        finally:
            process.terminate()
            assert process.wait(30) in (0, 143)


def test_over_http() -> None:
    async def ask(address: str, token: str) -> None:
        bearer = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=bearer, timeout=120) as http:
            async with Client(streamable_http_client(address, http_client=http)) as client:
                await negotiate(client)
            for code, headers in (
                (401, {"Authorization": "Bearer another"}),
                (421, {"Host": "evil.example"}),
                (403, {"Origin": "http://evil.example"}),
            ):
                found = await http.post(address, json={}, headers=headers)
                assert found.status_code == code, headers

    with served() as (address, token):
        run(lambda: ask(address, token))


def test_a_missing_package_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kueuelab.cli.mcp.find_spec", lambda name: None)
    found = CliRunner().invoke(app, ["mcp", "two-teams"])
    assert (found.exit_code, "pip install 'kueuelab[mcp]'" in found.output) == (2, True)
