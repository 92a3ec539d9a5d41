"""What came of one expectation of a scenario."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kueuelab.manifests.scenario import Expectation
from kueuelab.messages import Catalog, Message, clauses, english
from kueuelab.model.times import format_duration
from kueuelab.simulation.expectations import Outcome

__all__ = ["Verdict", "name_of"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """An expectation, and whether it is met.

    Attributes
    ----------
    file
        The scenario's file.
    outcome
        The expectation, and the differences from it.
    """

    file: str
    outcome: Outcome

    @property
    def passed(self) -> bool:
        """Whether it is met."""
        return self.outcome.passed

    @property
    def line(self) -> int:
        """The line of the file that has it; 0 if that is not known."""
        location = self.outcome.expectation.location
        return 0 if location is None else location.line

    @property
    def place(self) -> str:
        """File and line."""
        location = self.outcome.expectation.location
        return self.file if location is None else f"{self.file}:{location.line}"

    @property
    def name(self) -> str:
        """What is expected, the same in every run: time, object, and the state if one is stated."""
        return name_of(self.outcome.expectation)

    @property
    def text(self) -> str:
        """What was found instead; ``""`` if it is met."""
        return clauses(self.outcome.differences)

    def as_text(self, catalog: Catalog | None = None) -> str:
        """Return it as a line."""
        words = catalog or english()
        form = "passed" if self.passed else "failed"
        found = words.render(self.text)
        return words.text(f"policytests.{form}", place=self.place, name=self.name, found=found)

    def as_data(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "file": self.file,
            "line": self.line,
            "name": self.name,
            "passed": self.passed,
            "found": list(self.outcome.differences),
        }

    @property
    def message(self) -> str:
        """Why it fails, as a sentence with its place."""
        return Message("policytests.failed", place=self.place, name=self.name, found=self.text)


def name_of(expectation: Expectation) -> str:
    """Return what names an expectation: its time, its object, and the state if one is stated."""
    at, subject = format_duration(expectation.at), Outcome(expectation).subject
    return " ".join(part for part in (at, subject, expectation.state or "") if part)
