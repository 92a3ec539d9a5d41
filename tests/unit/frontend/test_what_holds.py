"""The table of what holds in docs/frames.md names tests and commands that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TABLE = (ROOT / "docs" / "frames.md").read_text("utf-8").partition("## What holds")[2]
ROWS = re.findall(r"^\| (?!what \||-)(.+?) \| (.+) \|$", TABLE, re.MULTILINE)


@pytest.mark.parametrize(("clause", "shown_by"), ROWS, ids=[clause for clause, _ in ROWS])
def test_each_clause_has_tests_or_a_command_that_exist(clause: str, shown_by: str) -> None:
    named = re.findall(r"`([^`]+)`", shown_by)
    assert named, clause
    for each in named:
        file, colons, test = each.partition("::")
        if colons:
            text = (ROOT / "tests" / file).read_text("utf-8")
            assert f"\ndef {test}(" in text, each
        elif each.startswith("make "):
            target = each.removeprefix("make ")
            assert f"\n{target}:" in (ROOT / "Makefile").read_text("utf-8"), each
        else:
            assert (ROOT / each.removeprefix("python ")).is_file(), each


def test_the_table_is_found() -> None:
    assert len(ROWS) > 30
