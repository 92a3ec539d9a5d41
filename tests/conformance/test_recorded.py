"""The simulator decides as Kueue did: every recorded case, to the letter.

Cases are replayed without a recorder, and with one: that is what users see. All curated and
upstream cases and ``gen-events-order`` are replayed with one each time; of the generated
families a fixed part and another one for each day. ``KUEUELAB_SEED`` chooses that part.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from seeds import IDS, SEEDS

from kueuelab.conformance import check_case, report_lines
from kueuelab.conformance.cases import Case, Json, parse_case, read_texts
from kueuelab.conformance.replay import replay_case
from kueuelab.conformance.runner import FileResult, Replay
from kueuelab.trace.recorder import Recorder

HERE = Path(__file__).parent
#: Where a checkout of the recordings of Kueue's own tests stands beside this project.
UPSTREAM = HERE.parents[2] / "shared" / "conformance"

#: Families of which every case is modelled, with how many there are; and those of which some
#: may not be yet.
FAMILIES = {
    "classical": 400,
    "hierarchical": 400,
    "fairsharing": 400,
    "podsets": 400,
    "checks": 400,
    "churn": 400,
    "admissionfs": 400,
    "subsecond": 320,
    "topology": 400,
    "tasfaults": 300,
    "wild": 250,
    "mixed": 95,
    "elastic": 300,
    "dra": 150,
    "concurrent": 100,
}
SHARD = 50
#: So many cases of a family are replayed with a recorder each day.
RECORDED = 4

CURATED = {
    "curated-preemption-policies": 13,
    "curated": 38,
    "curated-scalability": 1,
    "gen-events-order": 8,
    "minimised": 10,
}

UPSTREAM_TESTS = (
    "TestPreemption",
    "TestHierarchicalPreemptions",
    "TestFairPreemptions",
    "TestAssignFlavors",
    "TestSchedule",
    "TestScheduleForFairSharing",
    "TestScheduleRecomputePreemptionTargets",
    "TestScheduleForPreserveFlavorScanProgress",
    "TestScheduleForAFS",
    "TestScheduleForTAS",
    "TestScheduleForTASCohorts",
    "TestScheduleForTASPreemption",
    "TestScheduleConcurrentAdmission",
)


def recorded(case: Case) -> Iterator[Json]:
    """Replay a case as users run scenarios: with a recorder."""
    recorder = Recorder()
    yield from replay_case(case, recorder)
    assert recorder.steps


def checked(
    path: Path,
    start: int = 0,
    stop: int | None = None,
    *,
    replay: Replay | None = None,
    only: Collection[int] | None = None,
) -> FileResult:
    """Check the cases of a file from one position to another; fail with the full report.

    ``only`` names the positions that count.
    """
    outcome = FileResult(path.name)
    for index, text in enumerate(islice(read_texts(path), start, stop), start):
        if only is None or index in only:
            outcome.results.append(check_case(parse_case(text), replay=replay))
    if outcome.with_verdict("failed"):
        pytest.fail("\n".join(report_lines([outcome])), pytrace=False)
    return outcome


def shards() -> Iterator[tuple[str, int, int]]:
    for family, cases in FAMILIES.items():
        for start in range(0, cases, SHARD):
            yield family, start, min(SHARD, cases - start)


@pytest.mark.parametrize("replay", [None, recorded], ids=["plain", "recorded"])
@pytest.mark.parametrize(("file", "cases"), CURATED.items())
def test_curated(file: str, cases: int, replay: Replay | None) -> None:
    outcome = checked(HERE / f"{file}.jsonl.gz", replay=replay)
    assert len(outcome.with_verdict("passed")) == cases


@pytest.mark.parametrize(("family", "start", "number"), list(shards()))
def test_generated(family: str, start: int, number: int) -> None:
    outcome = checked(HERE / f"gen-{family}.jsonl.gz", start, start + number)
    assert len(outcome.with_verdict("passed")) == number


@pytest.mark.parametrize("seed", SEEDS, ids=IDS)
@pytest.mark.parametrize("family", FAMILIES)
def test_generated_with_a_recorder(family: str, seed: int) -> None:
    chosen = Random(f"{family} {seed}").sample(range(FAMILIES[family]), RECORDED)
    outcome = checked(HERE / f"gen-{family}.jsonl.gz", replay=recorded, only=chosen)
    assert len(outcome.with_verdict("passed")) == RECORDED


@pytest.mark.parametrize("replay", [None, recorded], ids=["plain", "recorded"])
@pytest.mark.parametrize("test", UPSTREAM_TESTS)
def test_upstream(test: str, replay: Replay | None) -> None:
    path = UPSTREAM / f"upstream-{test}.jsonl.gz"
    if not path.exists():
        pytest.skip("the recordings of Kueue's own tests are not beside this checkout")
    checked(path, replay=replay)
