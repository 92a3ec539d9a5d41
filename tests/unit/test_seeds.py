"""Random examples start from a seed that is the same for ever, and from one for each day."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from seeds import TODAY, header

HERE = Path(__file__).parents[1]


def heading(**environment: str) -> str:
    known = {name: value for name, value in os.environ.items() if name != "KUEUELAB_SEED"}
    code = "import seeds; print(seeds.header())"
    found = subprocess.run(
        [sys.executable, "-c", code],
        cwd=HERE,
        env=known | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return found.stdout.strip()


def test_the_header_tells_how_to_repeat_a_run() -> None:
    assert f"KUEUELAB_SEED={TODAY}" in header()
    assert (
        heading(KUEUELAB_SEED="7")
        == "random examples: seeds 19 and 7 (repeat with KUEUELAB_SEED=7)"
    )
    assert heading(KUEUELAB_SEED=str(TODAY)) == header()


def test_without_a_seed_it_is_the_date() -> None:
    assert int(heading().rpartition("=")[2].rstrip(")")) > 20_260_000
