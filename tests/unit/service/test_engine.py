"""The process that answers: limits on time, what it cannot read, and its end."""

from __future__ import annotations

import os
import signal

import pytest

from kueuelab.errors import KueueLabError
from kueuelab.messages import english
from kueuelab.service.engine import Engine, Outcome, Shape
from kueuelab.service.served_cluster import Source

PENDING = "3 workloads are pending. The oldest was created 8s ago."


def test_an_answer_that_takes_too_long_ends_and_the_next_one_comes() -> None:
    engine = Engine(Source("two-teams"), english(), 0.0)
    try:
        slow = engine.ask("pending", "{}")
        assert slow.outcome is Outcome.TOO_LONG
        assert "takes longer than 0 s" in slow.body
        engine._seconds = 60
        found = engine.ask("pending", "{}", Shape.TEXT)
        assert (found.outcome, found.body.splitlines()[0]) == (Outcome.DONE, PENDING)
    finally:
        engine.close()
    engine.close()


def test_a_process_that_dies_is_replaced() -> None:
    engine = Engine(Source("two-teams"), english(), 60)
    try:
        os.kill(engine._process.pid, signal.SIGKILL)
        assert engine.ask("pending", "{}").outcome is Outcome.FAILED
        assert engine.ask("pending", "{}").outcome is Outcome.DONE
    finally:
        engine.close()


def test_what_cannot_be_read_is_said_at_once() -> None:
    with pytest.raises(KueueLabError, match="does not exist"):
        Engine(Source("/nothing.yaml"), english(), 60)
