"""Drafts beside files that were named: kept at each edit, gone on with, discarded."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from kueuelab import scenarios
from kueuelab.errors import UnknownObjectError
from kueuelab.session.draft_files import DraftFiles
from kueuelab.session.handler import Handler

NAME = ".queues.yaml.kueuelab-draft"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "queues.yaml"
    found.write_text(scenarios.text("reclaim-1-take-back"), "utf-8")
    return found


def serving(file: Path) -> Handler:
    """Return a handler as the server of this machine makes it, with the draft begun."""
    handler = Handler(require_openable=lambda _: None, drafts=DraftFiles([str(file)]))
    handler.answer({"do": "open", "source": str(file)})
    return handler


def edited(handler: Handler) -> dict[str, Any]:
    page = handler.answer({"do": "buildBegin", "branch": "reclaim-1-take-back"})
    text = page["text"].replace("nominalQuota: 200m", "nominalQuota: 700m")
    found: dict[str, Any] = handler.answer({"do": "buildText", "text": text})
    return found


def test_an_edit_is_kept_beside_the_file_and_the_file_stays(file: Path) -> None:
    before = file.read_bytes()
    page = edited(serving(file))
    assert page["kept"] == "kept beside queues.yaml, which stays as it is"
    assert "700m" in (file.parent / NAME).read_text("utf-8")
    assert file.read_bytes() == before


def test_another_server_goes_on_with_it(file: Path) -> None:
    edited(serving(file))
    later = serving(file)
    (draft,) = later.answer({"do": "drafts"})["drafts"]
    assert (draft["file"], draft["name"]) == (str(file), "queues.yaml")
    assert draft["about"] == f"draft beside the file: {NAME}"
    assert "700m" in later.answer({"do": "draftResume", "file": draft["file"]})["text"]
    # To build with the file that is open goes on, too: nothing is overwritten.
    again = serving(file).answer({"do": "buildBegin", "branch": "reclaim-1-take-back"})
    assert "700m" in again["text"]


def test_it_is_discarded_by_one_action_and_undone(file: Path) -> None:
    handler = serving(file)
    edited(handler)
    assert handler.answer({"do": "draftDiscard", "file": str(file)})["drafts"] == []
    assert not (file.parent / NAME).exists()
    assert handler.answer({"do": "build"})["name"] == ""
    handler.answer({"do": "undo"})
    assert "700m" in (file.parent / NAME).read_text("utf-8")
    handler.answer({"do": "undo"})
    assert not (file.parent / NAME).exists(), "it is as the file again"


def test_only_files_that_were_named_have_drafts(file: Path, tmp_path: Path) -> None:
    edited(serving(file))
    other = tmp_path / "other.yaml"
    other.write_text(scenarios.text("reclaim-1-take-back"), "utf-8")
    handler = serving(other)
    edited_file = file.parent / NAME
    for name in (str(file), str(edited_file), "../queues.yaml", "two-teams"):
        for do in ("draftResume", "draftDiscard"):
            with pytest.raises(UnknownObjectError):
                handler.answer({"do": do, "file": name})
    assert edited_file.exists()
    unnamed = Handler(require_openable=lambda _: None)
    unnamed.answer({"do": "open", "source": str(other)})
    assert edited(unnamed)["kept"] == ""
    assert not (tmp_path / ".other.yaml.kueuelab-draft").exists()


def test_a_link_in_the_place_of_a_draft_is_not_followed(file: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("mine", "utf-8")
    os.symlink(target, file.parent / NAME)
    assert edited(serving(file))["kept"].startswith("kept in this browser")
    assert target.read_text("utf-8") == "mine"


def test_where_the_folder_cannot_be_written_the_page_keeps_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("kueuelab.session.draft_files.write_text", refused)
    handler = serving(file)
    kept = "kept in this browser: nothing can be written beside queues.yaml"
    assert edited(handler)["kept"] == kept
    assert handler.answer({"do": "drafts"})["drafts"] == []


def test_a_file_that_was_changed_after_its_draft_is_said(file: Path) -> None:
    handler = serving(file)
    edited(handler)
    later = (file.parent / NAME).stat().st_mtime + 60
    os.utime(file, (later, later))
    (draft,) = handler.answer({"do": "drafts"})["drafts"]
    assert draft["about"].endswith("The file was changed after it.")
