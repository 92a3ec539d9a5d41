"""The pictures of notebooks are what their runs show today, and small."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent
MOST_BYTES = 60_000


def _loaded(path: Path) -> ModuleType:
    found = importlib.util.spec_from_file_location(path.stem, path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


pictures = _loaded(HERE / "pictures.py")


@pytest.mark.parametrize("name", [pictures.START, pictures.NARROW, *sorted(pictures.PICTURES)])
def test_the_picture_is_what_its_run_shows(name: str) -> None:
    file = pictures.FOLDER / f"{name}.svg"
    assert file.read_text("utf-8") == pictures.picture_of(name), "run tests/refresh_notebooks.py"
    assert file.stat().st_size < MOST_BYTES
    assert re.match(
        r"<svg [^>]*role=\"img\"[^>]*><title>[^<]+</title><desc>", file.read_text("utf-8")
    )


def test_motion_stops_for_those_who_ask_for_less() -> None:
    for name in (pictures.START, pictures.NARROW):
        text = (pictures.FOLDER / f"{name}.svg").read_text("utf-8")
        assert "prefers-reduced-motion" in text
        assert "<script" not in text


def test_each_notebook_has_one() -> None:
    names = {path.stem for path in (pictures.ROOT / "notebooks").glob("*.ipynb")} - {"00-start"}
    assert set(pictures.PICTURES) == names
