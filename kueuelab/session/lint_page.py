"""What the rules of `kueuelab lint` find in what is open, page by page."""

from __future__ import annotations

from collections import Counter
from typing import Final

from kueuelab.errors import InputError, Problem
from kueuelab.lint import Finding, Level, Result, Settings, lint_spec
from kueuelab.manifests import encode_object
from kueuelab.manifests.writing import write_yaml
from kueuelab.messages import Catalog, Message
from kueuelab.session.answers import LintFinding, LintPage, Place
from kueuelab.session.opened_input import OpenedInput
from kueuelab.session.run_facts import RunFacts
from kueuelab.whatif.references import Reference

__all__ = ["lint_page", "lint_result"]

_MOST_FINDINGS: Final = 50
_MOST_YAML: Final = 4_000
#: The overview shows the loop of a run with its step.
_SHOWN_WITH_THE_RUN: Final = Settings(ignored=frozenset({"fair-sharing-loop", "preemption-loop"}))
_TONES: Final = {Level.ERROR: "bad", Level.WARNING: "warn", Level.NOTE: "quiet"}


def lint_result(facts: RunFacts, source: OpenedInput | None) -> Result:
    """Return what the rules find in a run's scenario, the most serious first.

    Parameters
    ----------
    facts
        The run.
    source
        What it was read from, for files and lines, and for the comments that turn rules off.
    """
    places = None if source is None else source.places()
    settings = Settings() if facts.run.loop_report is None else _SHOWN_WITH_THE_RUN
    return lint_spec(facts.spec, settings, places=places)


def lint_page(facts: RunFacts, result: Result, start: int, count: int) -> LintPage:
    """Return a page of findings.

    Raises
    ------
    InputError
        If it begins before the first finding, or has too many.
    """
    if start < 0 or not 0 <= count <= _MOST_FINDINGS:
        raise InputError(Problem(Message("session.lint.page", most=_MOST_FINDINGS)))
    ranked = sorted(result.findings, key=lambda each: -each.level.rank)
    words = facts.words
    return LintPage(
        sentence=_sentence(result, words),
        found=len(ranked),
        start=start,
        findings=tuple(_finding(facts, each) for each in ranked[start : start + count]),
    )


def _sentence(result: Result, words: Catalog) -> str:
    counts = Counter(each.level for each in result.findings)
    levels = sorted(counts, key=lambda level: -level.rank)
    parts = [words.text(f"lint.count.{level}", count=counts[level]) for level in levels]
    found = words.text("lint.result", counts=words.join(parts))
    shown = [found if parts else words.text("lint.result.none")]
    if result.ignored:
        shown.append(words.text("lint.result.ignored", count=result.ignored))
    return " ".join(shown)


def _finding(facts: RunFacts, found: Finding) -> LintFinding:
    words, where, about = facts.words, found.location, found.object
    return LintFinding(
        rule=found.rule.id,
        name=found.rule.name,
        tone=_TONES[found.level],
        level=words.text(f"lint.level.{found.level}"),
        text=words.render(found.text),
        why=words.render(found.rule.why),
        fix=words.render(found.fix),
        object=str(about),
        field=found.field,
        place=None if where is None else Place(where.file, where.line, where.column),
        workload=about.key if about.key in facts.state.workloads else "",
        queue=about.name if about.kind == "ClusterQueue" else "",
        manifest=_manifest(facts, about),
    )


def _manifest(facts: RunFacts, about: Reference) -> str:
    """Return the object as YAML; "" of one that was not read."""
    for obj in facts.objects():
        if Reference.of(obj) == about:
            text = write_yaml([encode_object(obj)])
            return text if len(text) <= _MOST_YAML else f"{text[:_MOST_YAML]}\n# …\n"
    return ""
