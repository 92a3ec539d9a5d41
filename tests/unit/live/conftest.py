"""What the tests of this room share: a stand-in for an API server (see `stand_in`)."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from stand_in import following_threads


@pytest.fixture(autouse=True)
def every_following_is_closed() -> Iterator[None]:
    """A test that leaves a cluster followed fails itself, and not one that comes after it."""
    before = set(threading.enumerate())
    yield
    left = following_threads() - before
    for thread in left:
        thread.join(120)
    assert [thread.name for thread in left if thread.is_alive()] == []
