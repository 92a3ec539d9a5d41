"""Holding what the simulator did against what was recorded, field by field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kueuelab.conformance.format import STEP
from kueuelab.conformance.shapes import ABSENT, Level, Path

__all__ = ["ABSENT", "Difference", "Level", "compare_step"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One value that is not what was recorded.

    Attributes
    ----------
    step : int
        The position of the step in the case, from 0.
    path : tuple of str
        The place in the step's record.
    expected, got : object
        What was recorded, and what the simulator says; ``ABSENT`` where there is none.

    Examples
    --------
    >>> path = ("cycles", "[0]", "entries", "[default/a]", "mode")
    >>> difference = Difference(2, path, "Fit", "Preempt")
    >>> difference.where
    'cycles[0].entries[default/a].mode'
    >>> difference.field
    'cycles.entries.mode'
    """

    step: int
    path: Path
    expected: Any
    got: Any

    @property
    def where(self) -> str:
        """The place, readable."""
        return ".".join(self.path).replace(".[", "[")

    @property
    def field(self) -> str:
        """The place without keys: the same for all entries, workloads and so on."""
        return ".".join(part for part in self.path if not part.startswith("["))


def compare_step(
    step: int, expected: Mapping[str, Any], got: Mapping[str, Any], level: Level = Level.ALL
) -> Iterator[Difference]:
    """Compare the record of one step with the recorded one.

    Parameters
    ----------
    step : int
        The position of the step in its case.
    expected, got : mapping
        The recorded entry and the simulator's, both in the format of the files.
    level : Level, optional
        How much is compared.

    Yields
    ------
    Difference
        In the order in which a reader would want to know: cycles, events, state.

    Examples
    --------
    >>> expected = {"op": "settle", "rounds": 2, "time": "2026-01-01T00:00:02Z"}
    >>> [d.where for d in compare_step(0, expected, {**expected, "rounds": 3})]
    ['rounds']
    """
    # Most steps are equal to the letter, and then nothing needs to be walked.
    if expected == got:
        return
    for path, want, have in STEP.differences((), expected, got, level):
        yield Difference(step, path, want, have)
