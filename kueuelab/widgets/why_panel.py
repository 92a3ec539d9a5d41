"""The why panel: the whole explanation of the selected workload, up to the step that is shown."""

from __future__ import annotations

from typing import Final

from kueuelab.errors import UnknownObjectError
from kueuelab.messages import Message
from kueuelab.trace.explain import Explanation, why
from kueuelab.widgets.run_view import RunView

__all__ = ["WhyPanel"]

_NONE: Final = Message("widgets.explanation.prompt")


class WhyPanel(RunView):
    """Why a workload is where it is: its queue, flavors, candidates, attempts, what it waits for.

    It is about the selected workload, or else about the one that the step is about.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> panel = WhyPanel(scenarios.load("within-1-all-in-one-queue").run())
    >>> print(panel.as_text().splitlines()[3])
      default/job-0 is pending in ClusterQueue team-a.
    """

    part = "why"

    @property
    def explanation(self) -> Explanation | None:
        """What is shown, as data; ``None`` if there is no workload to tell of."""
        workload = self.board.workload or self.board.cursor.step.workload
        if not workload:
            return None
        try:
            return why(self.board.trace, workload, self.board.index, self.board.words)
        except UnknownObjectError:
            return None

    def as_text(self) -> str:
        """Return the explanation as plain text."""
        explanation = self.explanation
        return _NONE if explanation is None else explanation.as_text()
