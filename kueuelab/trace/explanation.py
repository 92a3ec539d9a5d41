"""An explanation as data: sections of sentences, each with where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from kueuelab.trace.wording import time_text

__all__ = ["Explanation", "Line", "Section"]


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence of an explanation.

    Attributes
    ----------
    text
        The sentence.
    about
        What it is about: a workload, a flavor, a queue, a check; or ``""``.
    verdict
        The outcome as one word (``excluded``, ``Preempt``, ``Pending``, ...); or ``""``.
    rule
        The rule that decided; or ``""``.
    numbers
        What it rests on, as plain JSON values; amounts in Kueue's integer unit.
    step
        The index of the step it comes from; ``None`` if it comes from the state.
    pattern
        The sentence with ``{about}`` in the place of what it is about. Lines of a section
        with the same pattern are merged into one sentence.
    """

    text: str
    about: str = ""
    verdict: str = ""
    rule: str = ""
    numbers: Mapping[str, Any] = field(default_factory=dict)
    step: int | None = None
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of an explanation.

    Attributes
    ----------
    id
        What it is about, the same in every language.
    title
        A heading.
    lines
        Its sentences, one for each workload, flavor or queue.
    merged
        The same as text, where those with the same pattern are one sentence.
    """

    id: str
    title: str
    lines: tuple[Line, ...]
    merged: tuple[str, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """What to read, one sentence or paragraph each."""
        return self.merged or tuple(line.text for line in self.lines)


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """The explanation of a workload at a time.

    Attributes
    ----------
    workload
        ``namespace/name``.
    at
        The index of the step after which it holds.
    time
        The time then, in nanoseconds since 1970.
    phase
        ``Pending``, ``QuotaReserved``, ``Admitted``, ``Evicted``, ``Finished``; or ``""``.
    title
        A heading.
    sections
        Its parts, in order; only those that have something to say.

    Examples
    --------
    >>> line = Line("It runs.", about="default/a")
    >>> section = Section("status", "Now", (line,))
    >>> explanation = Explanation("default/a", 5, 0, "Admitted", "default/a", (section,))
    >>> explanation
    <Explanation of default/a: Admitted, 1 section>
    >>> print(explanation.as_text())
    default/a
    <BLANKLINE>
    Now
      It runs.
    >>> explanation.as_table()[0]["text"]
    'It runs.'
    """

    workload: str
    at: int
    time: int
    phase: str
    title: str
    sections: tuple[Section, ...]

    def __repr__(self) -> str:
        count = len(self.sections)
        return (
            f"<Explanation of {self.workload}: {self.phase or 'unknown'}, "
            f"{count} section{'s' * (count != 1)}>"
        )

    def __str__(self) -> str:
        return self.as_text()

    def section(self, id_: str) -> Section | None:
        """Return a section by its id, ``None`` if the explanation doesn't have it."""
        return next((each for each in self.sections if each.id == id_), None)

    @property
    def lines(self) -> tuple[Line, ...]:
        """All lines, in order."""
        return tuple(line for section in self.sections for line in section.lines)

    def as_text(self) -> str:
        """Return the explanation as plain text."""
        parts = [self.title]
        for section in self.sections:
            parts.append(f"\n{section.title}")
            parts += [f"  {sentence}" for sentence in section.sentences]
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        """Return the explanation with its sections, for a notebook."""
        parts = [f"<p><b>{escape(self.title)}</b></p>"]
        for section in self.sections:
            sentences = "".join(f"<li>{escape(each)}</li>" for each in section.sentences)
            parts.append(f"<p>{escape(section.title)}</p><ul>{sentences}</ul>")
        return "".join(parts)

    def as_data(self) -> dict[str, Any]:
        """Return the explanation as plain JSON values."""
        return {
            "workload": self.workload,
            "at": self.at,
            "time": time_text(self.time),
            "phase": self.phase,
            "title": self.title,
            "sections": [
                {
                    "id": section.id,
                    "title": section.title,
                    "lines": [
                        {
                            "text": line.text,
                            "about": line.about,
                            "verdict": line.verdict,
                            "rule": line.rule,
                            "numbers": dict(line.numbers),
                            "step": line.step,
                        }
                        for line in section.lines
                    ],
                }
                for section in self.sections
            ],
        }

    def as_table(self) -> list[dict[str, str]]:
        """Return the explanation as rows: section, about, verdict, rule, step, text."""
        return [
            {
                "section": section.title,
                "about": line.about,
                "verdict": line.verdict,
                "rule": line.rule,
                "step": "" if line.step is None else str(line.step),
                "text": line.text,
            }
            for section in self.sections
            for line in section.lines
        ]
