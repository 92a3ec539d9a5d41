"""The cheat sheet has one page, and what it says comes true in the scenarios that it names."""

from __future__ import annotations

import os
import re
import runpy
import shutil
from pathlib import Path

import pytest

import kueuelab as kl

FOLDER = Path(__file__).parents[3] / "docs/workshop"
SOURCE = (FOLDER / "cheat-sheet.html").read_text("utf-8")
ROW = re.compile(
    r"<tr><td>(?P<rule>.+)</td><td><code>(?P<scenario>[\w-]+)</code></td>"
    r"<td>(?P<names>[\w, -]+)</td>"
)
RULES = [found.groupdict() for found in ROW.finditer(SOURCE)]


def preempted(scenario: str) -> dict[str, str]:
    """Return the workloads that are preempted, by name, and the reasons."""
    trace = kl.scenarios.load(scenario).run().trace
    facts = [(trace[at].workload, trace[at].facts) for at in trace.of_kind("Evicted")]
    return {
        name.removeprefix("default/"): reason
        for name, each in facts
        if (reason := getattr(each, "preemption_reason", ""))
    }


@pytest.mark.parametrize("row", RULES, ids=lambda row: row["scenario"])
def test_a_rule_holds_in_its_scenario(row: dict[str, str]) -> None:
    names = set() if row["names"] == "none" else set(row["names"].split(", "))
    assert set(preempted(row["scenario"])) == names


def test_every_row_is_read_and_every_reason_occurs() -> None:
    body = SOURCE.partition('<table id="rules">')[2].partition("</table>")[0]
    assert len(RULES) == body.count("<tr><td>") >= 15
    reasons = {reason for row in RULES for reason in preempted(row["scenario"]).values()}
    assert reasons == set(re.findall(r"<code>(In[A-Z]\w+)</code>", SOURCE))


def pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def test_the_printed_page_is_of_this_source() -> None:
    script = runpy.run_path(str(FOLDER / "cheat_sheet.py"))
    pdf = (FOLDER / "cheat-sheet.pdf").read_bytes()
    assert pdf.endswith(script["mark"]())  # else: make cheat-sheet
    assert pages(pdf) == 1


def test_it_prints_on_one_page(tmp_path: Path) -> None:
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        pytest.skip("Chromium is not installed")
    script = runpy.run_path(str(FOLDER / "cheat_sheet.py"))
    script["print_to"](tmp_path / "printed.pdf", chromium)
    assert pages((tmp_path / "printed.pdf").read_bytes()) == 1
