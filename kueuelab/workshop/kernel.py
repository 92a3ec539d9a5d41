"""Runs the cells of a notebook in a kernel of its own."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from kueuelab.errors import KueueLabError
from kueuelab.messages import Message

__all__ = ["run_notebook"]

#: How long one cell may take.
_SECONDS: Final = 900


def run_notebook(text: str, folder: Path, environment: Mapping[str, str] | None = None) -> Any:
    """Run a notebook, and return it with its outputs.

    Parameters
    ----------
    text
        The notebook, as JSON.
    folder
        The working folder of the kernel.
    environment
        Variables of the kernel besides those of this process.

    Raises
    ------
    KueueLabError
        If Jupyter is not installed, or a cell fails.
    """
    if find_spec("nbclient") is None or find_spec("ipykernel") is None:
        raise KueueLabError(
            Message("workshop.kernel.not-installed"),
            hint=Message("workshop.kernel.not-installed.hint"),
        )
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    notebook = nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]
    client = NotebookClient(
        notebook,
        timeout=_SECONDS,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
    )
    try:
        client.execute(env={**os.environ, **(environment or {})})
    except CellExecutionError as error:
        raise KueueLabError(
            Message("workshop.kernel.failed", error=f"{error.ename}: {error.evalue}")
        ) from error
    except Exception as error:  # a kernel can fail to start in many ways
        raise KueueLabError(
            Message("workshop.kernel.failed", error=f"{type(error).__name__}: {error}")
        ) from error
    return notebook
