"""The tests for a real cluster are run themselves: on a pretended one, in a process of their own.

All of them take minutes there, as on a real cluster; here run those that take seconds.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from pretend import pretending

TESTS = Path(__file__).parents[2] / "live"


def suite(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *args, str(TESTS)]
    wanted = {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, text=True, env=wanted, timeout=1800)


@pytest.fixture(scope="module")
def without_context() -> Iterator[Future[subprocess.CompletedProcess[str]]]:
    """The suite where no context is named; it runs while the other test waits for its clusters."""
    names = ("CONTEXT", "MANAGER", "WORKERS")
    with ThreadPoolExecutor() as pool:
        yield pool.submit(suite, "-rs", **{f"KUEUELAB_LIVE_{name}": "" for name in names})


@pytest.mark.slow
@pytest.mark.usefixtures("without_context")
def test_they_pass_on_a_pretended_cluster(tmp_path: Path) -> None:
    """Each on a cluster of its own, all at once: they wait for most of the time."""

    def passes(name: str) -> None:
        with pretending(tmp_path, name, complete=True) as cluster:
            found = suite(
                *("-k", name),
                KUBECONFIG=str(cluster.kubeconfig),
                KUEUELAB_LIVE_CONTEXT=cluster.context,
            )
        assert found.returncode == 0, found.stdout
        assert "1 passed" in found.stdout

    with ThreadPoolExecutor() as pool:
        list(pool.map(passes, ("snapshot", "followed", "preemption", "deleted")))


def test_without_a_context_they_are_skipped_with_a_reason(
    without_context: Future[subprocess.CompletedProcess[str]],
) -> None:
    found = without_context.result()
    assert found.returncode == 0, found.stdout
    assert "KUEUELAB_LIVE_CONTEXT names no context" in found.stdout
    assert "KUEUELAB_LIVE_MANAGER and KUEUELAB_LIVE_WORKERS" in found.stdout
    assert " passed" not in found.stdout
