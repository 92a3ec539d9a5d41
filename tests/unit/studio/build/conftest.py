"""The page *Build* of a studio that is new."""

from __future__ import annotations

from pathlib import Path

import pytest

from kueuelab.studio.build.page import BuildPage
from kueuelab.studio.studio_view import Studio


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BuildPage:
    """Have the page, in a folder in which it may write."""
    monkeypatch.chdir(tmp_path)
    found = Studio().pages["build"]
    assert isinstance(found, BuildPage)
    return found
