"""A followed cluster as a table of the terminal that refreshes, on Textual."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.widgets import DataTable, Footer, Static
from textual.worker import Worker, WorkerState

from kueuelab.errors import KueueLabError
from kueuelab.live.follow_status import Difference, FollowStatus, QueueRow
from kueuelab.messages import Catalog
from kueuelab.model.times import format_time
from kueuelab.printable import escaped

__all__ = ["FollowApp"]

_QUEUE_COLUMNS: Final = ("queue", "cohort", "admitted", "pending", "used")
_DIFFERENCE_COLUMNS: Final = ("time", "kueue", "lab")


class FollowApp(App[None]):
    """Shows the counts, the queues, and the decisions that differ.

    Parameters
    ----------
    status
        Returns what following has come to so far.
    words
        The language.
    seconds
        For how long; by default until it is quit.
    every
        How many seconds pass until it refreshes.

    Attributes
    ----------
    error
        What ended it, if following failed.
    """

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #headline { height: auto; padding: 0 1; background: $primary-background; text-style: bold; }
    #notes { height: auto; max-height: 4; padding: 0 1; color: $text-warning; }
    #queues { height: 1fr; border: round $surface-lighten-2; }
    #differences { height: 1fr; border: round $surface-lighten-2; }
    DataTable:focus { border: round $accent; }
    """

    def __init__(
        self,
        status: Callable[[], FollowStatus],
        words: Catalog,
        *,
        seconds: float = float("inf"),
        every: float = 1.0,
    ) -> None:
        super().__init__()
        self._status, self._words = status, words
        self._seconds, self._every = seconds, every
        self._queues: tuple[QueueRow, ...] | None = None
        self._differences: tuple[Difference, ...] | None = None
        self.error: KueueLabError | None = None

    def compose(self) -> ComposeResult:
        """Put the counts above, then the queues, the differences, and the keys last."""
        yield Static(id="headline", markup=False)
        yield Static(id="notes", markup=False)
        for name in ("queues", "differences"):
            table: DataTable[str] = DataTable(id=name, cursor_type="row", zebra_stripes=True)
            table.border_title = self._words.text(f"cli.follow.{name}")
            yield table
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Show it now, and again and again."""
        self._add_columns("queues", _QUEUE_COLUMNS)
        self._add_columns("differences", _DIFFERENCE_COLUMNS)
        text = self._words.text("cli.follow.quit")
        for key in ("q", "ctrl+c"):
            binding = Binding(key, "quit", text, show=key == "q", priority=True)
            self._bindings.key_to_bindings.setdefault(key, []).append(binding)
        self.refresh_bindings()
        self._read()
        self.set_interval(self._every, self._read)
        if self._seconds != float("inf"):
            self.set_timer(self._seconds, self.exit)

    def _add_columns(self, name: str, columns: Sequence[str]) -> None:
        table = self.query_one(f"#{name}", DataTable)
        table.add_columns(*(self._words.text(f"cli.follow.column.{each}") for each in columns))

    def _read(self) -> None:
        """Read the status beside the terminal: following may be busy."""
        self.run_worker(self._status, "status", thread=True, exclusive=True, exit_on_error=False)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Show what was read; end where the cluster can't be followed any longer."""
        if not self.query("#headline"):
            return  # It has been quit meanwhile.
        if event.state is WorkerState.SUCCESS and isinstance(event.worker.result, FollowStatus):
            self.show(event.worker.result)
        elif event.state is WorkerState.ERROR:
            error = event.worker.error
            if not isinstance(error, KueueLabError):
                assert error is not None
                raise error
            self.error = error
            self.exit()

    def show(self, status: FollowStatus) -> None:
        """Show a status; rows that are the same stay where they are."""
        self.query_one("#headline", Static).update(self._words.render(status.headline()))
        notes = "\n".join(escaped(self._words.render(note)) for note in status.notes)
        self.query_one("#notes", Static).update(notes)
        if status.queues != self._queues:
            self._queues = status.queues
            self._fill("queues", [self._queue_cells(row) for row in status.queues])
        if status.differences != self._differences:
            self._differences = status.differences
            self._fill("differences", [self._difference_cells(d) for d in status.differences])

    def _fill(self, name: str, rows: Sequence[Sequence[str]]) -> None:
        table = self.query_one(f"#{name}", DataTable)
        place = table.cursor_row
        table.clear()
        table.add_rows(rows)
        table.move_cursor(row=min(place, max(len(rows) - 1, 0)))

    def _queue_cells(self, row: QueueRow) -> list[str]:
        used = ", ".join(row.used) or "-"
        return [row.name, row.cohort or "-", str(row.admitted), str(row.pending), used]

    def _difference_cells(self, difference: Difference) -> list[str]:
        texts = (difference.decision, difference.lab)
        return [
            format_time(difference.time),
            *(escaped(self._words.render(text)) for text in texts),
        ]
