"""The queues panel: who waits in which ClusterQueue, in which order, and who is set aside."""

from __future__ import annotations

from typing import Any

import ipywidgets

from kueuelab.messages import Catalog, Message
from kueuelab.trace.names import short_name
from kueuelab.views import Queues, queues_at
from kueuelab.widgets.board import Watched, board_of
from kueuelab.widgets.frontend import ChoiceTable, View

__all__ = ["QueuesPanel"]

#: More rows than this in one table help nobody; the rest is counted.
_MOST = 100


class QueuesPanel(View):
    """Pending workloads per ClusterQueue in their order, and those set aside, with the reason.

    Parameters
    ----------
    run
        A run, a trace, or the board of another view.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> print(QueuesPanel(scenarios.load("within-1-all-in-one-queue").run()).as_text())
    cluster-queue: 0 admitted, 1 pending
      #  workload       priority  place         why
      1  default/job-0  100       in the queue
    cohort-queue: 0 admitted, 0 pending
    """

    def __init__(self, run: Watched, *, language: str | Catalog | None = None) -> None:
        self.board = board_of(run, language=language)
        self._table = ChoiceTable(
            language=self.board.words,
            columns=[
                "#",
                "workload",
                "priority",
                Message("widgets.queues.requests"),
                "place",
                "why",
            ],
            link=1,
        )
        self._table.on_msg(self._chosen)
        self.widget = ipywidgets.VBox([self._table])
        self.board.subscribe(lambda _: self.refresh() if self.visible else None)
        self.refresh()

    def as_text(self) -> str:
        """Return each ClusterQueue with the workloads that wait for it."""
        return self.queues.as_text()

    @property
    def queues(self) -> Queues:
        """What is shown, as data."""
        return queues_at(self.board.run_index, self.board.index)

    def _chosen(self, _: Any, content: Any, __: Any) -> None:
        if content.get("type") == "select":
            self.board.select("Workload", content["key"])

    def refresh(self) -> None:
        """Show who waits now."""
        selected = self.board.selected
        only = selected[1] if selected and selected[0] == "ClusterQueue" else ""
        rows: list[Any] = [
            {
                "key": row.workload,
                "cells": [
                    str(row.position or "–"),
                    [short_name(row.workload), queue.name],
                    str(row.priority),
                    row.request,
                    row.place,
                    row.why,
                ],
            }
            for queue in queues_at(self.board.run_index, self.board.index, only).queues
            for row in queue.pending
            if only in ("", queue.name)
        ]
        id_ = f"widgets.queues.pending-in-{'one' if only else 'all'}"
        values: dict[str, Any] = {"queue": only} if only else {}
        if len(rows) > _MOST:
            id_, values = f"{id_}-first", {**values, "most": _MOST}
        chosen = [row for row in rows[_MOST:] if row["key"] == self.board.workload]
        with self._table.hold_sync():
            self._table.caption = Message(id_, count=len(rows), **values)
            self._table.rows = [*rows[:_MOST], *chosen] or [
                {"cells": [Message("widgets.queues.none-pending")]}
            ]
            self._table.selected = self.board.workload
