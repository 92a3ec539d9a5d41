"""The studio as a page of a Jupyter server: Voila runs its one cell."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

__all__ = ["PATH", "address", "show"]

#: Where it is, below the address of the server.
PATH = "kueuelab/studio"


def address(files: list[str], page: str = "") -> str:
    """Return where the studio is with files open, below the address of the server.

    Examples
    --------
    >>> address(["two-teams", "a b.yaml"], "compare")
    'kueuelab/studio?file=two-teams&file=a+b.yaml&page=compare'
    >>> address([])
    'kueuelab/studio'
    """
    query = [("file", file) for file in files] + ([("page", page)] if page else [])
    return f"{PATH}?{urlencode(query)}" if query else PATH


def show() -> None:
    """Show the studio that the address of the page asks for; its one cell calls this."""
    from IPython.display import display

    from kueuelab.session.opening import named_files, require_openable
    from kueuelab.studio.studio_view import Studio

    asked = parse_qs(os.environ.get("QUERY_STRING", ""))
    studio: Any = Studio(server=os.environ.get("VOILA_BASE_URL", "/"))
    named = named_files(os.environ)

    def opened(file: str) -> None:
        require_openable(file, Path.cwd(), named)
        studio.open(file)

    for file in asked.get("file", []):
        studio.attempt(partial(opened, file))
    for page in asked.get("page", []):
        studio.show_page(page)
    display(studio.widget)  # type: ignore[no-untyped-call]
