"""What a report says, as text, as a table and as data."""

from __future__ import annotations

from typing import Any

import pytest

from kueuelab.manifests.scenario import Finish
from kueuelab.messages import Catalog, english
from kueuelab.whatif.costs import cost_of
from kueuelab.whatif.report import Obstacle, Report, Suggestion

SECOND = 10**9
FINISH = Suggestion(
    "finish",
    "wait until ns/a and ns/b finish",
    (Finish("ns/a"), Finish("ns/b")),
    evicts=("ns/c",),
    queues=("q", "r"),
    size=1.23456789,
    time=90 * SECOND,
)
PLAIN = Suggestion("wait", "wait", ())
STOPPED = Obstacle("inactive", "It is deactivated.")


def report(*suggestions: Suggestion, tried: int = 0, **more: Any) -> Report:
    return Report("ns/x", more.pop("obstacles", ()), suggestions, tried, **more)


def test_a_report_as_text() -> None:
    found = report(FINISH, PLAIN, tried=2, obstacles=(STOPPED, STOPPED), now=3 * SECOND)
    assert str(found).splitlines() == [
        "What would admit ns/x?",
        "  It is deactivated.",
        "  It is deactivated.",
        "  1. wait until ns/a and ns/b finish (admitted at 1m30s; evicts ns/c)",
        "     finish ns/a",
        "     finish ns/b",
        "  2. wait (admitted at 0s; evicts no workload)",
        "  2 changes were simulated.",
        "  Changes are made at 3s; the simulation runs to the end.",
    ]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (report(), ["No change that was tried would admit it (0 were simulated)."]),
        (
            report(tried=1, now=SECOND, until=SECOND, complete=False),
            [
                "No change that was tried would admit it (1 was simulated).",
                "Changes are made at 1s; only what happens at once is simulated. "
                "until= looks further.",
                "The search ended early because the cluster is large: more or smaller changes "
                "may help, too.",
            ],
        ),
        (
            report(tried=2, now=SECOND, until=2 * SECOND),
            [
                "No change that was tried would admit it (2 were simulated).",
                "Changes are made at 1s; the simulation runs up to 2s. until= looks further.",
            ],
        ),
        (report(PLAIN), ["1. wait (admitted at 0s; evicts no workload)"]),
        (
            report(PLAIN, tried=1),
            [
                "1. wait (admitted at 0s; evicts no workload)",
                "1 change was simulated.",
                "Changes are made at 0s; the simulation runs to the end.",
            ],
        ),
        (report(obstacles=(Obstacle("admitted", "It is."),)), ["It is."]),
        (report(obstacles=(Obstacle("finished", "It is."),)), ["It is."]),
        (
            report(obstacles=(STOPPED,)),
            [
                "It is deactivated.",
                "No change that was tried would admit it (0 were simulated).",
            ],
        ),
    ],
)
def test_what_was_found_is_said_and_how_far_it_looked(found: Report, said: list[str]) -> None:
    assert found.as_text().splitlines()[1:] == [f"  {line}" for line in said]


def test_of_many_evictions_five_are_named() -> None:
    def consequence(count: int) -> str:
        evicts = tuple(f"w{number}" for number in range(count))
        return Suggestion("quota", "", (), evicts).consequence

    assert consequence(0) == "evicts no workload"
    assert consequence(1) == "evicts w0"
    assert consequence(6) == "evicts 6 workloads: w0, w1, w2, w3, w4 and w5"
    assert consequence(7) == "evicts 7 workloads: w0, w1, w2, w3, w4 and 2 more"


def test_a_report_as_data() -> None:
    found = report(FINISH, tried=2, obstacles=(STOPPED,), now=SECOND, until=2 * SECOND)
    assert found.as_data() == {
        "workload": "ns/x",
        "obstacles": [{"kind": "inactive", "text": "It is deactivated."}],
        "suggestions": [
            {
                "kind": "finish",
                "text": "wait until ns/a and ns/b finish",
                "changes": [{"do": "finish", "object": f"Workload/ns/{name}"} for name in "ab"],
                "evicts": ["ns/c"],
                "queues": ["q", "r"],
                "size": 1.234568,
                "time": "1m30s",
                "evictsFirst": None,
            }
        ],
        "tried": 2,
        "complete": True,
        "now": "1s",
        "until": "2s",
        "movedFirst": [],
    }
    assert report().as_data()["until"] is None


def test_a_report_as_a_table() -> None:
    found = report(FINISH, PLAIN)
    assert found.as_table() == [
        {
            "number": "1",
            "change": "wait until ns/a and ns/b finish",
            "time": "1m30s",
            "evicts": "1",
            "queues": "q, r",
            "size": "1.23",
        },
        {
            "number": "2",
            "change": "wait",
            "time": "0s",
            "evicts": "0",
            "queues": "-",
            "size": "1",
        },
    ]
    assert [line.split() for line in found.table_text().splitlines()[::2]] == [
        ["number", "change", "time", "evicts", "queues", "size"],
        ["2", "wait", "0s", "0", "-", "1"],
    ]
    assert found._repr_html_().count("ns/x") == 1


def test_a_report_is_the_suggestions_that_it_has() -> None:
    none, one, two = report(), report(FINISH), report(FINISH, PLAIN)
    assert [len(each) for each in (none, one, two)] == [0, 1, 2]
    assert [bool(each) for each in (none, one)] == [False, True]
    assert [repr(each) for each in (none, one, two)] == [
        f"<Report on ns/x: {count}>" for count in ("0 suggestions", "1 suggestion", "2 suggestions")
    ]
    assert (list(two), two[1]) == ([FINISH, PLAIN], PLAIN)
    assert repr(PLAIN) == "<Suggestion wait: wait>"
    assert str(PLAIN) == "wait (admitted at 0s; evicts no workload)"
    german = Catalog("de", {"whatif.report.line": "{change}: {time}"}, english())
    assert PLAIN.as_text(german) == "wait: 0s"
    assert FINISH.disturbance == (cost_of(FINISH.kind), 1, 2, 1.23456789)
