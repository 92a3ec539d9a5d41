"""What was found, as text, JSON and SARIF."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from kueuelab.errors import Problem
from kueuelab.lint.catalogue import CATALOGUE
from kueuelab.lint.linting import Result
from kueuelab.lint.rule import Finding, Level
from kueuelab.messages import Catalog, Message

__all__ = ["PAGE", "as_json", "as_sarif", "text_lines"]

#: The page on the rules; each rule is a section of it.
PAGE: Final = "https://github.com/kueuelab/kueuelab/blob/main/docs/lint-rules.md"
_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def text_lines(result: Result, words: Catalog) -> Iterator[str]:
    """Yield lines for a terminal: each finding, the first of a rule with why it matters.

    What to do is said again only where it is another thing.
    """
    said: set[tuple[str, str]] = set()
    for finding in result.findings:
        yield words.text(
            "lint.line",
            place=place_of(finding),
            level=words.text(f"lint.level.{finding.level}"),
            rule=finding.rule.id,
            name=finding.rule.name,
            text=finding.text,
        )
        if all(finding.rule.id != rule for rule, _ in said):
            yield words.text("lint.line.why", why=finding.rule.why)
        if (finding.rule.id, str(finding.fix)) not in said:
            yield words.text("lint.line.fix", fix=finding.fix)
        said.add((finding.rule.id, str(finding.fix)))
    counts = Counter(finding.level for finding in result.findings)
    if counts:
        levels = sorted(counts, key=lambda level: -level.rank)
        parts = [Message(f"lint.count.{level}", count=counts[level]) for level in levels]
        yield words.text("lint.result", counts=words.join([words.render(part) for part in parts]))
    else:
        yield words.text("lint.result.none")
    if result.ignored:
        yield words.text("lint.result.ignored", count=result.ignored)


def place_of(finding: Finding) -> str:
    """Return where a finding is: file and line, cluster, object and field."""
    location = "" if finding.location is None else str(finding.location)
    parts = (location, finding.cluster, str(finding.object), finding.field)
    return ": ".join(part for part in parts if part)


def as_json(result: Result) -> dict[str, Any]:
    """Return everything as plain JSON values."""
    counts = Counter(str(finding.level) for finding in result.findings)
    return {
        "findings": [finding.as_data() for finding in result.findings],
        "counts": {str(level): counts[level] for level in Level},
        "ignored": result.ignored,
        "unknown": [_problem(problem) for problem in result.unknown],
        "problems": [_problem(problem) for problem in result.problems],
    }


def _problem(problem: Problem) -> dict[str, Any]:
    return {
        "message": str(problem.message),
        "object": problem.object,
        "field": problem.field,
        "file": "" if problem.location is None else problem.location.file,
        "line": 0 if problem.location is None else problem.location.line,
        "hint": str(problem.hint),
    }


def as_sarif(result: Result, words: Catalog, version: str) -> dict[str, Any]:
    """Return it in the format that code review takes (SARIF 2.1.0).

    Examples
    --------
    >>> from kueuelab.messages import english
    >>> report = as_sarif(Result(), english(), "1.0")
    >>> report["version"], report["runs"][0]["results"]
    ('2.1.0', [])
    """
    rules = [
        {
            "id": rule.id,
            "name": rule.name,
            "shortDescription": {"text": rule.name},
            "fullDescription": {"text": words.render(rule.why)},
            "help": {"text": words.render(rule.fix)},
            "helpUri": f"{PAGE}#{rule.id.lower()}-{rule.name}",
            "defaultConfiguration": {"level": str(rule.level)},
        }
        for rule in CATALOGUE
    ]
    driver = {"name": "kueuelab", "version": version, "informationUri": PAGE, "rules": rules}
    problems = [
        {
            "level": "error",
            "message": {"text": problem.render(words)},
            **_physical(
                "" if problem.location is None else problem.location.file,
                0 if problem.location is None else problem.location.line,
                0,
            ),
        }
        for problem in result.problems
    ]
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": not problems,
                "toolExecutionNotifications": problems,
            }
        ],
        "results": [_sarif_result(finding, words) for finding in result.findings],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _sarif_result(finding: Finding, words: Catalog) -> dict[str, Any]:
    where = finding.location
    logical = {
        "fullyQualifiedName": ": ".join(filter(None, (str(finding.object), finding.field))),
        "kind": "object",
    }
    places = _physical(
        "" if where is None else where.file,
        0 if where is None else where.line,
        0 if where is None else where.column,
    )["locations"]
    text = words.text("lint.sarif", text=finding.text, why=finding.rule.why, fix=finding.fix)
    return {
        "ruleId": finding.rule.id,
        "ruleIndex": CATALOGUE.index(finding.rule),
        "level": str(finding.level),
        "message": {"text": text},
        "locations": [{**(places[0] if places else {}), "logicalLocations": [logical]}],
        "partialFingerprints": {
            "kueuelab/v1": ":".join(
                (finding.rule.id, finding.cluster, str(finding.object), finding.field)
            )
        },
    }


def _physical(file: str, line: int, column: int) -> dict[str, Any]:
    """Return a place in a file; none, where there is no file."""
    if not file or file.startswith("<"):
        return {"locations": []}
    artifact = {"uri": Path(file).as_posix().removeprefix("./")}
    physical: dict[str, Any] = {"artifactLocation": artifact}
    if line:
        physical["region"] = {"startLine": line, **({"startColumn": column} if column else {})}
    return {"locations": [{"physicalLocation": physical}]}
