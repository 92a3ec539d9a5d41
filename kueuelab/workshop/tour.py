"""The tour: the notebooks in their order, and which of them a learner has done."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kueuelab.errors import InputError, Location, Problem
from kueuelab.files import Format, read_json, write_json
from kueuelab.messages import Message
from kueuelab.workshop.notebooks import START
from kueuelab.workshop.progress import Progress

__all__ = ["Stop", "Tour"]

_FORMAT: Final = Format("kueuelab-tour", 1, {})


@dataclass(frozen=True, slots=True)
class Stop:
    """A notebook of the tour.

    Attributes
    ----------
    file
        The notebook.
    title
        Its first heading.
    done
        Whether the learner has done it.
    """

    file: Path
    title: str
    done: bool = False

    @property
    def name(self) -> str:
        """The name of the notebook."""
        return self.file.stem


class Tour:
    """The notebooks of a folder in their order, with what is noted beside the learner's progress.

    Parameters
    ----------
    folder
        The folder with the notebooks.
    path
        The file that says which are done; by default beside that of the exercises.

    Examples
    --------
    >>> import tempfile
    >>> tour = Tour(Path("notebooks"), Path(tempfile.mkdtemp()) / "tour.json")
    >>> tour.stops[0].name, tour.next.name
    ('01-first-preemption', '01-first-preemption')
    >>> tour.mark("01-first-preemption", done=True)
    >>> tour.next.name
    '02-queues-and-quotas'
    """

    def __init__(self, folder: Path, path: Path | None = None) -> None:
        self.folder = folder
        self.path = path or Progress().path.with_name("tour.json")

    def __repr__(self) -> str:
        done = sum(stop.done for stop in self.stops)
        return f"<Tour: {done} of {len(self.stops)} done>"

    @property
    def stops(self) -> tuple[Stop, ...]:
        """The notebooks."""
        done = self._done()
        return tuple(
            Stop(file, _title_of(file), file.stem in done)
            for file in sorted(self.folder.glob("[0-9]*.ipynb"))
            if file.stem != START
        )

    @property
    def next(self) -> Stop | None:
        """The first notebook that is not done; ``None`` if all are."""
        return next((stop for stop in self.stops if not stop.done), None)

    def mark(self, name: str, *, done: bool) -> None:
        """Note whether a notebook is done."""
        known = self._done() - {name} | ({name} if done else set())
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_json(self.path, {"done": sorted(known)}, _FORMAT)

    def _done(self) -> set[str]:
        if not self.path.exists():
            return set()
        found: Any = read_json(self.path, _FORMAT)
        done = found.get("done") if isinstance(found, dict) else None
        if not isinstance(done, list):
            raise InputError(
                Problem(
                    Message("workshop.progress.unreadable"),
                    location=Location(str(self.path)),
                    hint=Message("workshop.progress.unreadable.hint"),
                )
            )
        return {str(name) for name in done}


def _title_of(file: Path) -> str:
    """Return the first heading of a notebook; its name if there is none."""
    try:
        cells = json.loads(file.read_text("utf-8"))["cells"]
        lines = (line for cell in cells for line in "".join(cell["source"]).splitlines())
        heading = next(line for line in lines if line.startswith("# "))
    except (ValueError, KeyError, TypeError, StopIteration):
        return file.stem
    return heading.removeprefix("# ").strip()
