"""What a notebook shows stays small enough to be kept in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kueuelab import scenarios
from kueuelab.errors import InputError
from kueuelab.trace import html
from kueuelab.views import saving


def test_of_very_many_rows_the_first_ones_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "_MOST", 3)
    all_of_them = html.table(["number"], [[str(row)] for row in range(3)])
    assert "more" not in all_of_them
    found = html.table(["number"], ([str(row)] for row in range(5)))
    assert found == all_of_them + "<p>2 more rows are not shown.</p>"


def test_of_a_very_long_text_the_beginning_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "_MOST", 3)
    assert "more" not in html.paragraphs("a\nb\nc")
    assert "a\nb\nc\n1 more line is not shown: print it.<" in html.paragraphs("a\nb\nc\nd")


def test_a_page_that_no_browser_would_open_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run, file = scenarios.load("reclaim-1-take-back").run(), tmp_path / "run.html"
    monkeypatch.setattr(saving, "_MOST_STEPS", len(run.trace) - 1)
    with pytest.raises(InputError) as caught:
        run.save(file)
    assert f"the run has {len(run.trace)} steps, and a page has at most" in str(caught.value)
    assert "kueuelab step" in str(caught.value)
    assert not file.exists()
    monkeypatch.setattr(saving, "_MOST_STEPS", len(run.trace))
    run.save(file)
    assert file.stat().st_size
