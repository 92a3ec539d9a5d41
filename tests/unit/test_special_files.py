"""Devices, pipes, sockets and links: only regular files are written and read."""

from __future__ import annotations

import errno
import gzip
import os
import resource
import socket
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kueuelab import scenarios
from kueuelab.conformance.cases import read_texts
from kueuelab.errors import InputError
from kueuelab.files import Format, read_bytes, read_json, replacing, write_json, write_text
from kueuelab.live.conformance_cases import write_cases
from kueuelab.trace.export import load_trace

NOTES = Format("notes", 1)
RUN = scenarios.load("reclaim-1-take-back").run()

WRITERS: dict[str, Callable[[Path], Any]] = {
    "text": lambda path: write_text(path, "a"),
    "json": lambda path: write_json(path, {}, NOTES),
    "run": lambda path: RUN.save(path),
    "cases": lambda path: write_cases([], path),
}
READERS: dict[str, Callable[[Path], Any]] = {
    "bytes": read_bytes,
    "json": lambda path: read_json(path, NOTES),
    "run": load_trace,
    "cases": lambda path: list(read_texts(path)),
}


@pytest.fixture(params=["pipe", "device", "socket", "folder"])
def special(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """Something that is no file, and what it is called."""
    path = tmp_path / "a.json"
    match request.param:
        case "pipe":
            os.mkfifo(path)
            yield path, "a pipe"
        case "device":
            path.symlink_to("/dev/null")
            yield path, "a device"
        case "folder":
            path.mkdir()
            yield path, "a folder"
        case _:
            # A socket's name must be short.
            with (
                tempfile.TemporaryDirectory(dir="/tmp") as folder,
                socket.socket(socket.AF_UNIX) as server,
            ):
                server.bind(f"{folder}/a.json")
                yield Path(folder, "a.json"), "a socket"


@pytest.mark.parametrize("writer", WRITERS)
def test_what_is_no_file_is_not_written(special: tuple[Path, str], writer: str) -> None:
    path, kind = special
    before = os.stat(path)
    with pytest.raises(InputError, match=f"a.json: this is {kind}, not a file"):
        WRITERS[writer](path)
    after = os.stat(path)
    assert (after.st_ino, stat.S_IFMT(after.st_mode)) == (
        before.st_ino,
        stat.S_IFMT(before.st_mode),
    )
    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_file_is_not_read(special: tuple[Path, str], reader: str) -> None:
    path, kind = special
    with pytest.raises(InputError, match=f"a.json: this is {kind}, not a file"):
        READERS[reader](path)


@pytest.mark.parametrize("writer", WRITERS)
def test_a_link_is_followed_to_its_file(tmp_path: Path, writer: str) -> None:
    there, link = tmp_path / "there.json", tmp_path / "a.json"
    link.symlink_to(there)
    for _ in range(2):  # whether the file is there, or not yet
        WRITERS[writer](link)
        assert link.is_symlink()
        assert there.read_bytes()


def test_a_file_that_may_not_be_written_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.txt"
    write_text(file, "old")
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    with pytest.raises(PermissionError) as raised:
        write_text(file, "new")
    assert raised.value.filename == str(file)
    assert file.read_text("utf-8") == "old"


def test_a_full_disk_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    with pytest.raises(OSError, match="No space") as raised, replacing(file):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert raised.value.filename == str(file)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_grows_too_large_names_the_file(tmp_path: Path) -> None:
    # What a full disk does, on any machine: the write itself fails.
    import signal

    file = tmp_path / "a.txt"
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, old[1]))
        with pytest.raises(OSError, match="File too large") as raised:
            write_text(file, "a" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, handler)
    assert raised.value.filename == str(file)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def bomb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small file that unpacks to a large one."""
    file = tmp_path_factory.mktemp("bomb") / "a.json.gz"
    with gzip.open(file, "wb", compresslevel=9) as stream:
        for _ in range(300):
            stream.write(b" " * 2**20)
    return file


@pytest.mark.parametrize("reader", READERS)
def test_a_file_that_unpacks_to_too_much(bomb: Path, reader: str) -> None:
    with pytest.raises(InputError, match=r"a\.json\.gz: the file unpacks to more than 256 MiB"):
        READERS[reader](bomb)


@pytest.mark.parametrize("reader", READERS)
def test_a_file_that_is_too_large(tmp_path: Path, reader: str) -> None:
    file = tmp_path / "a.json"
    with file.open("wb") as stream:
        stream.truncate(3 * 2**30)  # it takes no room on the disk
    with pytest.raises(InputError, match=r"a\.json: the file has more than 2048 MiB"):
        READERS[reader](file)


@pytest.mark.parametrize("reader", READERS)
def test_a_damaged_compressed_file(tmp_path: Path, reader: str) -> None:
    file = tmp_path / "a.json.gz"
    for content in (gzip.compress(b"[" * 9999)[:-9], b"\x1f\x8b\x08\x00", b"\x1f\x8b" + b"a" * 99):
        file.write_bytes(content)
        with pytest.raises(InputError, match=r"a\.json\.gz: the compressed data is damaged"):
            READERS[reader](file)


def test_what_the_shell_opened_is_read(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.write(writer, gzip.compress(b"text"))
    os.close(writer)
    try:
        assert read_bytes(f"/dev/fd/{reader}") == b"text"
    finally:
        os.close(reader)
