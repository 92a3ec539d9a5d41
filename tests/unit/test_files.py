"""Files of the lab: whole or not at all, and of a version that is known."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from kueuelab.errors import InputError
from kueuelab.files import Format, read_json, replacing, write_json, write_text

NOTES = Format("notes", 3, {2: lambda old: {"texts": [old["text"]]}})


def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "notes.json"
    write_text(file, "old")

    def interrupted() -> None:
        with replacing(file) as stream:
            stream.write(b"ne")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_permissions_and_links_stay(tmp_path: Path) -> None:
    file, link = tmp_path / "notes.json", tmp_path / "link.json"
    write_text(file, "old")
    assert stat.S_IMODE(file.stat().st_mode) & 0o400
    file.chmod(0o640)
    link.symlink_to(file)
    write_text(link, "new")
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_same_document_same_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    write_json(first, {"b": 1, "a": "é"}, NOTES)
    write_json(second, {"a": "é", "b": 1}, NOTES)
    assert first.read_bytes() == second.read_bytes()
    assert read_json(first, NOTES) == {"a": "é", "b": 1, "format": "notes", "version": 3}


def test_an_older_file_opens(tmp_path: Path) -> None:
    file = tmp_path / "notes.json"
    file.write_text(json.dumps({"format": "notes", "version": 2, "text": "a"}))
    assert read_json(file, NOTES)["texts"] == ["a"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"format": "notes", "version": 4}', "reads up to 3. Install a newer kueuelab"),
        ('{"format": "notes", "version": 1}', "version 1 cannot be read any more"),
        ('{"format": "notes", "version": "2"}', "is not a version"),
        ('{"format": "notes", "version": true}', "is not a version"),
        ('{"format": "other", "version": 3}', 'no "format": "notes"'),
        ("[]", 'no "format": "notes"'),
        ("{", "this is not JSON"),
        ("[" * 100_000, "this is not JSON"),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "notes.json"
    file.write_text(text)
    with pytest.raises(InputError) as raised:
        read_json(file, NOTES)
    assert words in str(raised.value)
    assert str(raised.value).startswith(str(file))


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_json(tmp_path / "nothing.json", NOTES)
    (tmp_path / "latin.json").write_bytes(b"\xe9")
    with pytest.raises(InputError, match="not UTF-8"):
        read_json(tmp_path / "latin.json", NOTES)
