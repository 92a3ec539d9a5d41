"""The file of a sweep: a row is on disk when its run has ended, and no run is done twice.

While a sweep goes on, a folder beside the file has a small Parquet file for each run. When all
are there, they become the one file, and the folder goes. Every file appears whole, or not at all.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kueuelab.errors import InputError, Location, Problem
from kueuelab.files import check_ending, replacing, write_text
from kueuelab.messages import Message
from kueuelab.sweeps.plan import Plan, Row
from kueuelab.sweeps.table import needed, table_of

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Store"]

_PLAN: Final = "kueuelab.plan"
_ENDINGS: Final = (".parquet", ".pq")


class Store:
    """Where the rows of a sweep are kept.

    Parameters
    ----------
    path
        The Parquet file.
    plan
        The sweep.

    Raises
    ------
    InputError
        If there is another sweep in that file.
    KueueLabError
        If pyarrow is not installed.
    """

    def __init__(self, path: str | Path, plan: Plan) -> None:
        check_ending(path, _ENDINGS)
        self._arrow = needed("pyarrow")
        self.path = Path(path)
        self.parts = self.path.with_name(f"{self.path.name}.parts")
        self._plan = plan
        self._fingerprint = plan.fingerprint
        self._check()

    def _check(self) -> None:
        """Refuse the file of another sweep, finished or not."""
        known = None
        if self.path.exists():
            known = self._fingerprint_of_file()
        elif (note := self.parts / "plan.json").exists():
            known = json.loads(note.read_text("utf-8")).get("plan")
        else:
            return
        if known != self._fingerprint:
            hint = Message("sweeps.store.other.hint")
            location = Location(str(self.path))
            raise InputError(Problem(Message("sweeps.store.other"), location=location, hint=hint))

    def _fingerprint_of_file(self) -> str | None:
        try:
            metadata = self._arrow.parquet.read_schema(self.path).metadata or {}
        except (OSError, self._arrow.ArrowInvalid):
            return None
        return str(metadata.get(_PLAN.encode(), b"").decode("ascii", "replace"))

    def rows(self) -> dict[int, Row]:
        """Return the rows that are there, by the numbers of their runs."""
        if self.path.exists():
            return {row["run"]: row for row in _rows(self._read(self.path))}
        return {
            row["run"]: row
            for file in sorted(self.parts.glob("run-*.parquet"))
            for row in _rows(self._read(file))
        }

    def add(self, row: Row) -> None:
        """Keep a row."""
        note = self.parts / "plan.json"
        if not note.exists():
            self.parts.mkdir(parents=True, exist_ok=True)
            write_text(note, json.dumps({"plan": self._fingerprint, "runs": len(self._plan)}))
        self._write(self.parts / f"run-{row['run']:09}.parquet", [row])

    def finish(self, rows: list[Row]) -> None:
        """Make the one file of all rows."""
        if not self.path.exists():
            self._write(self.path, rows)
        shutil.rmtree(self.parts, ignore_errors=True)

    def _read(self, file: Path) -> Any:
        return self._arrow.parquet.read_table(file)

    def _write(self, file: Path, rows: list[Row]) -> None:
        table = table_of(self._plan, rows).replace_schema_metadata({_PLAN: self._fingerprint})
        with replacing(file) as stream:
            self._arrow.parquet.write_table(table, stream)


def _rows(table: pyarrow.Table) -> Iterator[Row]:
    """Yield rows without the columns in which they have nothing, but for the error."""
    for row in table.to_pylist():
        yield {name: value for name, value in row.items() if value is not None or name == "error"}
