"""Verifying recorded runs: decisions have to agree; another course has a reason."""

from __future__ import annotations

import gzip
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from stand_in import shared
from typer.testing import CliRunner

from kueuelab.cli import app
from kueuelab.live.job_courses import Course, Moment, divergences
from kueuelab.live.recordings import played_from
from kueuelab.live.verify import compare
from kueuelab.manifests import load_scenario

SAME = "at the cluster's times the lab does the same: "
INSTANT = "jobs of one instant are created one after the other"
ORDER = "Kueue considered jobs in another order"
LOOP = "at the loop that it finds; the cluster continues"


@pytest.mark.parametrize(
    ("name", "decisions", "reasons"),
    [
        ("cohort-2-shared-pool", 4, [SAME + INSTANT + " (default/g-2, default/h-1)"]),
        ("m15-same-moment", 25, [SAME + INSTANT + " (mine/o1, mine/o2, mine/o3)"]),
        ("m17-ready", 8, [SAME + "pods take up to 0.5 s to stop; the run takes 21.7 s"]),
        ("loop-5-pods-that-take-their-time", 6, [LOOP, SAME]),
        ("loop-1-the-victim-returns", 277, [LOOP]),
        ("loop-3-each-preempts-the-other", 272, [LOOP]),
        ("loop-2-policies-in-turn", 12, [LOOP, "pods take up to 1.4 s to stop", ORDER]),
        ("m07-order", 18, ["pods take up to 1.3 s to stop", ORDER]),
        ("m09-fair", 87, ["pods take up to 0.5 s to stop", ORDER]),
        ("hierarchy-2-fair-departments", 59, [INSTANT, ORDER]),
        (
            "order-2-one-head-each",
            7,
            [
                "the run takes",
                "a tie: default/prod-1 and default/prod-2 are admitted within one second",
            ],
        ),
        ("m10-ends", 9, []),
        ("m11-affinity", 20, []),
        ("m14-inactive", 5, []),
        ("queues-1-flavors-and-namespaces", 6, []),
    ],
)
def test_decisions_agree_and_another_course_is_explained(
    name: str, decisions: int, reasons: list[str]
) -> None:
    found = compare(played_from(shared(f"recorded/{name}")))
    assert (found.agree, found.differences) == (decisions, ())
    assert len(found.reasons) == len(reasons)
    for reason, expected in zip(found.reasons, reasons, strict=True):
        assert expected in reason
    assert bool(found.course) == bool([each for each in reasons if each != LOOP])
    result = CliRunner().invoke(app, ["live", "verify", str(shared(f"recorded/{name}"))])
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1] == f"{decisions} decisions agree, 0 differ"
    assert result.stdout.count("  why: ") == len(reasons)


def test_decisions_of_a_stopped_queue_agree() -> None:
    found = compare(played_from(shared("recorded/m05-stop")))
    assert (found.agree, found.differences) == (12, ())


def cut(folder: Path, name: str) -> Path:
    """Return a recording that ends just before the first job gets its quota."""
    original = shared(f"scenarios/{name}")
    shutil.copytree(original, folder / name)
    for file in (folder / name).rglob("*"):
        file.chmod(0o755)
    stream = folder / name / "stream.jsonl.gz"
    with gzip.open(original / "stream.jsonl.gz", "rt") as file:
        lines = file.readlines()
    for index, line in enumerate(lines):
        change = json.loads(line)
        if change["resource"] == "workloads" and "admission" in change["object"].get("status", {}):
            with gzip.open(stream, "wt") as file:
                file.writelines(lines[:index])
            return folder / name
    raise AssertionError("no job is admitted")


def test_what_kueue_leaves_undone_at_rest_is_a_difference(tmp_path: Path) -> None:
    """No decision of the cluster shows it: it is one that was never made."""
    played = played_from(cut(tmp_path, "priority-preemption"))
    assert compare(played).differences == ()  # it was only looked at until then
    [difference] = compare(replace(played, at_rest=True)).differences
    assert "is pending; the lab would admit it to " in difference


def test_queues_that_are_not_the_scenarios_are_a_difference() -> None:
    played = played_from(shared("scenarios/reclaim-within-cohort"))
    text = (shared("scenarios/reclaim-within-cohort") / "scenario.yaml").read_text()
    spec = load_scenario(text.replace('nominalQuota: "4"', 'nominalQuota: "2"', 1))
    [difference] = compare(replace(played, spec=spec)).differences
    assert difference.endswith(" in the cluster differs from the scenario")


def course(**subjects: str) -> Course:
    return {
        subject: [Moment(time, text) for time, text in enumerate(texts.split())]
        for subject, texts in subjects.items()
    }


def test_courses_diverge_at_the_first_thing_that_is_not_the_same() -> None:
    lab, cluster = course(a="in out", b="in"), course(a="in in", b="in", c="in")
    assert [str(each) for each in divergences(lab, cluster)] == [
        "c: in the lab nothing more, in the cluster in",
        "a: in the lab out, in the cluster in",
    ]
    # What comes after the lab's end does not count.
    assert [each.subject for each in divergences(lab, cluster, lab_stops=True)] == ["a"]
