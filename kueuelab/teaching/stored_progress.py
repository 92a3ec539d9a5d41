"""The start page of a learner's folder, with progress in it before any cell is run."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from typing import Any, Final

from kueuelab.teaching.course import progress
from kueuelab.workshop.course_map import exercise_map
from kueuelab.workshop.notebooks import first_notebook, is_copy
from kueuelab.workshop.progress import Progress
from kueuelab.workshop.starter import rewrite

__all__ = ["show_progress"]

#: Tags of the cells whose output is written here.
_PROGRESS: Final = "kueuelab-progress"
_MAP: Final = "kueuelab-map"


def show_progress(page: Path, kept: Progress | None = None) -> bool:
    """Write the learner's progress into a start page, as its cells would show it.

    Parameters
    ----------
    page
        The notebook. In a checkout it is left as it is: there it is not the learner's own.
    kept
        The learner's progress; that of this account, if left out.

    Returns
    -------
    bool
        Whether it was written.
    """
    if not is_copy(page) or page != first_notebook(page.parent):
        return False
    kept = kept or Progress()
    shown = {_PROGRESS: lambda: _progress(kept), _MAP: lambda: _map(kept)}
    try:
        notebook = json.loads(page.read_bytes())
        found = [_filled(cell, shown) for cell in notebook["cells"]]
    except (ValueError, KeyError, TypeError, AttributeError):
        return False  # the learner's own page, whatever it is
    if any(found):
        text = json.dumps(notebook, indent=1, ensure_ascii=False)
        rewrite(page, f"{text}\n".encode())
    return any(found)


def _filled(cell: dict[str, Any], shown: Mapping[str, Callable[[], dict[str, str]]]) -> bool:
    """Put the output into a cell that has one of the tags; tell whether it has."""
    tags = [each for each in cell.get("metadata", {}).get("tags", ()) if each in shown]
    if cell["cell_type"] == "code" and tags:
        data = shown[tags[0]]()
        cell["outputs"] = [{"output_type": "display_data", "metadata": {}, "data": data}]
    return bool(tags)


def _progress(kept: Progress) -> dict[str, str]:
    found = progress(kept)
    return {"text/html": found._repr_html_(), "text/plain": repr(found)}


def _map(kept: Progress) -> dict[str, str]:
    """Return the map as a picture: JupyterLab shows no other graphics that were not run there."""
    found = exercise_map(progress=kept.path)
    source = base64.b64encode(found.as_svg().encode()).decode()
    text = escape(found.as_text(), quote=True)
    image = f'<img alt="{text}" src="data:image/svg+xml;base64,{source}">'
    return {"text/html": image, "text/plain": found.as_text()}
