"""Traces of recorded cases, each made once."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from kueuelab.conformance.cases import Case, parse_case, read_texts
from kueuelab.conformance.replay import Replayed
from kueuelab.errors import NotModelledError
from kueuelab.trace import Recorder, Trace

CASES = Path(__file__).parents[2] / "conformance"
#: Where recordings of Kueue's own tests may stand beside the checkout.
UPSTREAM = Path(__file__).parents[4] / "shared" / "conformance"


def cases(name: str, limit: int, folder: Path = CASES) -> Iterator[Case]:
    for number, text in enumerate(read_texts(folder / f"{name}.jsonl.gz")):
        if number >= limit:
            return
        yield parse_case(text)


def record(case: Case) -> Trace | None:
    """Return the trace of a case, None if it needs what isn't modelled."""
    recorder = Recorder()
    try:
        replayed = Replayed(case, recorder)
        for step in case.steps:
            replayed.perform(step)
    except NotModelledError:
        return None
    return Trace.of(recorder, case.name)


@cache
def recorded(name: str, limit: int = 1000) -> dict[str, Trace]:
    found = ((case.name, record(case)) for case in cases(name, limit))
    return {key: trace for key, trace in found if trace is not None}


@cache
def some_traces() -> tuple[Trace, ...]:
    """Return traces of all sorts: every curated case, and some generated ones."""
    found = [*recorded("curated").values(), *recorded("curated-preemption-policies").values()]
    for name in ("classical", "hierarchical", "fairsharing", "podsets", "checks", "churn"):
        found += recorded(f"gen-{name}", 12).values()
    return tuple(found)


@pytest.fixture(scope="session")
def traces() -> tuple[Trace, ...]:
    return some_traces()


@pytest.fixture(scope="session")
def take_back() -> Trace:
    """job-2 reclaims from job-1 what cohort-queue had borrowed from cluster-queue."""
    return recorded("curated-preemption-policies")["reclaim-1-take-back"]
