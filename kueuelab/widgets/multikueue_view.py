"""The MultiKueue board: a lane for each cluster, rounds as columns, copies as chips."""

from __future__ import annotations

from bisect import bisect_right
from html import escape
from itertools import islice
from typing import Final

import ipywidgets

from kueuelab.model.times import SECOND
from kueuelab.multikueue import WorldRun
from kueuelab.trace.breakpoints import Breakpoint
from kueuelab.widgets.board import Board
from kueuelab.widgets.controls import Controls
from kueuelab.widgets.frontend import View, html, markup
from kueuelab.widgets.style import BLUE, BORROWED, FRAME, GREEN, PURPLE, RED
from kueuelab.widgets.viewmodel.dispatch import Dispatches
from kueuelab.widgets.viewmodel.multikueue import (
    MARKS,
    Chip,
    JobRow,
    LaneView,
    MultiKueuePicture,
    QueueBar,
    picture_at,
)
from kueuelab.widgets.viewmodel.reading import short_name

__all__ = ["MultiKueueBoard", "multikueue_board"]

#: Border of a chip, by its mark; the mark says the same.
_BORDERS: Final = {
    "○": FRAME,
    "◐": BORROWED,
    "●": BLUE,
    "★": GREEN,
    "✕": FRAME,
    "!": RED,
    "⚠": RED,
    "✓": GREEN,
}
_LINE: Final = "1px solid var(--kl-line, #bdbdbd)"
_CELL: Final = f"padding:2px 10px 2px 0;text-align:left;vertical-align:top;border-bottom:{_LINE}"


class MultiKueueBoard(View):
    r"""Step through a run of several clusters: the manager on top, a lane for each worker.

    Parameters
    ----------
    run
        What :func:`kueuelab.multikueue.load` and its ``run`` gave.
    stop_at
        Where playing stops.

    Attributes
    ----------
    controls
        The buttons and the slider.

    Examples
    --------
    >>> import kueuelab.multikueue as mk
    >>> view = MultiKueueBoard(mk.load("rounds-step-by-step").run())
    >>> view.until("nominated", "train")
    True
    >>> print("\n".join(view.as_text().splitlines()[-4:]))
      round 1 at 100ms: w1
      clock: 0s of 5m0s; the round ends at 5m0.1s
      check multikueue is Pending
      conditions: QuotaReserved is True, PodsReady is False (WaitForStart)
    """

    def __init__(self, run: WorldRun, stop_at: Breakpoint | None = None) -> None:
        self.run = run
        self.board = Board(run.trace)
        self._dispatches = Dispatches(run)
        self.controls = Controls(self.board, stop_at)
        self._sentence = html("kl-sentence")
        self._lanes = html("kl-multikueue")
        self._jobs = html("kl-multikueue")
        legend = html("kl-legend")
        legend.value = markup("p", "   ".join(f"{mark} {words}" for mark, words in MARKS.items()))
        self.widget = ipywidgets.VBox(
            [self.controls.widget, self._sentence, self._lanes, legend, self._jobs]
        )
        self.widget.add_class("kl-view")
        self.board.subscribe(self._changed)
        self._changed(True)

    def as_text(self) -> str:
        """Return lanes, jobs with their rounds, races and hazards as plain text."""
        return self._picture.as_text()

    @property
    def picture(self) -> MultiKueuePicture:
        """What is shown, as data."""
        return self._picture

    def next(self) -> None:
        """Press Next."""
        self.controls.next.click()

    def previous(self) -> None:
        """Press Previous."""
        self.controls.previous.click()

    def to(self, index: int) -> None:
        """Go to a step; they count from 0."""
        self.board.go(index)

    def at(self, seconds: float) -> None:
        """Go to a time, in seconds since the start: the last step by then, and the clocks."""
        now = self.run.trace[0].time + round(seconds * SECOND)
        steps = self.run.trace.steps
        self.board.go(max(bisect_right(steps, now, key=lambda step: step.time) - 1, 0))
        self._show(now)

    def until(self, what: str, workload: str = "") -> bool:
        """Go on to the next step of a kind; tell whether there is one.

        Parameters
        ----------
        what
            ``nominated``, ``copied``, ``removed``, ``chosen``, ``evicted``, ``connection``,
            or the name of a kind of step.
        workload
            Whose; that of any job, if left out.
        """
        kind = _KINDS.get(what, what)
        for step in islice(self.run.trace.steps, self.board.index + 1, None):
            key = step.workload.partition(":")[2]
            if step.kind == kind and workload in ("", key, short_name(key)):
                return self.board.go(step.index)
        return False

    def _changed(self, _: bool) -> None:
        self._show()

    def _show(self, now: int | None = None) -> None:
        board = self.board
        self._picture = picture_at(
            self.run,
            self._dispatches,
            board.index,
            state=board.cursor.state,
            sentence=board.background.decision(board.index).sentence,
            selected=board.workload.partition(":")[2],
            now=now,
        )
        self._sentence.value = _sentence(self._picture)
        self._lanes.value = "".join(_lane(lane) for lane in self._picture.lanes)
        self._jobs.value = _table(self._picture.jobs)


