"""Where drafts are kept: a copy of each edit beside its file, and the file that a person names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Final

from kueuelab.errors import InputError, Problem
from kueuelab.files import write_text
from kueuelab.messages import Message
from kueuelab.session.building.draft import Draft

__all__ = ["Autosave", "Unsaved", "saved", "unsaved_in"]

#: A copy begins with this line, and with the name of its draft. Nothing else is ever replaced.
_MARKS: Final = {False: "# kueuelab-draft: ", True: "# kueuelab-draft-of-file: "}
_ENDING: Final = ".kueuelab-draft"


@dataclass(frozen=True, slots=True)
class Autosave:
    """The copy of a draft that is written after each edit.

    It is a hidden file beside the draft: no folder of manifests is read with it.

    Attributes
    ----------
    folder
        Where it is.
    path
        The copy; ``None`` until the first edit.
    of_file
        Whether the draft has a file of its own in the folder.
    """

    folder: Path
    path: Path | None = None
    of_file: bool = False

    def keep(self, draft: Draft) -> Autosave:
        """Write a copy of a draft; return where.

        Examples
        --------
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> kept = Autosave(folder).keep(Draft.new("lab"))
        >>> [(each.path.name, each.draft.name) for each in unsaved_in(folder)]
        [('.lab.yaml.kueuelab-draft', 'lab.yaml')]
        >>> kept.drop().path, list(unsaved_in(folder))
        (None, [])
        """
        kept = self if self.path is not None else replace(self, path=self._free(draft))
        assert kept.path is not None
        write_text(kept.path, f"{_MARKS[self.of_file]}{draft.name}\n{draft.text}")
        return kept

    def drop(self) -> Autosave:
        """Delete the copy: the draft is saved."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
        return replace(self, path=None)

    def _free(self, draft: Draft) -> Path:
        for number in count(1):
            ending = "" if number == 1 else f"-{number}"
            path = self.folder / f".{draft.name}{ending}{_ENDING}"
            if not path.exists():
                return path
        raise AssertionError


@dataclass(frozen=True, slots=True)
class Unsaved:
    """A copy of a draft that was not saved.

    Attributes
    ----------
    path
        The copy.
    draft
        The draft.
    file
        The file that it was opened from, ``None`` if it has none.
    """

    path: Path
    draft: Draft
    file: Path | None


def unsaved_in(folder: Path) -> Iterator[Unsaved]:
    """Yield the copies of drafts that were not saved, the newest first."""
    try:
        files = sorted(folder.glob(f".*{_ENDING}"), key=lambda each: -each.stat().st_mtime)
    except OSError:
        return
    for path in files:
        try:
            mark, _, text = path.read_text("utf-8").partition("\n")
        except (OSError, UnicodeDecodeError):
            continue
        for of_file, begin in _MARKS.items():
            if mark.startswith(begin):
                # A copy may come from anywhere; it is saved in its own folder.
                name = mark.removeprefix(begin)
                if name in ("", ".", "..") or Path(name).name != name:
                    continue
                draft = Draft(text, name, folder)
                yield Unsaved(path, draft, folder / draft.name if of_file else None)


def saved(draft: Draft, path: str | Path, *, own: Path | None = None) -> Draft:
    """Write a draft to the file that a person named; return it with that name.

    Parameters
    ----------
    draft
        What is written.
    path
        The file.
    own
        The file that it was opened from or written to before: only that may be replaced.

    Raises
    ------
    InputError
        If the name is empty, or another file has it.
    """
    named = str(path).strip()
    target = Path(named).expanduser()
    if not named:
        raise InputError(Problem(Message("session.build.no-file")))
    if target.exists() and (own is None or not own.exists() or not target.samefile(own)):
        hint = Message("session.patch.exists.hint")
        raise InputError(Problem(Message("session.patch.exists", file=named), hint=hint))
    write_text(target, draft.text)
    return replace(draft, name=target.name, base=target.parent)
