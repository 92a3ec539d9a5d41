"""Exercises with a folder and a progress file of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kueuelab import workshop
from kueuelab.workshop import Exercise


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[str], Exercise]:
    return lambda name: workshop.exercise(
        name, tmp_path / name, progress=tmp_path / "progress.json"
    )
