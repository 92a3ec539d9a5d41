"""The simulator decides as other releases of Kueue did: the same inputs, recorded on each.

A family that does not differ from v0.19.2 is replayed in part; those that do, as a whole.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from kueuelab.conformance import check_case, report_lines
from kueuelab.conformance.cases import Case, parse_case, read_texts
from kueuelab.conformance.runner import FileResult
from kueuelab.model import release_named

RECORDED = Path(__file__).parents[3] / "shared" / "conformance"

#: By version: families whose decisions differ from those of v0.19.2.
DIFFERENT = {
    "v0.18.6": {"podsets", "tasfaults", "wild"},
    "v0.20-dev": {"churn", "dra", "fairsharing", "hierarchical", "tasfaults", "wild"},
}
#: So many cases of a family that does not differ.
SAME = 40
#: The recorder left this gate on after the case that sets it: what follows was decided with it.
LEFT_ON = ("v0.20-dev", "wild-995065", "PrioritizePreemptorWorkloads")


def cases(version: str, file: Path) -> list[Case]:
    family = file.name.removeprefix("gen-").partition(".")[0]
    limit = None if family in DIFFERENT[version] else SAME
    found, left_on = [], False
    for text in islice(read_texts(file), limit):
        case = parse_case(text)
        if left_on:
            gates = case.configuration.get("featureGates") or {}
            with_gate = {**case.configuration, "featureGates": {**gates, LEFT_ON[2]: True}}
            case = replace(case, configuration=with_gate)
        left_on = left_on or (version, case.name) == LEFT_ON[:2]
        found.append(case)
    return found


def files() -> list[tuple[str, Path]]:
    return [
        (version, file)
        for version in DIFFERENT
        for file in sorted((RECORDED / version).glob("*.jsonl.gz"))
    ]


@pytest.mark.skipif(not files(), reason="the recordings of other releases are not here")
@pytest.mark.parametrize(
    ("version", "file"), [pytest.param(*each, id=f"{each[0]}-{each[1].name}") for each in files()]
)
def test_decisions_are_those_of_the_release(version: str, file: Path) -> None:
    release = release_named(version)
    outcome = FileResult(file.name)
    for case in cases(version, file):
        outcome.results.append(check_case(case, release=release))
    assert outcome.results
    assert not outcome.with_verdict("failed"), "\n".join(report_lines([outcome]))
