"""Drafts beside the files that were opened: a server that ends, a tab that is closed lose none.

A draft of ``queues.yaml`` is ``.queues.yaml.kueuelab-draft`` in the same folder. There are drafts
of the files that the command line named, and of no other: a page names none of them itself. The
file is never written. Where the folder cannot be written, the page keeps the draft in the browser.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from kueuelab.errors import KueueLabError, UnknownObjectError
from kueuelab.files import read_bytes
from kueuelab.files.writing import write_text
from kueuelab.messages import Catalog
from kueuelab.session.built import Built
from kueuelab.session.draft_protocol import KeptDraft

__all__ = ["DraftFiles"]

_ENDING: Final = ".kueuelab-draft"


class DraftFiles:
    """The drafts beside some files.

    Parameters
    ----------
    named
        What the command line named; packaged names, folders and clusters have no drafts.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "queues.yaml"
    >>> _ = file.write_text("a: 1")
    >>> from kueuelab.session.building.draft import Draft
    >>> drafts = DraftFiles([str(file)])
    >>> drafts.keep(Built(Draft("a: 2", "queues.yaml"), source=file))
    True
    >>> drafts.text_of(str(file)), file.read_text()
    ('a: 2', 'a: 1')
    """

    def __init__(self, named: Iterable[str] = ()) -> None:
        self._files = {each: Path(each) for each in named if Path(each).is_file()}

    def has(self, file: Path) -> bool:
        """Tell whether a file was named, so that it has a draft."""
        return str(file) in self._files

    def kept(self, file: Path) -> bool:
        """Tell whether a file has a draft."""
        return self.has(file) and _is_kept(file)

    def keep(self, built: Built) -> bool:
        """Write the draft beside its file, unless it is what the file has.

        Returns whether the draft is safe; it is not where it has no file, or the folder cannot be
        written.
        """
        file = built.source
        if file is None or not self.has(file):
            return False
        place = _place(file)
        try:
            if place.is_symlink():
                # It could lead to any file of this machine.
                return False
            if built.draft.text == _text(file):
                place.unlink(missing_ok=True)
            else:
                write_text(place, built.draft.text)
        except (OSError, KueueLabError):
            return False
        return True

    def text_of(self, file: str) -> str:
        """Return the draft of a file.

        Raises
        ------
        UnknownObjectError
            If the file was not named, or has no draft.
        """
        known = {name: path for name, path in self._files.items() if _is_kept(path)}
        if file not in known:
            raise UnknownObjectError("draft", file, known)
        return _text(_place(known[file]))

    def discard(self, file: str) -> None:
        """Delete the draft of a file.

        Raises
        ------
        UnknownObjectError
            If the file was not named, or has no draft.
        OSError
            If it cannot be deleted.
        """
        self.text_of(file)
        _place(self._files[file]).unlink(missing_ok=True)

    def listed(self, words: Catalog) -> tuple[KeptDraft, ...]:
        """Return the drafts that there are: those that were written last come first."""
        found = []
        for file, path in self._files.items():
            with suppress(OSError):
                if _is_kept(path):
                    written = _place(path).stat().st_mtime
                    form = "newer" if path.stat().st_mtime > written else "about"
                    about = words.text(f"session.draft.{form}", place=_place(path).name)
                    found.append(KeptDraft(file, path.name, about, int(written)))
        return tuple(sorted(found, key=lambda each: (-each.time, each.file)))


def _place(file: Path) -> Path:
    return file.with_name(f".{file.name}{_ENDING}")


def _is_kept(file: Path) -> bool:
    place = _place(file)
    return place.is_file() and not place.is_symlink()


def _text(file: Path) -> str:
    return read_bytes(file).decode("utf-8-sig")
