"""``kueuelab studio``: JupyterLab on a notebook that shows the studio."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Annotated, Final

import typer

from kueuelab.cli.completing import files as file_names
from kueuelab.cli.output import AsJson, speaker
from kueuelab.messages import Message

__all__ = ["command", "notebook_with_studio"]

_SOURCE: Final = "import kueuelab as kl\n\nkl.studio({arguments})"


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
    """Open the studio in JupyterLab; without a display, print its address."""
    from kueuelab.cli.lab import check_installed, serve
    from kueuelab.studio.session import Session

    out = speaker(ctx)
    check_installed()
    session = Session()
    named = [_absolute(file) for file in files or ()]
    for file in named:
        # What is wrong with a file is said before a browser opens.
        session = session.opened(file)
    notebook = notebook_with_studio(folder, named)
    hint = Message("cli.studio.run")
    serve(out, folder, notebook, port, browser, hint=hint, as_json=as_json)


def notebook_with_studio(folder: Path, files: list[str]) -> Path:
    """Write a notebook whose one cell shows the studio, never over another file.

    Parameters
    ----------
    folder
        Where to write it.
    files
        What the studio opens.

    Returns
    -------
    Path
        The notebook; one that is there already if it is the same.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> notebook_with_studio(folder, ["two-teams"]).name
    'kueuelab-studio.ipynb'
    >>> notebook_with_studio(folder, ["two-teams-later"]).name
    'kueuelab-studio-2.ipynb'
    """
    from kueuelab.files.writing import write_text

    arguments = ", ".join(map(repr, files))
    source = _SOURCE.format(arguments=arguments)
    text = _notebook(source)
    for number in count(1):
        ending = "" if number == 1 else f"-{number}"
        path = folder / f"kueuelab-studio{ending}.ipynb"
        if not path.exists():
            write_text(path, text)
            break
        if path.is_file() and path.read_text("utf-8") == text:
            break
    return path


def _notebook(source: str) -> str:
    cell: dict[str, object] = {
        "cell_type": "code",
        "execution_count": None,
        "id": "studio",
        "metadata": {},
        "outputs": [],
        "source": source.splitlines(keepends=True),
    }
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {
        "cells": [cell],
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1) + "\n"


def _absolute(file: str) -> str:
    """Return a path that does not depend on the folder; a packaged name stays as it is."""
    path = Path(file)
    return str(path.resolve()) if path.exists() else file
