"""A sequence diagram of one job's history across clusters."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any, Final

from kueuelab.errors import UnknownObjectError
from kueuelab.messages import Message
from kueuelab.multikueue import WorldRun
from kueuelab.trace.names import short_name
from kueuelab.views.sequence import Sequence, SequenceMessage, sequence_of
from kueuelab.widgets.frontend import html, markup
from kueuelab.widgets.style import BLUE, FRAME, PURPLE

__all__ = ["JobHistory", "SequenceDiagram"]

_LANE: Final = 250
_ROW: Final = 26
_LEFT: Final = 70
_TOP: Final = 40
#: How many characters there is room for between two lifelines.
_ROOM: Final = 38


class SequenceDiagram:
    r"""The history of one job: a lifeline for each cluster, an arrow for each message.

    Parameters
    ----------
    run
        What :func:`kueuelab.multikueue.load` and its ``run`` gave.
    workload
        ``namespace/name``, or the name alone.

    Attributes
    ----------
    sequence
        What is shown, as data.
    widget
        The widget, to be put into a layout of one's own.

    Examples
    --------
    >>> import kueuelab.multikueue as mk
    >>> diagram = SequenceDiagram(mk.load("lost-worker").run(), "train")
    >>> print("\n".join(diagram.as_text().splitlines()[:6]))
    train: manager, w1, w2
      1s       manager: submitted
      1s       manager: quota reserved
      1.1s     manager: nominates w1, w2
      1.1s     manager → w1: creates a copy
      1.1s     w1: quota reserved
    """

    def __init__(self, run: WorldRun, workload: str) -> None:
        self.sequence = sequence_of(run, workload)
        self.widget = html("kl-sequence")
        self.widget.value = f'<div style="overflow-x:auto">{self.as_svg()}</div>'

    def as_text(self) -> str:
        """Return the sequence, one message a line."""
        return self.sequence.as_text()

    def as_svg(self) -> str:
        """Return the diagram as SVG, without a script and with every text escaped."""
        sequence = self.sequence
        width = _LEFT + _LANE * len(sequence.clusters)
        height = _TOP + _ROW * (len(sequence.messages) + 1)
        name = escape(Message("widgets.life.title", workload=short_name(sequence.workload)))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{name}" '
            f'width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            'style="color:var(--jp-ui-font-color1,#333);font:12px sans-serif">'
            f"<title>{name}</title>{''.join(_drawn(sequence, height))}</svg>"
        )

    def __repr__(self) -> str:
        return (
            f"<SequenceDiagram of {self.sequence.workload}: {len(self.sequence.messages)} messages>"
        )

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        shown = self.widget._repr_mimebundle_()
        bundle = dict(shown[0] if isinstance(shown, tuple) else shown)
        bundle["text/plain"] = self.as_text()
        return bundle


class JobHistory:
    """The history of the selected job, drawn again when another one is selected.

    Attributes
    ----------
    widget
        The widget, to be put into a layout of one's own.
    """

    def __init__(self) -> None:
        self.widget = html("kl-sequence")
        self._shown: tuple[WorldRun, str] | None = None

    def show(self, run: WorldRun, workload: str) -> None:
        """Draw the life of a job; say what to do if it is none of the manager's."""
        if self._shown == (run, workload):
            return
        self._shown = run, workload
        try:
            drawn = SequenceDiagram(run, workload).as_svg()
        except UnknownObjectError:
            self.widget.value = markup("p", Message("widgets.life.prompt"))
            return
        self.widget.value = f'<div style="overflow-x:auto">{drawn}</div>'


def _drawn(sequence: Sequence, height: int) -> Iterator[str]:
    places = {name: _LEFT + 20 + _LANE * i for i, name in enumerate(sequence.clusters)}
    for name, x in places.items():
        yield _text(x, 16, name, weight="bold", anchor="middle")
        yield (
            f'<line x1="{x}" y1="24" x2="{x}" y2="{height}" stroke="{FRAME}" '
            'stroke-dasharray="4 3"/>'
        )
    for row, message in enumerate(sequence.messages):
        yield from _message(message, places, _TOP + _ROW * row + _ROW // 2)


def _message(message: SequenceMessage, places: dict[str, int], y: int) -> Iterator[str]:
    start, end = places[message.source], places[message.target]
    yield f"<g><title>{escape(message.as_text())}</title>"
    yield _text(_LEFT - 12, y + 4, message.at, anchor="end")
    if start == end:
        yield f'<circle cx="{start}" cy="{y}" r="4" fill="{PURPLE}"/>'
        yield _text(start + 10, y + 4, _short(message.text, _ROOM))
    else:
        towards = 1 if end > start else -1
        room = _ROOM * abs(end - start) // _LANE
        yield f'<line x1="{start}" y1="{y}" x2="{end}" y2="{y}" stroke="{BLUE}" stroke-width="2"/>'
        tip = end - 9 * towards
        yield f'<polygon points="{end},{y} {tip},{y - 5} {tip},{y + 5}" fill="{BLUE}"/>'
        yield _text((start + end) // 2, y - 7, _short(message.text, room), anchor="middle")
    yield "</g>"


def _text(x: int, y: int, text: str, *, anchor: str = "start", weight: str = "normal") -> str:
    return (
        f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-weight="{weight}" '
        # Lifelines stay behind the text.
        'style="paint-order:stroke;stroke:var(--jp-layout-color1,#fff);stroke-width:4px" '
        f'fill="currentColor">{escape(text)}</text>'
    )


def _short(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 1] + "…"