_KINDS: Final = {
    "nominated": "ClustersNominated",
    "copied": "CopyCreated",
    "removed": "CopyRemoved",
    "chosen": "WorkerChosen",
    "evicted": "Evicted",
    "connection": "WorkerConnectionChanged",
}


def _sentence(picture: MultiKueuePicture) -> str:
    notes = "".join(f"<blockquote>{escape(note)}</blockquote>" for note in picture.notes)
    moment = markup("p", picture.moment.as_text(), "kl-moment")
    return f'<div role="status">{moment}{markup("p", picture.sentence)}</div>{notes}'


def _lane(lane: LaneView) -> str:
    """Return a lane as markup: name and connection, queues, chips."""
    colour = PURPLE if lane.is_manager else BLUE if lane.connected else RED
    kind = "solid" if lane.connected else "dashed"
    queues = "".join(_queue(queue) for queue in lane.queues)
    chips = "".join(_chip(chip) for chip in lane.chips)
    more = markup("span", f"and {lane.hidden} more") if lane.hidden else ""
    name = escape(lane.cluster)
    return (
        f'<section aria-label="cluster {name}" style="border-left:4px {kind} {colour};'
        f'padding:2px 8px;margin:6px 0;line-height:1.4">'
        f"<div><b>{name}</b> ({escape(lane.connection)})</div>{queues}"
        f'<div style="display:flex;flex-wrap:wrap;gap:4px 8px;margin:2px 0">{chips}{more}</div>'
        "</section>"
    )


def _queue(queue: QueueBar) -> str:
    share = 100 * queue.used // queue.nominal if queue.nominal > 0 else 100 * (queue.used > 0)
    fill = BORROWED if share > 100 else BLUE
    return (
        '<div style="display:flex;gap:8px;align-items:center;font-size:12px">'
        f'<div aria-hidden="true" style="width:120px;height:10px;border:{_LINE}">'
        f'<div style="width:{min(share, 100)}%;height:100%;background:{fill}"></div></div>'
        f"{markup('span', queue.words)}</div>"
    )


def _chip(chip: Chip) -> str:
    kind = "dashed" if chip.mark in "✕○" else "solid"
    return (
        f'<span style="border:2px {kind} {_BORDERS[chip.mark]};border-radius:10px;'
        f'padding:0 8px;font-size:12px">{escape(chip.as_text())}</span>'
    )


def _table(jobs: tuple[JobRow, ...]) -> str:
    """Return the jobs as a table with a column for each round."""
    count = max((len(job.rounds) for job in jobs), default=0)
    names = [f"nomination {number}" for number in range(1, count + 1)]
    head = ["job", "where it is", *names, "clock", "check", "conditions"]
    cells = "".join(f'<th scope="col" style="{_CELL}">{escape(name)}</th>' for name in head)
    rows = "".join(f"<tr>{_row(job, count)}</tr>" for job in jobs)
    return (
        '<div style="overflow-x:auto"><table style="border-collapse:collapse;font-size:12px;'
        f'line-height:1.4"><caption style="text-align:left;font-weight:600">Jobs on the manager'
        f"</caption><thead><tr>{cells}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _row(job: JobRow, count: int) -> str:
    rounds = [each.as_text() for each in job.rounds]
    rounds += [""] * (count - len(rounds))
    conditions = ", ".join(job.conditions)
    cells = [short_name(job.workload), job.state, *rounds, job.clock, job.check, conditions]
    return "".join(f'<td style="{_CELL}">{escape(cell)}</td>' for cell in cells)


def multikueue_board(run: WorldRun, stop_at: Breakpoint | None = None) -> MultiKueueBoard:
    """Show a run of several clusters.

    Parameters
    ----------
    run
        What :func:`kueuelab.multikueue.load` and its ``run`` gave.
    stop_at
        Where playing stops.

    Examples
    --------
    >>> import kueuelab.multikueue as mk
    >>> multikueue_board(mk.load("lost-worker").run())
    <MultiKueueBoard at step 20 of 196>
    """
    return MultiKueueBoard(run, stop_at)
