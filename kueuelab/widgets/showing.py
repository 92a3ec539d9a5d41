"""The view of a run that shows everything about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from kueuelab.messages import Catalog
from kueuelab.trace.recorded_run import RecordedRun
from kueuelab.trace.timetravel import Cursor
from kueuelab.widgets.view import View

if TYPE_CHECKING:
    from kueuelab.multikueue import ClusterSetRun

__all__ = ["shown"]


def shown(
    run: RecordedRun, language: str | Catalog | None = None, at: int | Cursor | None = None
) -> View:
    """Return all views of a run together; of several clusters, the board."""
    from kueuelab.widgets import lab, multikueue_board

    if len(run.trace.clusters) > 1:
        return multikueue_board(cast("ClusterSetRun", run), at=at, language=language)
    return lab(run, at=at, language=language)
