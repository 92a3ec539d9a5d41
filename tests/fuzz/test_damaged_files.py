"""No file breaks the lab: whatever is in it, the answer is quick and names a place."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kueuelab.testing.loader_fuzz import feed

HERE = Path(__file__).parent
#: How many damaged files; the nightly run sets a larger number, such as 200000.
INPUTS = int(os.environ.get("KUEUELAB_INPUTS", "3000"))
SEED = int(os.environ.get("KUEUELAB_SEED", "1"))


def test_damaged_files() -> None:
    command = [sys.executable, "-m", "kueuelab.testing.loader_fuzz", str(INPUTS), str(SEED)]
    folders = [HERE / "files", HERE.parent / "data" / "jobs"]
    done = subprocess.run([*command, *folders], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


QUEUE = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: a}\n"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00",
        b"\xff\xfe",
        b"\xff\xfe\x00\x00",
        b"\xef\xbb\xbf" + QUEUE.encode(),
        QUEUE.replace("\n", "\r\n").encode(),
        QUEUE.encode("utf-16"),
        b"\t" + QUEUE.encode(),
        QUEUE.encode() + b"spec: {" + b"a: {" * 5000,
        b"[" * 100_000,
        b"- " * 100_000,
        b"a: " * 10_000,
        b"a: &a [*a, *a]",
        b"a: &a {b: *a}",
        b"<<: [1, 2]",
        b"? [a, b]\n: c",
        b"!!python/object/apply:os.system ['true']",
        b"!!binary |\n  %%%",
        b"{'a': 1, 'a': 2}",
        b"a: 1e999999999999",
        b"a: " + b"9" * 100_000,
        QUEUE.encode() + b"spec: {resourceGroups: [null]}",
        QUEUE.encode() + b"spec: {cohortName: " + b"a" * 1_000_000 + b"}",
        b"\n".join([QUEUE.encode()] * 2000),
    ],
    ids=lambda content: repr(content[:20]),
)
def test_known_traps(content: bytes) -> None:
    assert feed(content) == ""


def test_a_tag_runs_nothing(tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    feed(f"!!python/object/apply:os.system ['touch {proof}']\n".encode())
    feed(f"a: !!python/object/new:os.system [touch {proof}]\n".encode())
    assert not proof.exists()
