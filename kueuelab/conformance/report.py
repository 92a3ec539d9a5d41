"""What came of checking cases, for people and for programs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from itertools import zip_longest
from traceback import format_exc
from typing import Any, Final

from kueuelab.conformance.case_lines import record_lines, scenario_lines, step_title
from kueuelab.conformance.cases import Case, Json
from kueuelab.conformance.compare import ABSENT, Difference, Level, compare_step
from kueuelab.conformance.runner import (
    NOT_MODELLED,
    CaseResult,
    FileResult,
    Replay,
    simulator,
    total,
)
from kueuelab.errors import KueueLabError
from kueuelab.messages import Catalog, Message, english

__all__ = ["as_json", "diff_lines", "report_lines"]

# Longer values are cut, unless the full difference is asked for.
_SHOWN: Final = 400


def report_lines(files: Sequence[FileResult], catalog: Catalog | None = None) -> Iterator[str]:
    """Report on the cases of some files.

    Parameters
    ----------
    files : sequence of FileResult
        What came of each file.
    catalog : Catalog, optional
        The language; English if left out.

    Yields
    ------
    str
        Where each failing case first differs, the fields that differ, the tally of each
        file, the cases that are not modelled; last ``N passed, M failed``.

    Examples
    --------
    >>> for line in report_lines([FileResult("a.jsonl")]):
    ...     print(line)
    a.jsonl: 0 passed, 0 failed
    0 not modelled
    0 passed, 0 failed
    """
    catalog = catalog or english()
    for file in files:
        for result in file.with_verdict("failed"):
            yield from _failure(result, catalog)
    yield from _by_field(files, catalog)
    for file in files:
        tally = _tally([file], catalog)
        if more := total([file], NOT_MODELLED):
            values = {"file": file.file, "tally": tally, "count": more}
            yield catalog.text("conformance.report.file.not-modelled", **values)
        else:
            yield catalog.text("conformance.report.file", file=file.file, text=tally)
        for remark in file.remarks:
            yield catalog.text("conformance.report.file", file=file.file, text=remark)
    for file in files:
        for result in file.with_verdict(NOT_MODELLED):
            yield catalog.text(
                "conformance.report.needs",
                case=result.case,
                location=result.location,
                parts=", ".join(result.parts),
            )
    yield catalog.text("conformance.report.not-modelled", count=total(files, NOT_MODELLED))
    yield _tally(files, catalog)


def _tally(files: Sequence[FileResult], catalog: Catalog) -> str:
    values = {"passed": total(files, "passed"), "failed": total(files, "failed")}
    return catalog.text("conformance.report.tally", **values)


def _failure(result: CaseResult, catalog: Catalog) -> Iterator[str]:
    values = {"case": result.case, "location": result.location}
    yield catalog.text("conformance.report.failed", **values)
    if result.differences:
        first = result.differences[0]
        yield f"  {_step(result.steps, first.step, catalog)}: {first.where}"
        yield from _two_values(first, "    ", _SHOWN, catalog)
        if more := len(result.differences) - 1:
            yield "    " + catalog.text("conformance.report.more", count=more)
    elif result.crash is not None:
        crash = result.crash
        yield f"  {_step(result.steps, crash.step, catalog)}: {crash.kind}: {crash.message}"


def _step(operations: Sequence[str], index: int, catalog: Catalog) -> str:
    if index < len(operations):
        name = operations[index]
    else:
        name = catalog.text("conformance.report.after-last")
    return f"steps[{index}] {name}"


def _two_values(
    difference: Difference, indent: str, limit: int | None, catalog: Catalog
) -> Iterator[str]:
    """Write what was expected below what came, with a mark where two texts diverge."""
    want, got = (_shown(v, limit, catalog) for v in (difference.expected, difference.got))
    labels = [catalog.text(f"conformance.report.{name}") for name in ("expected", "got")]
    width = max(map(len, labels))
    for label, value in zip(labels, (want, got), strict=True):
        yield f"{indent}{label:<{width}} {value}"
    pairs = zip_longest(want, got)
    part = next((place for place, (a, b) in enumerate(pairs) if a != b), 0)
    if part > 10 and isinstance(difference.expected, str | list):
        yield f"{indent}{' ' * (width + 1 + part)}^"


def _shown(value: Any, limit: int | None, catalog: Catalog) -> str:
    if value is ABSENT:
        return catalog.text("conformance.report.absent")
    if isinstance(value, Message):
        value = catalog.render(value)
    text = json.dumps(value, ensure_ascii=False)
    if limit is not None and len(text) > limit:
        return text[:limit] + " …"
    return text


def _by_field(files: Sequence[FileResult], catalog: Catalog) -> Iterator[str]:
    """Count the fields: in how many cases each comes first, and in how many it differs."""
    first: Counter[str] = Counter()
    cases: Counter[str] = Counter()
    for file in files:
        for result in file.with_verdict("failed"):
            fields = _fields(result)
            first[fields[0]] += 1
            cases.update(dict.fromkeys(fields, 1))
    if not cases:
        return
    yield catalog.text("conformance.report.fields")
    for name, count in sorted(cases.items(), key=lambda item: (-first[item[0]], -item[1], item[0])):
        yield f"  {first[name]:6} {count:6}  {name}"


def _fields(result: CaseResult) -> list[str]:
    fields = [difference.field for difference in result.differences]
    if result.crash is not None:
        fields.append(f"({result.crash.kind})")
    return fields


def diff_lines(
    case: Case,
    level: Level = Level.ALL,
    replay: Replay | None = None,
    catalog: Catalog | None = None,
) -> Iterator[str]:
    """Write down everything about one case: the scenario, each step, each difference.

    Parameters
    ----------
    case : Case
        The case.
    level : Level, optional
        How much is compared.
    replay : callable, optional
        What plays the part of Kueue; the simulator, if left out.
    catalog : Catalog, optional
        The language; English if left out.

    Yields
    ------
    str
        Lines; those of ``---``/``+++`` style show what was recorded with ``-`` and what
        the simulator did with ``+``.
    """
    catalog = catalog or english()
    yield catalog.text("conformance.diff.case", name=case.name, location=case.location)
    for line in scenario_lines(case):
        yield f"  {catalog.render(line)}"
    records = (replay or simulator())(case)
    for index, (step, want) in enumerate(zip(case.steps, case.expect, strict=True)):
        yield f"steps[{index}] {step_title(step)}"
        try:
            got = next(records)
        except KueueLabError as error:
            yield from (f"    {line}" for line in _error_lines(error, catalog))
            return
        except Exception:  # a mistake of the simulator's: say where
            yield from (f"    {line}" for line in format_exc().splitlines())
            return
        yield from _step_diff(index, want, got, level, catalog)


def _error_lines(error: KueueLabError, catalog: Catalog) -> list[str]:
    return f"{type(error).__name__}: {error.render(catalog)}".splitlines()


def _step_diff(index: int, want: Json, got: Json, level: Level, catalog: Catalog) -> Iterator[str]:
    """Write what a step did, and all differences if there are any."""
    differences = list(compare_step(index, want, got, level))
    wants, gots = list(record_lines(want)), list(record_lines(got))
    if wants == gots:
        yield from (f"    {line}" for line in wants)
    else:
        lines = unified_diff(wants, gots, lineterm="", n=len(wants))
        yield from (f"  {line[:1]} {line[1:]}" for line in list(lines)[3:])
    for difference in differences:
        yield "  " + catalog.text("conformance.diff.differs", place=difference.where)
        yield from _two_values(difference, "      ", None, catalog)


def as_json(files: Sequence[FileResult]) -> Json:
    """Return the report as plain JSON values.

    Examples
    --------
    >>> as_json([FileResult("a.jsonl")])["failed"]
    0
    """
    return {
        "passed": total(files, "passed"),
        "failed": total(files, "failed"),
        "notModelled": total(files, NOT_MODELLED),
        "files": [
            {
                "file": file.file,
                "passed": total([file], "passed"),
                "failed": [_failed_json(result) for result in file.with_verdict("failed")],
                "notModelled": [
                    {"case": result.case, "line": result.location.line, "needs": list(result.parts)}
                    for result in file.with_verdict(NOT_MODELLED)
                ],
                "problems": [str(problem) for problem in file.problems],
                "remarks": file.remarks,
            }
            for file in files
        ],
    }


def _failed_json(result: CaseResult) -> Json:
    record: Json = {"case": result.case, "line": result.location.line}
    if result.crash is not None:
        record["error"] = f"{result.crash.kind}: {result.crash.message}"
        record["step"] = result.crash.step
    if result.differences:
        record["step"] = result.differences[0].step
        record["differences"] = [
            {
                "path": difference.where,
                "expected": None if difference.expected is ABSENT else difference.expected,
                "got": None if difference.got is ABSENT else difference.got,
            }
            for difference in result.differences
        ]
    return record
