"""``kueuelab mcp``: the answers of the lab for assistants, by the Model Context Protocol."""

from __future__ import annotations

import asyncio
from contextlib import closing, suppress
from importlib.util import find_spec
from typing import Annotated

import typer

from kueuelab import __version__
from kueuelab.cli.output import speaker
from kueuelab.cli.serve import Context, File, InCluster, TimeLimit, TokenFile, source_of, token_in
from kueuelab.cli.terminating import terminable
from kueuelab.errors import KueueLabError
from kueuelab.messages import Message

__all__ = ["command"]


def command(
    ctx: typer.Context,
    file: File = "",
    context: Context = "",
    in_cluster: InCluster = False,
    http: Annotated[
        int | None,
        typer.Option(
            metavar="PORT", min=0, max=65535, help="cli.mcp.http.help", show_default=False
        ),
    ] = None,
    token_file: TokenFile = None,
    time_limit: TimeLimit = 30,
) -> None:
    """Answer assistants about a cluster, a dump or a scenario."""
    out = speaker(ctx)
    source = source_of(file, context, out, in_cluster=in_cluster)
    if find_spec("mcp") is None or find_spec("tornado") is None:
        raise KueueLabError(Message("cli.mcp.no-package"), hint=Message("cli.mcp.no-package.hint"))
    from kueuelab.service.engine import Engine
    from kueuelab.service.mcp_server import serve_http, serve_stdio, server_of

    token = "" if token_file is None else token_in(token_file)
    name = file or context or out.text("cli.serve.in-cluster")

    # Standard output belongs to the protocol.
    def started(address: str, given: str) -> None:
        out.complain(Message("cli.serve.address", name=name, address=address))
        if not token:
            out.complain(Message("cli.serve.token", token=given))

    with (
        suppress(KeyboardInterrupt),
        terminable(),
        closing(Engine(source, out.words, time_limit)) as engine,
    ):
        server = server_of(engine, out.words, __version__, name)
        if http is None:
            asyncio.run(serve_stdio(server))
        else:
            asyncio.run(serve_http(server, http, token, started))
