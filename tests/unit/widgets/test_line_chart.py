"""A chart of lines in a cell: a still picture, a table, and what the front end draws."""

from __future__ import annotations

from base64 import b64encode
from xml.etree import ElementTree

import pytest
from fragments import document_in

pytest.importorskip("anywidget", reason="the widgets are not installed: pip install '.[lab]'")

import kueuelab as kl
from kueuelab.messages import language_of
from kueuelab.widgets import LineChart, ParetoFront
from kueuelab.widgets.form_note import note

EVIL = "<img src=x onerror=alert(1)>"


def test_a_cell_has_a_still_picture_the_table_and_the_chart_for_plotly() -> None:
    chart = LineChart("Shares", [0, 1, 2], {"red": [0, 500, 250]}, x_title="minutes")
    bundle = chart._repr_mimebundle_()
    assert bundle["text/plain"] == chart.as_text()
    ElementTree.fromstring(bundle["image/svg+xml"])
    (data,) = document_in(bundle["text/html"])["charts"]
    assert data["rows"] == [["0", "0"], ["1", "500"], ["2", "250"]]
    assert data["traces"][0]["y"] == [0, 500, 250]
    assert "FigureWidget" not in bundle["text/html"]


def test_a_chart_of_a_sweep_has_a_still_picture_too() -> None:
    found = kl.sweep(kl.scenarios.load("reclaim-1-take-back"), seeds=2)
    bundle = ParetoFront(found, "preemptions", "waiting.max")._repr_mimebundle_()
    picture = ElementTree.fromstring(bundle["image/svg+xml"])
    assert "preemptions" in "".join(picture.itertext())
    assert b64encode(bundle["image/svg+xml"].encode()).decode() in bundle["text/html"]
    assert "preemptions" in bundle["text/plain"]


def test_names_are_text_and_no_markup() -> None:
    bundle = LineChart(EVIL, [0], {EVIL: [1]})._repr_mimebundle_()
    assert EVIL not in bundle["image/svg+xml"]
    assert EVIL not in bundle["text/html"]
    assert document_in(bundle["text/html"])["charts"][0]["traces"][0]["name"].startswith("&lt;")


def test_markup_of_cells_has_no_line_breaks() -> None:
    """JupyterLite puts commas between the lines that a notebook keeps."""
    words = language_of(None)
    assert "\n" not in LineChart("Shares", [0, 1], {"red": [0, 1]})._repr_mimebundle_()["text/html"]
    found = note("Which job?", "( ) a\n( ) b", words)
    assert "\n" not in found
    assert "( ) a&#10;( ) b" in found
    assert "run this cell" in found
