"""What would come of submitting jobs, as data and as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from kueuelab.errors import Location, Problem
from kueuelab.forecast.instead import Instead
from kueuelab.forecast.now import Displaced, Now, displaced_line
from kueuelab.forecast.when import Delay, Forecast
from kueuelab.forecast.when_text import delay_lines, forecast_lines
from kueuelab.manifests.result import Note, cautions
from kueuelab.messages import Catalog, language_of
from kueuelab.model import RELEASE
from kueuelab.trace.html import paragraphs
from kueuelab.trace.wording import MessageParts

__all__ = ["FORMAT", "Answer", "JobAnswer", "Verdict"]

#: The version of the answer as JSON.
FORMAT: Final = "kueuelab/try/v1"

Verdict: TypeAlias = Literal["admitted", "pending", "refused"]


@dataclass(frozen=True, slots=True)
class JobAnswer:
    """What would come of one job.

    Attributes
    ----------
    now
        What happens at once.
    forecast
        When it would start; ``None`` if it is admitted at once, or that was not asked for.
    instead
        What else would be admitted; likewise.
    """

    now: Now
    forecast: Forecast | None = None
    instead: Instead | None = None

    def as_data(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        now = self.now
        return {
            "workload": now.workload,
            "job": now.job,
            "clusterQueue": now.cluster_queue,
            "localQueue": now.local_queue,
            "priority": now.priority,
            "now": now.as_data(),
            "when": None if self.forecast is None else self.forecast.as_data(),
            "instead": None if self.instead is None else self.instead.as_data(),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """What would come of submitting jobs; nothing was submitted.

    Attributes
    ----------
    jobs
        The jobs that are accepted, in the order of the manifests.
    problems
        What the API server would refuse, each with its place and a hint.
    notes
        What was converted, left out or read otherwise.
    displaced
        The workloads that are evicted at once.
    also_admitted
        Other workloads that are admitted at once because of it.
    delays
        Other workloads that start later because of it.
    loop
        Workloads that preempt each other again and again, whatever is submitted.
    """

    jobs: tuple[JobAnswer, ...]
    problems: tuple[Problem, ...] = ()
    notes: tuple[Note, ...] = ()
    displaced: tuple[Displaced, ...] = ()
    also_admitted: tuple[str, ...] = ()
    delays: tuple[Delay, ...] = ()
    loop: tuple[str, ...] = ()

    def __repr__(self) -> str:
        count = len(self.jobs)
        return f"<Answer {self.verdict}: {count} job{'s' * (count != 1)}>"

    def __str__(self) -> str:
        return self.as_text()

    def _repr_html_(self) -> str:
        return paragraphs(self.as_text())

    @property
    def verdict(self) -> Verdict:
        """What becomes of the jobs together: the worst of them counts."""
        if self.problems:
            return "refused"
        admitted = all(each.now.outcome == "admitted" for each in self.jobs)
        return "admitted" if admitted else "pending"

    @property
    def pending(self) -> tuple[str, ...]:
        """The workloads of the jobs that are pending."""
        return tuple(each.now.workload for each in self.jobs if each.now.outcome == "pending")

    def displaced_by(self, workload: str) -> tuple[Displaced, ...]:
        """Return the workloads that one of the jobs preempts."""
        return tuple(each for each in self.displaced if each.preemptor == workload)

    def starts_within(self, limit: int) -> bool:
        """Tell whether each pending job starts within a time (ns) in nine of ten runs."""
        return not self.problems and all(
            each.now.outcome == "admitted"
            or (each.forecast is not None and each.forecast.within(0.9) <= limit)
            for each in self.jobs
        )

    def as_text(self, language: str | Catalog = "en") -> str:
        """Return the answer as plain text."""
        return "\n".join(self.lines(language_of(language)))

    def lines(self, catalog: Catalog) -> Iterator[str]:
        """Yield the answer line by line."""
        words = MessageParts(catalog)
        if self.problems:
            yield words("forecast.refused", count=len(self.problems))
            for problem in self.problems:
                yield f"  {problem.render(catalog)}"
        for number, job in enumerate(self.jobs):
            if number or self.problems:
                yield ""
            yield from self._job(job, words)
        yield from delay_lines(self.delays, words)
        for key in self.also_admitted:
            yield words("forecast.also-admitted", workload=key)
        if self.loop:
            yield words("forecast.loop", workloads=words.several(self.loop), count=len(self.loop))
        for caution in cautions(self.notes):
            yield words("forecast.note", note=caution)

    def _job(self, job: JobAnswer, words: MessageParts) -> Iterator[str]:
        now = job.now
        values = {"job": now.job, "queue": now.local_queue, "priority": now.priority}
        yield words("forecast.job", **values)
        head, *more = now.lines(words)
        yield words("forecast.section.now", text=head)
        yield from (f"  {line}" for line in more)
        for each in self.displaced:
            if each.preemptor in (now.workload, ""):
                yield f"  {displaced_line(each, words)}"
        if job.forecast is not None:
            head, *more = forecast_lines(job.forecast, words)
            yield words("forecast.section.when", text=head)
            yield from (f"  {line}" for line in more)
        if job.instead is not None:
            yield words("forecast.section.instead")
            yield from (f"  {line}" for line in job.instead.lines(words))

    def as_data(self) -> dict[str, Any]:
        """Return it as plain JSON values, as docs/try.schema.json describes them."""
        return {
            "format": FORMAT,
            "kueueVersion": RELEASE.version,
            "verdict": self.verdict,
            "problems": [
                {
                    "message": each.message,
                    "object": each.object,
                    "field": each.field,
                    **_place(each.location),
                    "hint": each.hint,
                }
                for each in self.problems
            ],
            "notes": [str(note) for note in self.notes],
            "jobs": [job.as_data() for job in self.jobs],
            "displaced": [each.as_data() for each in self.displaced],
            "alsoAdmitted": list(self.also_admitted),
            "delays": [each.as_data() for each in self.delays],
            "loop": list(self.loop),
        }


def _place(location: Location | None) -> dict[str, Any]:
    if location is None:
        return {"file": "", "line": 0, "column": 0}
    return {"file": location.file, "line": location.line, "column": location.column}
