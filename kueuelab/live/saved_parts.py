"""The record of a followed cluster in files, written as it goes."""

from __future__ import annotations

from pathlib import Path

from kueuelab.trace import Trace
from kueuelab.views.saving import ENDINGS, check_name, save_trace

__all__ = ["SavedParts"]


class SavedParts:
    """Writes each complete part of a record to a file of its own, and the last one to ``file``.

    Parameters
    ----------
    file
        The file of the last part, or of everything if there is one part only.

    Raises
    ------
    InputError
        If the name does not say what to write.

    Attributes
    ----------
    count
        How many complete parts were written.

    Examples
    --------
    >>> SavedParts("cluster.json.gz").part_file(1).name
    'cluster-0001.json.gz'
    """

    def __init__(self, file: str | Path) -> None:
        check_name(file)
        self.file = Path(file)
        self.count = 0

    def part_file(self, number: int) -> Path:
        """Return the file of a complete part, counted from 1."""
        name = self.file.name
        ending = max((each for each in ENDINGS if name.endswith(each)), key=len)
        return self.file.with_name(f"{name.removesuffix(ending)}-{number:04}{ending}")

    def next(self, trace: Trace) -> None:
        """Write a complete part."""
        self.count += 1
        save_trace(trace, self.part_file(self.count))

    def last(self, trace: Trace) -> None:
        """Write what follows on the last complete part."""
        save_trace(trace, self.file)
