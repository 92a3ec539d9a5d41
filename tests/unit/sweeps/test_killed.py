"""A sweep that is killed goes on where it stopped; a run whose process dies is done again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

ROOT = Path(__file__).parents[3]

#: Runs with seeds of 3 and more wait until a file is there.
HELD = """
import os, sys, time
from pathlib import Path
import kueuelab as kl
from kueuelab.model import *

class Held:
    def __repr__(self):
        return "held"

    def submissions(self, spec, seed):
        Path(sys.argv[2], f"begun-{seed}").touch()
        while seed >= 3 and not Path(sys.argv[2], "go").exists():
            time.sleep(0.01)
        return ()

if __name__ == "__main__":
    lab = kl.scenarios.load("reclaim-1-take-back")
    kl.sweep(lab, seeds=6, jobs=int(sys.argv[3]), workloads=Held(), out=sys.argv[1])
"""

#: A run whose process dies: the first time, or each time.
DYING = """
import os, sys
from pathlib import Path
import kueuelab as kl

class Dying:
    def submissions(self, spec, seed):
        mark = Path(sys.argv[1], str(seed))
        if seed == 2 and (sys.argv[2] == "always" or not mark.exists()):
            mark.touch()
            os._exit(9)
        return ()

if __name__ == "__main__":
    found = kl.sweep(
        kl.scenarios.load("reclaim-1-take-back"), seeds=5, jobs=2, workloads=Dying()
    )
    print([row["run"] for row in found.rows])
    print([row["error"] for row in found.rows])
"""


def begin(script: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(script), *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_killed_sweep_goes_on_and_no_row_is_lost_or_twice(tmp_path: Path, jobs: str) -> None:
    script, file = tmp_path / "held.py", tmp_path / "found.parquet"
    script.write_text(HELD)
    parts = tmp_path / "found.parquet.parts"
    first = begin(script, str(file), str(tmp_path), jobs)
    while len(list(parts.glob("run-*.parquet"))) < 3:
        assert first.poll() is None, first.communicate()
        time.sleep(0.01)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    assert not file.exists()
    kept = {part.name: part.stat().st_mtime_ns for part in parts.glob("run-*.parquet")}
    assert len(kept) == 3
    for begun in tmp_path.glob("begun-*"):
        begun.unlink()
    (tmp_path / "go").touch()
    again = begin(script, str(file), str(tmp_path), jobs)
    _, errors = again.communicate()
    assert again.returncode == 0, errors
    assert pq.read_table(file).column("run").to_pylist() == list(range(6))
    assert sorted(each.name for each in tmp_path.glob("begun-*")) == [
        f"begun-{seed}" for seed in (3, 4, 5)
    ], "what was there is not run again"
    assert not parts.exists()


@pytest.mark.parametrize(
    ("how", "errors"),
    [
        ("once", [None] * 5),
        ("always", [None, None, "its process died 3 times", None, None]),
    ],
)
def test_a_run_whose_process_dies_is_done_again(
    tmp_path: Path, how: str, errors: list[str | None]
) -> None:
    script = tmp_path / "dying.py"
    script.write_text(DYING)
    process = begin(script, str(tmp_path), how)
    said, wrong = process.communicate()
    assert process.returncode == 0, wrong
    assert said.splitlines() == ["[0, 1, 2, 3, 4]", str(errors)]
