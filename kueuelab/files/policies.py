"""Which files hold policies under test, found out without loading them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

__all__ = ["ENDINGS", "holds_expectations"]

#: How the names of files with policies under test end.
ENDINGS: Final = (".scenario.yaml", ".scenario.yml")

_OURS: Final = re.compile(rb"""^\s*["']?apiVersion["']?\s*:\s*["']?kueuelab/""", re.MULTILINE)
_EXPECTS: Final = re.compile(rb"""["']?\bexpect["']?\s*:""")


def holds_expectations(path: Path) -> bool:
    """Tell whether a file is a scenario with expectations.

    It is for programs that see files of any kind: what cannot be read is none.
    """
    try:
        content = path.read_bytes()
    except OSError:
        return False
    return bool(_OURS.search(content) and _EXPECTS.search(content))
