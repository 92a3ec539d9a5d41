"""``kueuelab studio``: the app in the browser, served by this machine, or written as a site."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from kueuelab.cli.completing import contexts, packaged
from kueuelab.cli.completing import files as file_names
from kueuelab.cli.lab import has_display
from kueuelab.cli.output import AsJson, Speaker, speaker
from kueuelab.cli.standard_input import files_for
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
    context: Annotated[
        str, typer.Option(metavar="NAME", help="cli.studio.context.help", autocompletion=contexts)
    ] = "",
    port: Annotated[int, typer.Option(min=0, max=65535, help="cli.lab.port.help")] = 8919,
    browser: Annotated[bool | None, typer.Option(help="cli.lab.browser.help")] = None,
    folder: Annotated[Path, typer.Option(help="cli.studio.folder.help")] = Path(),
    static: Annotated[
        Path | None, typer.Option(help="cli.studio.static.help", show_default=False)
    ] = None,
    pyodide: Annotated[Path, typer.Option(help="cli.studio.pyodide.help")] = Path("build/pyodide"),
    as_json: AsJson = False,
) -> None:
    """Open the app in the browser; without a display, print its address. Or write it as a site."""
    out = speaker(ctx)
    if static is not None:
        _write(out, static, pyodide, as_json=as_json)
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

    with files_for(map(Path, files or ())) as found, suppress(KeyboardInterrupt):
        named = tuple(_absolute(str(file)) for file in found)
        _check(named)
        if context:
            named = (f"context:{context}", *named)
        asyncio.run(serve(out.words, folder, named, port, started))


def _check(named: tuple[str, ...]) -> None:
    """Refuse what cannot be opened, before a browser is.

    The page says what is wrong with the content of the first. It does not show the others at first.
    """
    from kueuelab.session.opening import require_there

    # Asked for their names, the scenarios would import what runs them: the address would be late.
    known = set(packaged())
    for file in named:
        if file not in known:
            require_there(file)
    if len(named) > 1:
        from kueuelab.session.session import Session

        session = Session()
        for file in named[1:]:
            session = session.opened(file)


def _absolute(file: str) -> str:
    """Return a path that does not depend on the folder; a packaged name stays as it is."""
    path = Path(file)
    return str(path.resolve()) if path.exists() else file


def _write(out: Speaker, folder: Path, pyodide: Path, *, as_json: bool) -> None:
    from kueuelab.app.site import write_site

    site = write_site(folder, pyodide, out.words)
    if as_json:
        out.say_json({"folder": str(folder), "files": site.files, "bytes": site.size})
    else:
        size = f"{site.size / 1e6:.1f} MB"
        values = {"folder": str(folder), "count": site.files, "size": size}
        out.say([Message("app.static.written", **values)])
