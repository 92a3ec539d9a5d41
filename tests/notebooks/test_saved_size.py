"""A notebook that is saved with its widgets stays small: what it has of each thing, it has once."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import nbformat
import pytest

pytest.importorskip("anywidget", reason="the widgets are not installed: pip install '.[lab]'")

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
WIDGETS = "application/vnd.jupyter.widget-state+json"
MOST = 1_000_000


def saved(path: Path, progress: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a notebook as it is after a run, with the state of all its widgets."""
    from nbclient import NotebookClient

    monkeypatch.setenv("KUEUELAB_PROGRESS", str(progress))
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(path.parent)}}
    NotebookClient(
        notebook, timeout=900, kernel_name="python3", store_widget_state=True, resources=resources
    ).execute()
    return notebook


# The largest ones: with boards that run again, with charts and views, with boards.
@pytest.mark.slow
@pytest.mark.parametrize("name", ["16-when-workers-fail", "09-fair-sharing"])
def test_a_notebook_saved_with_its_widgets_stays_under_a_megabyte(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook = saved(NOTEBOOKS / f"{name}.ipynb", tmp_path / "progress.json", monkeypatch)
    assert len(nbformat.writes(notebook).encode()) < MOST
    states = [each["state"] for each in notebook.metadata.widgets[WIDGETS]["state"].values()]
    # The modules are there once, for all widgets.
    texts = Counter(each["packed"] for each in states if "packed" in each)
    assert all(count == 1 for count in texts.values())
    # What else a widget holds is small, its document too.
    rest = [json.dumps({**each, "packed": ""}) for each in states]
    assert max(map(len, rest)) < 60_000
