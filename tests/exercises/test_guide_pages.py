"""The pages of the guide that the exercises give: what is committed is what is written anew."""

from __future__ import annotations

from pathlib import Path

import pytest
from guide_pages import GUIDE, pages

from kueuelab import workshop


@pytest.mark.parametrize("name", ["where-learners-get-stuck.md", "answer-keys.md"])
def test_the_committed_page_is_up_to_date(name: str) -> None:
    """If it is not: python tests/guide_pages.py."""
    page: Path = GUIDE / name
    assert page.read_text("utf-8") == pages()[page]


def test_every_exercise_has_its_key_and_what_goes_wrong() -> None:
    stuck = (GUIDE / "where-learners-get-stuck.md").read_text("utf-8")
    keys = (GUIDE / "answer-keys.md").read_text("utf-8")
    for spec in workshop.specs():
        heading = f"\n## {spec.title} (`{spec.name}`)\n"
        assert heading in keys
        part = stuck.partition(heading)[2].partition("\n## ")[0]
        wrong = part.count(f"### `{spec.name}`: wrong answer ")
        assert wrong >= 3
        for each in ("Why it is wrong: ", "What fails:", "What the learner reads:"):
            assert part.count(f"\n{each}") == wrong
