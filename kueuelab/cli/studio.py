"""``kueuelab studio``: the studio in the browser."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from kueuelab.cli.completing import files as file_names
from kueuelab.cli.output import AsJson, speaker
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
    port: Annotated[int, typer.Option(min=0, max=65535, help="cli.lab.port.help")] = 8888,
    browser: Annotated[bool | None, typer.Option(help="cli.lab.browser.help")] = None,
    folder: Annotated[Path, typer.Option(help="cli.studio.folder.help")] = Path(),
    as_json: AsJson = False,
) -> None:
    """Open the studio in the browser; without a display, print its address."""
    from kueuelab.cli.lab import check_installed, serve
    from kueuelab.session.opening import FILES
    from kueuelab.session.session import Session
    from kueuelab.studio.served import address

    out = speaker(ctx)
    check_installed()
    _check_installed()
    session = Session()
    with files_for(map(Path, files or ())) as opened:
        named = [_absolute(str(file)) for file in opened]
        for file in named:
            # What is wrong with a file is said before a browser opens.
            session = session.opened(file)
        head = Message("cli.studio.open")
        # An address may come from anywhere: the files of this one are those that were named here.
        environment = {FILES: json.dumps(named)}
        serve(
            out,
            folder,
            address(named),
            port,
            browser,
            head=head,
            environment=environment,
            as_json=as_json,
        )


def _check_installed() -> None:
    """Refuse to go on without what serves the studio."""
    if find_spec("voila") is None:
        raise KueueLabError(
            Message("studio.not-installed"), hint=Message("studio.not-installed.hint")
        )


def _absolute(file: str) -> str:
    """Return a path that does not depend on the folder; a packaged name stays as it is."""
    path = Path(file)
    return str(path.resolve()) if path.exists() else file
