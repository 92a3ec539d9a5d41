"""Configurations that Kueue refuses at start, with the words it does that in."""

from __future__ import annotations

from collections.abc import Iterator

from kueuelab.conformance.cases import Json
from kueuelab.conformance.compare import ABSENT, Difference
from kueuelab.conformance.runner import CaseResult
from kueuelab.errors import InputError, Location
from kueuelab.manifests import load_configuration

__all__ = ["check_refused"]


def check_refused(document: Json, location: Location) -> Iterator[CaseResult]:
    """Load every configuration of a file, and compare what is said of it."""
    for number, case in enumerate(document["cases"], start=1):
        name = f"configuration {number}"
        found = _difference(case)
        verdict = "passed" if found is None else "failed"
        differences = () if found is None else (found,)
        yield CaseResult(name, location, verdict, ("load",), differences=differences)  # type: ignore[arg-type]


def _difference(case: Json) -> Difference | None:
    said = _refusal(case["configuration"])
    expected, prefix = case.get("error"), case.get("errorPrefix")
    if prefix is not None:
        same = said is not None and said.startswith(prefix)
    else:
        same = said == expected
    if same:
        return None
    want = expected or prefix
    shown = ABSENT if want is None else want
    return Difference(0, ("error",), shown, ABSENT if said is None else said)


def _refusal(configuration: Json) -> str | None:
    try:
        load_configuration(configuration)
    except InputError as error:
        problem = error.problems[0]
        return f"{problem.field}: {problem.message}" if problem.field else problem.message
    return None
