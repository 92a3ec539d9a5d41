"""Print the cheat sheet: ``cheat-sheet.html`` to ``cheat-sheet.pdf``, by Chromium."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SOURCE, PRINTED = HERE / "cheat-sheet.html", HERE / "cheat-sheet.pdf"


def mark() -> bytes:
    """Return the last line of the PDF, a comment: what it was printed from."""
    return f"%{hashlib.sha256(SOURCE.read_bytes()).hexdigest()}\n".encode()


def print_to(file: Path, chromium: str) -> None:
    """Print the page to a file."""
    alone = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    options = ["--headless", "--disable-gpu", "--no-pdf-header-footer", *alone]
    subprocess.run(
        [chromium, *options, f"--print-to-pdf={file}", SOURCE.as_uri()],
        check=True,
        capture_output=True,
    )


def main() -> int:
    """Print it beside its source."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        print("Chromium is not installed: apt-get install chromium", file=sys.stderr)
        return 2
    print_to(PRINTED, chromium)
    PRINTED.write_bytes(PRINTED.read_bytes() + mark())
    return 0


if __name__ == "__main__":
    sys.exit(main())
