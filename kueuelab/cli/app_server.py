"""``kueuelab app``: the app in the browser, served by this machine. Hidden until it is complete."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from kueuelab.cli.completing import files as file_names
from kueuelab.cli.output import AsJson, speaker
from kueuelab.errors import KueueLabError
from kueuelab.messages import Message

__all__ = ["command"]


def command(
    ctx: typer.Context,
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE",
            help="cli.studio.files.help",
            autocompletion=file_names,
            show_default=False,
        ),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="cli.lab.port.help")] = 8919,
    browser: Annotated[bool | None, typer.Option(help="cli.lab.browser.help")] = None,
    folder: Annotated[Path, typer.Option(help="cli.studio.folder.help")] = Path(),
    static: Annotated[
        Path | None, typer.Option(help="cli.app.static.help", show_default=False)
    ] = None,
    pyodide: Annotated[Path, typer.Option(help="cli.app.pyodide.help")] = Path("build/pyodide"),
    as_json: AsJson = False,
) -> None:
    """Open the app in the browser; without a display, print its address. Or write it as a site."""
    from kueuelab.cli.lab import has_display

    out = speaker(ctx)
    if static is not None:
        from kueuelab.app.site import write_site

        site = write_site(static, pyodide, out.words)
        if as_json:
            out.say_json({"folder": str(static), "files": site.files, "bytes": site.size})
        else:
            size = f"{site.size / 1e6:.1f} MB"
            values = {"folder": str(static), "count": site.files, "size": size}
            out.say([Message("app.static.written", **values)])
        return
    if find_spec("tornado") is None:
        raise KueueLabError(Message("app.no-tornado"), hint=Message("app.no-tornado.hint"))
    from kueuelab.app.server import serve

    def started(address: str) -> None:
        if as_json:
            out.say_json({"url": address})
        else:
            out.say([Message("app.open.address", address=address)])
        sys.stdout.flush()
        if has_display(os.environ, sys.platform) if browser is None else browser:
            import webbrowser

            webbrowser.open(address)

    named = tuple(
        str(Path(file).resolve()) if Path(file).exists() else file for file in files or ()
    )
    with suppress(KeyboardInterrupt):
        asyncio.run(serve(out.words, folder, named, port, started))
