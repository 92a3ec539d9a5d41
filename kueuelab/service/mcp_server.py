"""The same operations as a Model Context Protocol server: short answers for assistants.

It needs the ``mcp`` package (``kueuelab[mcp]``), which brings what serves it over HTTP.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import uvicorn
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool, ToolAnnotations

from kueuelab.app.access import Access
from kueuelab.messages import Catalog
from kueuelab.service.brief import brief
from kueuelab.service.engine import Engine, Outcome, Reply, Shape
from kueuelab.service.openapi import described
from kueuelab.service.operations import OPERATIONS
from kueuelab.session.answers import Failure
from kueuelab.session.schema import definitions
from kueuelab.session.wire import decoded

__all__ = ["TOOLS", "serve_http", "serve_stdio", "server_of"]

#: The operation behind each tool.
TOOLS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "try_job": "try",
        "pending": "pending",
        "why": "why",
        "levers": "levers",
        "lint": "lint",
        "lint_manifests": "lintManifests",
        "compare": "compare",
    }
)
_READS: Final = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_Asgi = Callable[[Any, Any, Any], Awaitable[None]]


def server_of(engine: Engine, words: Catalog, version: str, name: str) -> Server[Any]:
    """Return a server whose tools are answered by an engine.

    Parameters
    ----------
    engine
        What answers.
    words
        The language.
    version
        The version of kueuelab.
    name
        What is asked about.
    """

    async def list_tools(_context: Any, _page: Any) -> ListToolsResult:
        return ListToolsResult(tools=[_tool(each) for each in TOOLS])

    async def call_tool(_context: Any, call: Any) -> CallToolResult:
        found = await asyncio.to_thread(_answer, engine, words, call.name, call.arguments or {})
        text, failed = found
        return CallToolResult(content=[TextContent(type="text", text=text)], is_error=failed)

    return Server(
        "kueuelab",
        version=version,
        instructions=words.text("service.mcp.instructions", name=name),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def serve_stdio(server: Server[Any]) -> None:
    """Serve over standard input and output, until the input ends."""
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


async def serve_http(
    server: Server[Any], port: int, token: str, started: Callable[..., None]
) -> None:
    """Serve over HTTP on this machine, until the task is cancelled.

    Parameters
    ----------
    server
        What answers.
    port
        The port; 0 is any that is free.
    token
        What requests have to show; a random one if empty.
    started
        Called with the address and the token before the first request is answered.
    """
    listening = socket.create_server(("127.0.0.1", port))
    found = listening.getsockname()[1]
    access = Access(found, token)
    # The package checks the names of the host and the origin; the token is checked here.
    application = server.streamable_http_app(stateless_http=True, json_response=True)
    config = uvicorn.Config(_with_token(application, access), log_level="warning", lifespan="on")
    started(f"http://127.0.0.1:{found}/mcp", access.token)
    await uvicorn.Server(config).serve(sockets=[listening])


def _tool(name: str) -> Tool:
    request = OPERATIONS[TOOLS[name]].request
    found = definitions([request])
    schema = found.pop(request.__name__)
    about, of_fields = described(request)
    for field, text in of_fields.items():
        schema["properties"][field]["description"] = text
    if found:
        schema["$defs"] = found
    return Tool(name=name, description=about, input_schema=schema, annotations=_READS)


def _answer(
    engine: Engine, words: Catalog, name: str, arguments: Mapping[str, Any]
) -> tuple[str, bool]:
    """Return the text of an answer, and whether it is a failure."""
    if name not in TOOLS:
        return words.text("service.mcp.no-tool", name=name, tools=", ".join(TOOLS)), True
    reply: Reply = engine.ask(TOOLS[name], json.dumps(dict(arguments)), Shape.TEXT)
    if reply.outcome is Outcome.DONE:
        return reply.body, False
    return brief(decoded(Failure, json.loads(reply.body)), words), True


def _with_token(application: _Asgi, access: Access) -> _Asgi:
    """Return an application that answers only requests with the token."""

    async def checked(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            given = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
            if not given.startswith("Bearer ") or not access.knows(given.removeprefix("Bearer ")):
                headers = [(b"www-authenticate", b"Bearer"), (b"content-length", b"0")]
                await send({"type": "http.response.start", "status": 401, "headers": headers})
                await send({"type": "http.response.body", "body": b""})
                return
        await application(scope, receive, send)

    return checked
