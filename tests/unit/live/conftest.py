"""What the tests of this room share: a stand-in for an API server (see `stand_in`)."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from kueuelab.live import fake_nodes, lease, removal, timeline

sys.path.insert(0, str(Path(__file__).parent))
from pretend import Pretend, pretending
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


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pretend]:
    """Have a pretended API server with Kueue's controllers, as the current context."""
    with pretending(tmp_path, complete=True) as found:
        monkeypatch.setenv("KUBECONFIG", str(found.kubeconfig))
        yield found


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine everything is late: states are waited for, however long they take."""
    monkeypatch.setattr(timeline, "_PATIENCE", 300.0)
    monkeypatch.setattr(timeline, "_LATE", 300.0)
    monkeypatch.setattr(removal, "_CONTROLLER_SECONDS", 2.0)
    # A lease that is renewed often is soon known to be held, and to be abandoned.
    monkeypatch.setattr(lease, "_RENEWED", 0.3)
    monkeypatch.setattr(fake_nodes, "_RENEWED", 0.1)
