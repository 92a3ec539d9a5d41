"""A rehearsal: every notebook and every solution runs in the order of the course, with times."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kueuelab.errors import KueueLabError, UnknownObjectError
from kueuelab.messages import Message
from kueuelab.workshop.kernel import run_notebook
from kueuelab.workshop.library import specs
from kueuelab.workshop.starter import init_folder

__all__ = ["Rehearsed", "parts", "rehearse"]


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """One part of the course that was run.

    Attributes
    ----------
    name
        The notebook or exercise.
    seconds
        How long it took.
    error
        Why it failed; empty if it ran to its end.
    """

    name: str
    seconds: float
    error: str = ""

    def as_data(self) -> dict[str, object]:
        """Return it as plain JSON values."""
        return {"name": self.name, "seconds": round(self.seconds, 1), "error": str(self.error)}


def parts(course: Path, chosen: Iterable[str] = ()) -> dict[str, Path]:
    """Return the notebooks of a course, then the solutions of all exercises, by name.

    Parameters
    ----------
    course
        A folder that `init_folder` made.
    chosen
        Names, or how names begin, such as ``01``; all parts by default.

    Raises
    ------
    UnknownObjectError
        If nothing has such a name.
    """
    known = {file.stem: file for file in sorted((course / "notebooks").glob("*.ipynb"))}
    known |= {spec.name: spec.source for spec in specs()}
    beginnings = tuple(chosen)
    for each in beginnings:
        if not any(name.startswith(each) for name in known):
            raise UnknownObjectError(Message("workshop.rehearsal.part"), each, list(known))
    if not beginnings:
        return known
    return {name: file for name, file in known.items() if name.startswith(beginnings)}


def rehearse(
    chosen: Iterable[str] = (), clock: Callable[[], float] = time.monotonic
) -> Iterator[Rehearsed]:
    """Run parts of the course, each in a kernel of its own; yield each result when it is known.

    Everything happens in a temporary folder: the learner's copies and progress stay as they are.
    The last cell of a solution requires that the exercise is solved.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        init_folder(folder)
        environment = {"KUEUELAB_PROGRESS": str(folder / "progress.json")}
        for part, file in parts(folder, chosen).items():
            working = file.parent if file.is_relative_to(folder) else folder / "exercises" / part
            begun = clock()
            error = ""
            try:
                run_notebook(file.read_text("utf-8"), working, environment)
            except KueueLabError as failure:
                error = failure.problem.message
            yield Rehearsed(part, clock() - begun, error)
