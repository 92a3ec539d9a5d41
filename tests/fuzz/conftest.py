"""Lets the tests here import what lies next to them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="module", autouse=True)
def worlds_end_in_minutes(minutes_of_timers: None) -> None:
    """Random worlds are followed for minutes."""
