"""The isolation of this machine for code that was received, for tests that need one."""

from __future__ import annotations

import shutil
import sys
from functools import cache

import pytest

from kueuelab.workshop.isolation import Isolation, NoIsolationError


@cache
def isolation() -> Isolation:
    """Return it; skip the test where there is no bubblewrap, or the system forbids it."""
    if sys.platform != "linux" or shutil.which("bwrap") is None:
        pytest.skip("bubblewrap (bwrap) is not installed")
    try:
        return Isolation.tested()
    except NoIsolationError as error:
        if "cannot isolate a process" not in str(error):
            raise
        pytest.skip(str(error))
