"""The folder that a scenario's files are in, and which of them it may name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kueuelab.errors import InputError, Problem
from kueuelab.files import folders_used, parts_of
from kueuelab.manifests.loading.sources import documents_of
from kueuelab.manifests.reading.documents import Document
from kueuelab.messages import Message

__all__ = ["Folder"]


@dataclass(frozen=True, slots=True)
class Folder:
    """Where a scenario's files are.

    A scenario comes from anywhere. It may name files beside it and below, but no others of the
    machine, unless an option allows it.

    Attributes
    ----------
    path
        The folder that names are relative to; the working folder if it is not known.
    allow_outside
        Whether files outside of it may be read.
    """

    path: Path | None = None
    allow_outside: bool = False

    def documents(self, name: str, problems: list[Problem]) -> Iterable[Document]:
        """Return the documents of a file; what can't be read goes to ``problems``."""
        if not self.allow_outside and not self._holds(name):
            problems.append(
                Problem(
                    Message("manifests.folder.outside"),
                    hint=Message("manifests.folder.outside.hint"),
                )
            )
            return []
        return documents_of(Path(name), problems, base=self.path)

    def _holds(self, name: str) -> bool:
        folder = os.path.realpath(self.path or Path())
        try:
            file = os.path.realpath(os.path.join(folder, name))
        except ValueError:  # a NUL character: no such file is anywhere
            return True
        if not _is_in(folder, file):
            return False
        # The files of a folder that it names may be links to others.
        return all(_is_in(folder, each) for each in _used_by(file))


def _is_in(folder: str, path: str | Path) -> bool:
    return os.path.commonpath([folder, os.path.realpath(path)]) == folder


def _used_by(folder: str) -> Iterator[Path]:
    """Yield the files of a folder, and the folders that kustomizations in it use.

    What can't be read yields nothing; reading it says why.
    """
    if not os.path.isdir(folder):
        return
    try:
        for part in parts_of(Path(folder)):
            yield part.path
            if part.kind == "kustomization":
                yield from folders_used(part.path)
    except (InputError, OSError):
        return
