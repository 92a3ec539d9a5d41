"""``kueuelab serve``: the answers of the lab for programs, over HTTP and read-only."""

from __future__ import annotations

import asyncio
import sys
from contextlib import closing, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kueuelab import __version__
from kueuelab.cli.completing import contexts, files
from kueuelab.cli.output import AsJson, Speaker, speaker
from kueuelab.cli.terminating import terminable
from kueuelab.errors import KueueLabError
from kueuelab.files import read_bytes
from kueuelab.messages import Message

if TYPE_CHECKING:
    from kueuelab.service.served_cluster import Source

__all__ = [
    "Context",
    "File",
    "InCluster",
    "TimeLimit",
    "TokenFile",
    "command",
    "source_of",
    "token_in",
]

#: A shorter token could be guessed.
_SHORTEST_TOKEN: Final = 16

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="cli.serve.file.help", autocompletion=files, show_default=False
    ),
]
Context = Annotated[
    str, typer.Option(metavar="NAME", help="cli.serve.context.help", autocompletion=contexts)
]
InCluster = Annotated[bool, typer.Option("--in-cluster", help="cli.serve.in-cluster.help")]
TokenFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="cli.serve.token-file.help", show_default=False),
]
TimeLimit = Annotated[
    float, typer.Option(metavar="SECONDS", min=0.1, max=3600, help="cli.serve.time-limit.help")
]


def command(
    ctx: typer.Context,
    file: File = "",
    context: Context = "",
    in_cluster: InCluster = False,
    host: Annotated[str, typer.Option(help="cli.serve.host.help")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="cli.serve.port.help")] = 8920,
    token_file: TokenFile = None,
    hostname: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="cli.serve.hostname.help")
    ] = None,
    time_limit: TimeLimit = 30,
    manifest: Annotated[
        str, typer.Option(metavar="IMAGE", help="cli.serve.manifest.help", show_default=False)
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Answer programs over HTTP about a cluster, a dump or a scenario."""
    out = speaker(ctx)
    if manifest:
        from kueuelab.service.deployment import deployment

        out.say_text([deployment(manifest)])
        return
    source = source_of(file, context, out, in_cluster=in_cluster)
    if find_spec("tornado") is None:
        raise KueueLabError(
            Message("cli.serve.no-tornado"), hint=Message("cli.serve.no-tornado.hint")
        )
    from kueuelab.service.engine import Engine
    from kueuelab.service.server import Options, serve

    token = "" if token_file is None else token_in(token_file)
    name = file or context or out.text("cli.serve.in-cluster")

    def started(address: str, given: str) -> None:
        # A token of a file stays there.
        shown = "" if token else given
        if as_json:
            out.say_json({"url": address, **({"token": shown} if shown else {})})
        else:
            link = f"{address}?token={shown}" if shown else address
            out.say([Message("cli.serve.address", name=name, address=link)])
            if shown:
                out.say([Message("cli.serve.token", token=shown)])
        sys.stdout.flush()

    with suppress(KeyboardInterrupt), terminable():
        with out.progress(Message("cli.reading", context=name)):
            engine = Engine(source, out.words, time_limit)
        options = Options(host, port, token, tuple(hostname or ()))
        with closing(engine):
            asyncio.run(serve(engine, out.words, __version__, name, options, started))


def source_of(file: str, context: str, out: Speaker, *, in_cluster: bool) -> Source:
    """Return what is served; paths are absolute.

    Raises
    ------
    typer.BadParameter
        If none is named, or more than one.
    """
    from kueuelab.service.served_cluster import Source

    if sum(map(bool, (file, context, in_cluster))) != 1:
        raise typer.BadParameter(out.text("cli.serve.one-source"))
    if file and Path(file).exists():
        return Source(file=str(Path(file).resolve()))
    return Source(file=file, context=context)


def token_in(file: Path) -> str:
    """Return the token of a file.

    Raises
    ------
    KueueLabError
        If it is too short.
    """
    token = read_bytes(file).decode("ascii", "replace").strip()
    if len(token) < _SHORTEST_TOKEN:
        message = Message("cli.serve.token.short", file=file, least=_SHORTEST_TOKEN)
        raise KueueLabError(message, hint=Message("cli.serve.token.short.hint"))
    return token
