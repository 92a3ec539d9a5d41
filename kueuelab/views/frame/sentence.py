"""What a frame says of its step: the sentence, the numbers, the candidates."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from kueuelab.messages import Catalog
from kueuelab.model.times import format_duration
from kueuelab.trace.change_text import change_lines
from kueuelab.trace.dump_summary import difference_text
from kueuelab.trace.search import Candidate, SkippedQueue
from kueuelab.trace.step_text import step_text
from kueuelab.views.decision import numbers_of, verdict_of, why
from kueuelab.views.merge_patch import Json
from kueuelab.views.preemption_view import PreemptionView, Role, role_of
from kueuelab.views.run_index import RunIndex
from kueuelab.views.step_facts import LastNumbers, facts_of

__all__ = ["Sentences"]

#: A table has at most so many candidates; the rest is counted.
_MOST: Final = 60


class Sentences:
    """Says what happens at each step of a run, in the language of its index."""

    def __init__(self, run_index: RunIndex) -> None:
        self._run_index = run_index
        self._trace = run_index.trace
        self._catalog: Catalog = run_index.words.catalog
        self._last_numbers = LastNumbers(self._trace, run_index.words)
        self._why = lru_cache(maxsize=4096)(self._read_why)

    def at(self, index: int, view: PreemptionView) -> Json:
        """Return the part of the frame that is about the step itself."""
        step, words = self._trace[index], self._run_index.words
        since = format_duration(step.time - self._trace[0].time)
        at = {"step": index, "cycle": step.cycle, "time": since}
        sentence = step_text(step, self._catalog)
        message = getattr(step.facts, "message", "")
        title = self._catalog.text(f"title.{step.kind}")
        found: Json = {"at": at, "kind": step.kind, "title": title}
        found["sentence"] = sentence
        optional = {
            "workload": step.workload,
            "queue": step.cluster_queue,
            "cluster": step.cluster,
            "message": "" if message in sentence else message,
            "difference": difference_text(self._trace, step.workload, index, words),
            **self._numbers(index),
            "candidates": dict(self._candidates(view)),
        }
        return found | {name: value for name, value in optional.items() if value}

    def _numbers(self, index: int) -> Json:
        """Return the numbers of a step, or those that hold at it; and what it changes.

        A step without numbers has the last ones of its workload in the cycle, or its facts.
        """
        step, words = self._trace[index], self._run_index.words
        found, of = list(numbers_of(step.facts, words)), ""
        # The board of several clusters has no panel for what follows.
        is_one = len(self._trace.clusters) == 1
        if not found and is_one:
            last = self._last_numbers.before(index)
            if last is not None:
                of = self._catalog.text(
                    "views.fact.earlier", title=self._catalog.text(f"title.{last.kind}")
                )
                found = list(numbers_of(last.facts, words))
            else:
                found = list(facts_of(step, self._run_index.state(index), self._run_index))
        in_cycle = is_one and self._trace.cycle_at(index) is not None
        lines = change_lines(step, in_cycle, words) if is_one else []
        return {
            "numbers": {
                str(place): [self._catalog.render(name), self._catalog.render(value)]
                for place, (name, value) in enumerate(found)
            },
            "numbersOf": of,
            "changed": "\n".join(lines),
        }

    def _candidates(self, view: PreemptionView) -> Iterator[tuple[str, Json]]:
        for place, candidate in enumerate(view.candidates[:_MOST]):
            yield str(place), self._candidate(candidate)
        count = len(view.candidates)
        if count > _MOST:
            yield "more", {"count": count - _MOST}
        for place, skipped in enumerate(view.skipped[:_MOST], count):
            yield str(place), self._skipped(skipped)

    def _candidate(self, candidate: Candidate) -> Json:
        row: Json = {
            "workload": candidate.workload,
            "verdict": self._catalog.render(verdict_of(candidate)),
            "role": role_of(candidate).value,
            "step": candidate.decided_at,
        }
        if candidate.queue:
            row |= {"queue": candidate.queue, "why": self._why(candidate.decided_at)}
        if candidate.rank:
            row["rank"] = candidate.rank
        return row

    def _skipped(self, skipped: SkippedQueue) -> Json:
        return {
            "workload": "",
            "queue": skipped.queue,
            "verdict": self._catalog.render(Role.EXCLUDED.text),
            "role": Role.EXCLUDED.value,
            "why": self._why(skipped.step),
            "step": skipped.step,
        }

    def _read_why(self, index: int) -> str:
        return why(self._trace[index], self._run_index.words)
