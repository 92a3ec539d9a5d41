"""A text with numbered lines, in which mistakes and changes are marked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final

import anywidget
import traitlets

from kueuelab.widgets.forms import STYLE

__all__ = ["Editor", "changed_lines"]

_STATIC: Final = Path(__file__).parent / "static"


class Editor(anywidget.AnyWidget):
    """A text to be edited.

    ``problems`` are pairs of line and sentence, with line 0 for what has none; ``changed``
    are the lines that differ; ``said`` is shown while there are no problems.
    """

    _esm = (_STATIC / "editor.js").read_text("utf-8")
    _css = STYLE
    value = traitlets.Unicode("").tag(sync=True)
    label = traitlets.Unicode("").tag(sync=True)
    hint = traitlets.Unicode("").tag(sync=True)
    said = traitlets.Unicode("").tag(sync=True)
    problems = traitlets.List(traitlets.Any()).tag(sync=True)
    changed = traitlets.List(traitlets.Int()).tag(sync=True)

    def judge(self, problems: Sequence[str], said: str, original: str) -> None:
        """Show what is wrong, or else what to say; mark what differs from the original."""
        with self.hold_sync():
            self.problems = [[_line_of(problem), problem] for problem in problems]
            self.said = said
            self.changed = changed_lines(original, self.value)


def changed_lines(before: str, after: str) -> list[int]:
    r"""Return the numbers of the lines that were changed or added.

    Examples
    --------
    >>> changed_lines("a\nb\nc", "a\nx\nc\nd")
    [2, 4]
    """
    one, other = before.splitlines(), after.splitlines()
    return [
        line + 1
        for kind, _, _, start, end in SequenceMatcher(
            None, one, other, autojunk=False
        ).get_opcodes()
        if kind != "equal"
        for line in range(start, end)
    ]


def _line_of(problem: str) -> int:
    """Return the line that a problem names, 0 if it names none.

    >>> _line_of("line 18: ClusterQueue/a: no such field"), _line_of("there is no object")
    (18, 0)
    """
    found = re.match(r"line (\d+)\b", problem)
    return int(found[1]) if found else 0
