"""Source notebooks: their solution, and the copies for learners that are made from them.

Cells are marked as nbgrader does: ``nbgrader.solution`` in the metadata, and in the cell
``### BEGIN SOLUTION`` and ``### END SOLUTION``. What the learner finds instead is the
cell's ``kueuelab.stub``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

__all__ = ["learner_copy", "solution_alone", "solution_of"]

_REGION: Final = re.compile(r"[ \t]*### BEGIN SOLUTION\n(.*?)[ \t]*### END SOLUTION\n?", re.DOTALL)


def solution_of(source: Path) -> str:
    """Return the solution that a source notebook has, as code."""
    cells = json.loads(source.read_text("utf-8"))["cells"]
    found = [
        region.rstrip()
        for cell in cells
        if _is_solution(cell)
        for region in _REGION.findall("".join(cell["source"]))
    ]
    return "\n".join(found)


def solution_alone(source: str) -> str:
    """Return a source notebook without the cells that have no solution.

    Parameters
    ----------
    source
        The source notebook as text.
    """
    notebook = json.loads(source)
    notebook["cells"] = [cell for cell in notebook["cells"] if _is_solution(cell)]
    return json.dumps(notebook, ensure_ascii=False)


def learner_copy(source: str) -> str:
    """Return a learner's notebook: stubs for solutions, no outputs.

    Parameters
    ----------
    source
        The source notebook as text.
    """
    notebook = json.loads(source)
    for cell in notebook["cells"]:
        stub = cell["metadata"].pop("kueuelab", {}).get("stub", "")
        if _is_solution(cell):
            text = f"{stub}\n".join(_REGION.split("".join(cell["source"]))[::2])
            cell["source"] = text.rstrip("\n").splitlines(keepends=True)
        if cell["cell_type"] == "code":
            cell["outputs"] = []
            cell["execution_count"] = None
    return f"{json.dumps(notebook, indent=1, ensure_ascii=False)}\n"


def _is_solution(cell: dict[str, Any]) -> bool:
    return bool(cell["metadata"].get("nbgrader", {}).get("solution"))
