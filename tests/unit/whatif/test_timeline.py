"""The timeline of a run as a value: its rows, and how it shows itself."""

from __future__ import annotations

from small_labs import flavor, job, lab, queue

from kueuelab.whatif.table import Timeline


def test_a_timeline_is_its_rows() -> None:
    found = lab([flavor(), queue("team", {"default": 1})], [job("x", "team", 1)]).run().timeline
    assert repr(found) == f"<Timeline: {len(found.rows)} rows>"
    assert (len(found), list(found), found[1]) == (len(found.rows), [*found.rows], found.rows[1])
    assert str(found) == found.as_text() == found.text
    assert found.as_table() == [row.as_data() for row in found.rows]
    assert "default/x" in found._repr_html_()
    assert repr(Timeline(found.rows[:1], "")) == "<Timeline: 1 row>"
