"""Verifying several scenarios: what one of them cannot do does not keep the others from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from kueuelab.errors import InputError, KueueLabError, lines_of
from kueuelab.live.errors import NotPlayableError
from kueuelab.live.playing import PlayedScenario
from kueuelab.live.verify import Comparison, compare
from kueuelab.manifests import ScenarioSpec
from kueuelab.messages import Catalog
from kueuelab.trace.text_table import text_table

__all__ = ["Verdict", "Verified", "summary", "verified"]

#: ``not-played``: a real cluster, or this one, cannot play it; ``error``: something failed.
Verdict: TypeAlias = Literal["agrees", "differs", "not-played", "error"]

_COLUMNS = ("scenario", "decisions", "result", "why")


@dataclass(frozen=True, slots=True)
class Verified:
    """The result of one scenario.

    Attributes
    ----------
    name
        The file, the folder or the name that was given.
    verdict
        Whether the decisions agree, or why there are none.
    comparison
        The decisions; ``None`` if it was not played.
    problems
        Why it was not played, a sentence each.
    hint
        What to do about that.
    """

    name: str
    verdict: Verdict
    comparison: Comparison | None = None
    problems: tuple[str, ...] = ()
    hint: str = ""

    @property
    def why(self) -> str:
        """The first difference, the first reason for another course, or why it was not played."""
        if self.comparison is None:
            return self.problems[0] if self.problems else ""
        return next(iter((*self.comparison.differences, *self.comparison.reasons)), "")

    @property
    def decisions(self) -> int | None:
        """How many decisions were compared; ``None`` if it was not played."""
        return None if self.comparison is None else self.comparison.agree + self.comparison.differ


def verified(
    name: str,
    load: Callable[[], ScenarioSpec],
    play: Callable[[ScenarioSpec], PlayedScenario],
) -> Verified:
    """Play a scenario and compare; return why that was not possible instead of failing.

    Parameters
    ----------
    name
        What was given.
    load
        Returns the scenario.
    play
        Plays it.
    """
    try:
        spec = load()
    except (KueueLabError, OSError) as error:
        return _failed(name, "error", error)
    try:
        played = play(spec)
    except (InputError, NotPlayableError) as error:
        # The scenario can be used: what cannot be played of it is said before anything is written.
        return _failed(name, "not-played", error)
    except (KueueLabError, OSError) as error:
        return _failed(name, "error", error)
    try:
        found = compare(played)
    except KueueLabError as error:
        return _failed(name, "error", error)
    return Verified(name, "differs" if found.differ else "agrees", found)


def _failed(name: str, verdict: Verdict, error: KueueLabError | OSError) -> Verified:
    if isinstance(error, InputError):
        return Verified(name, verdict, problems=tuple(lines_of(error.problems)))
    if isinstance(error, KueueLabError):
        problem = error.problem
        return Verified(name, verdict, problems=(problem.message,), hint=problem.hint)
    text = error.strerror or str(error)
    if error.filename is not None and str(error.filename) != name:
        text = f"{error.filename}: {text}"
    return Verified(name, verdict, problems=(text,))


def summary(found: Iterable[Verified], words: Catalog) -> str:
    """Return a table: scenario, decisions, result, and why.

    Examples
    --------
    >>> from kueuelab.messages import english
    >>> found = [Verified("a.yaml", "agrees", Comparison("a", 12)),
    ...          Verified("b.yaml", "not-played", problems=("it has a fault",))]
    >>> print(summary(found, english()))
    scenario  decisions  result      why
    a.yaml    12         agrees
    b.yaml    -          not played  it has a fault
    """
    rows = [
        (
            each.name,
            "-" if each.decisions is None else str(each.decisions),
            words.text(f"live.verify.result.{each.verdict}"),
            words.render(each.why).replace("\n", " "),
        )
        for each in found
    ]
    return text_table([words.text(f"live.verify.column.{name}") for name in _COLUMNS], rows)
