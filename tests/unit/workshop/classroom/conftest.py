"""Servers of classes for the tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from class_server import Start, servers


@pytest.fixture(scope="session")
def serve() -> Iterator[Start]:
    with servers() as start:
        yield start
